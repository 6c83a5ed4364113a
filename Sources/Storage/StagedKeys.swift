public import Memory
import Protobuf

/// Keys whose bytes stand one after another in the memory of a call, for reads that are made very
/// often.
///
/// A ``KeyList`` keeps its keys, and so has memory of its own. These are views, valid as long as
/// nothing is given back of the arena.
@usableFromInline package struct StagedKeys {
    @usableFromInline let start: UnsafeMutableRawPointer
    /// The end of each key, and how many of its first bytes name its partition.
    @usableFromInline let entries: UnsafeMutablePointer<Entry>
    @usableFromInline let room: (keys: Int, bytes: Int)
    @usableFromInline var used = 0
    @usableFromInline package internal(set) var count = 0

    @usableFromInline struct Entry {
        @usableFromInline let end: Int32
        @usableFromInline let partitionCount: Int16

        @inlinable @inline(__always) init(end: Int32, partitionCount: Int16) {
            self.end = end
            self.partitionCount = partitionCount
        }
    }

    /// Room for `keys` keys of `bytes` bytes together; nil if the arena is full.
    package init?(keys: Int, bytes: Int, in arena: Arena) {
        guard let entries = arena.allocate(keys * MemoryLayout<Entry>.stride),
            let start = arena.allocate(bytes)
        else { return nil }
        self.start = start
        self.entries = entries.bindMemory(to: Entry.self, capacity: keys)
        room = (keys, bytes)
    }

    /// Bytes of a key beside its two names: the app, the end of the partition, and the kind.
    @inlinable package static var bytesBesideNames: Int { 6 }

    /// Adds the key of a row of `kind` in the partition of `app` and `name`.
    @inlinable @inline(__always)
    package mutating func append(app: UInt32, _ name: Text, kind: UInt8, _ rowKey: Text) {
        let length = Self.bytesBesideNames &+ name.count &+ rowKey.count
        precondition(
            count < room.keys && length <= room.bytes &- used, "no room was made for a key")
        var next = start + used
        next.storeBytes(of: app.bigEndian, as: UInt32.self)
        next += 4
        name.copy(to: next)
        next += name.count
        next.storeBytes(of: 0, as: UInt8.self)
        next.storeBytes(of: kind, toByteOffset: 1, as: UInt8.self)
        rowKey.copy(to: next + 2)
        used &+= length
        (entries + count).initialize(
            to: Entry(end: Int32(used), partitionCount: Int16(name.count &+ 5)))
        count &+= 1
    }

    @inlinable package subscript(index: Int) -> UnsafeRawBufferPointer {
        precondition(index >= 0 && index < count)
        let first = index == 0 ? 0 : Int(entries[index - 1].end)
        return UnsafeRawBufferPointer(start: start + first, count: Int(entries[index].end) - first)
    }

    /// The same keys with memory of their own.
    package var list: KeyList {
        var list = KeyList()
        list.reserve(count)
        for index in 0..<count {
            list.append(
                Key(
                    bytes: Array(self[index]), partitionCount: Int(entries[index].partitionCount)))
        }
        return list
    }
}
