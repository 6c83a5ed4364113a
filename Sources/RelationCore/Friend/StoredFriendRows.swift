import Protobuf
import RelationModel
import Storage

/// The encoded rows of all friends of one user, without their custom values, in memory that never
/// changes.
///
/// It is a hash table of four bytes a slot, and the rows. An entry of the table is where the row
/// begins, and eight bits of the hash of its id. A row begins with its id, so no other copy of the
/// id is needed.
package final class StoredFriendRows: CachedValue {
    private let index: [UInt32]
    /// The rows: the length of each in four bytes, and its bytes.
    private let slab: [UInt8]
    private let hash: IDHash

    fileprivate init(index: [UInt32], slab: [UInt8], _ hash: IDHash) {
        self.index = index
        self.slab = slab
        self.hash = hash
    }

    /// The memory that it takes, with that of the entry that holds it.
    var cost: Int { index.count * 4 + slab.count + 256 }

    /// The rows, for as long as a closure runs.
    package struct View {
        fileprivate let index: UnsafeBufferPointer<UInt32>
        fileprivate let slab: UnsafeRawBufferPointer
        fileprivate let hash: IDHash

        /// The encoded row of the friend of that id; nil if the user has no such friend.
        package func row(of id: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
            let hash = hash(id)
            let mask = index.count &- 1
            let tag = UInt32(truncatingIfNeeded: hash >> 56)
            var slot = Int(truncatingIfNeeded: hash) & mask
            // A quarter of the slots is free, so this ends.
            while true {
                let entry = index[slot]
                if entry == 0 { return nil }
                if entry & 0xFF == tag {
                    let start = Int(entry >> 8) &- 1
                    let count = Int(slab.loadUnaligned(fromByteOffset: start, as: UInt32.self))
                    let row = UnsafeRawBufferPointer(rebasing: slab[(start + 4)...].prefix(count))
                    if StoredFriendRows.begins(row, with: id) { return row }
                }
                slot = (slot &+ 1) & mask
            }
        }
    }

    package func withView<Result, Failure: Error>(
        _ body: (View) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try index.withUnsafeBufferPointer { (index) throws(Failure) in
            try slab.withUnsafeBufferPointer { (slab) throws(Failure) in
                try body(View(index: index, slab: UnsafeRawBufferPointer(slab), hash: hash))
            }
        }
    }

    /// Whether the encoded row is that of `id`: an id is shorter than 128 bytes, so its length is
    /// one byte.
    fileprivate static func begins(
        _ row: UnsafeRawBufferPointer, with id: UnsafeRawBufferPointer
    ) -> Bool {
        guard row.count >= 2 + id.count, row[0] == userIDTag, Int(row[1]) == id.count,
            let start = row.baseAddress
        else { return false }
        return id.isSame(at: start + 2)
    }

    /// The tag of the field `user_id`: its number is 1, and it is a string.
    private static let userIDTag: UInt8 = 1 << 3 | 2

    // MARK: Reading them

    /// Reads the rows of `owner`'s friends; nil if they are too long to be kept.
    ///
    /// - Parameters:
    ///   - count: How many friends there are; more or fewer are read as well.
    ///   - bytes: The most bytes that are kept.
    static func read(
        of owner: UserID, app: App, count: Int, atMost bytes: Int, _ hash: IDHash,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> StoredFriendRows? {
        let partition = app.partition(of: owner)
        let prefixCount = partition.bytes.count + 1
        var draft = Draft(hash)
        draft.starts.reserveCapacity(count)
        var isTooLong = false
        var isBroken = false
        let range = KeyRange(in: partition, prefix: [Tables.friends.kind])
        try transaction.scanOnce(range) { key, value in
            let id = UnsafeRawBufferPointer(rebasing: key[prefixCount...])
            guard begins(value, with: id), let custom = customValues(of: value) else {
                isBroken = true
                return .stop
            }
            draft.add(value, without: custom, id)
            isTooLong = draft.bytes > bytes
            return isTooLong ? .stop : .more
        }
        if isBroken { throw StorageError(.corrupted, "a friend's row does not decode") }
        return isTooLong ? nil : draft.finished()
    }

    /// The range of the custom values in a row, which stand together; nil if the bytes are not a
    /// row.
    private static func customValues(of row: UnsafeRawBufferPointer) -> Range<Int>? {
        var walk = FieldWalk(row)
        var (start, end, last) = (0, 0, 0)
        do throws(CodecError) {
            while let field = try walk.next() {
                if field.number == FriendRecord.customNumber {
                    if end == 0 { start = last }
                    end = walk.offset
                }
                last = walk.offset
            }
        } catch {
            return nil
        }
        return start..<end
    }

    private struct Draft {
        let hash: IDHash
        var starts: [(start: Int, hash: UInt64)] = []
        private var slab: [UInt8] = []

        init(_ hash: IDHash) {
            self.hash = hash
        }

        var bytes: Int { slab.count + starts.count * 8 }

        mutating func add(
            _ row: UnsafeRawBufferPointer, without custom: Range<Int>, _ id: UnsafeRawBufferPointer
        ) {
            starts.append((slab.count, hash(id)))
            withUnsafeBytes(of: UInt32(row.count - custom.count)) { slab.append(contentsOf: $0) }
            slab.append(contentsOf: row[..<custom.lowerBound])
            slab.append(contentsOf: row[custom.upperBound...])
        }

        func finished() -> StoredFriendRows {
            var slots = 4
            while slots * 3 / 4 < starts.count { slots *= 2 }
            var index = [UInt32](repeating: 0, count: slots)
            for (start, hash) in starts {
                var slot = Int(truncatingIfNeeded: hash) & (slots - 1)
                while index[slot] != 0 { slot = (slot + 1) & (slots - 1) }
                index[slot] = UInt32(start + 1) << 8 | UInt32(truncatingIfNeeded: hash >> 56)
            }
            return StoredFriendRows(index: index, slab: slab, hash)
        }
    }
}
