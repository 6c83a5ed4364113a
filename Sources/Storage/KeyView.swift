public import Memory
import Protobuf

/// The key of one row as bytes in the memory of a call.
///
/// It is valid as long as nothing is given back of the arena that it was written to. A ``Key``
/// keeps its bytes, and so has memory of its own.
@usableFromInline package struct KeyView {
    /// The bytes of the partition, followed by the suffix.
    @usableFromInline package let bytes: UnsafeRawBufferPointer
    /// How many of the bytes name the partition.
    @usableFromInline package let partitionCount: Int

    @inlinable package init(bytes: UnsafeRawBufferPointer, partitionCount: Int) {
        self.bytes = bytes
        self.partitionCount = partitionCount
    }

    /// The key of a row of `kind`, written to the arena; nil if the arena is full.
    @inlinable init?(
        _ partition: Partition, _ kind: UInt8, _ rowKey: some RowKey, in arena: Arena
    ) {
        guard let start = arena.allocate(Limits.keyBytes) else { return nil }
        var writer = KeyWriter(start: start, room: Limits.keyBytes)
        writer.append(partition)
        partitionCount = writer.count
        writer.append(kind)
        rowKey.write(to: &writer)
        guard !writer.isFull else {
            guard let copy = Self.copy(partition, kind, rowKey, in: arena) else { return nil }
            bytes = copy
            return
        }
        bytes = UnsafeRawBufferPointer(start: start, count: writer.count)
    }

    /// A key that is longer than any row's, as a caller's text may make it.
    @usableFromInline static func copy(
        _ partition: Partition, _ kind: UInt8, _ rowKey: some RowKey, in arena: Arena
    ) -> UnsafeRawBufferPointer? {
        var bytes = partition.bytes
        bytes.append(kind)
        rowKey.append(to: &bytes)
        return bytes.withUnsafeBytes { arena.copy($0) }
    }

    /// The same key with memory of its own.
    package var key: Key { Key(bytes: Array(bytes), partitionCount: partitionCount) }

    /// The kind of the row; nil if the key names no row of a table.
    package var kind: UInt8? { partitionCount < bytes.count ? bytes[partitionCount] : nil }
}

/// The bytes of a key while they are written, in memory that was taken before.
///
/// A key that does not fit is not written to its end. Then ``isFull`` says so, and the key is
/// written in another way: its text may be one of a caller that is not judged yet.
@usableFromInline package struct KeyWriter {
    @usableFromInline let start: UnsafeMutableRawPointer
    @usableFromInline let room: Int
    @usableFromInline package internal(set) var count = 0
    /// Whether a part of the key did not fit.
    @usableFromInline package internal(set) var isFull = false

    /// - Important: There are `room` bytes from `start`, and they stay the writer's.
    @inlinable package init(start: UnsafeMutableRawPointer, room: Int) {
        self.start = start
        self.room = room
    }

    /// Memory for `length` more bytes; nil if they do not fit.
    @inlinable @inline(__always)
    mutating func reserve(_ length: Int) -> UnsafeMutableRawPointer? {
        guard length <= room &- count else {
            isFull = true
            return nil
        }
        defer { count &+= length }
        return start + count
    }

    @inlinable @inline(__always) package mutating func append(_ byte: UInt8) {
        reserve(1)?.storeBytes(of: byte, as: UInt8.self)
    }

    /// Appends a number with its most significant byte first, so that bytes sort as numbers do.
    @inlinable @inline(__always) package mutating func append(bigEndian value: UInt64) {
        reserve(8)?.storeBytes(of: value.bigEndian, as: UInt64.self)
    }

    @inlinable @inline(__always) package mutating func append(bigEndian value: UInt32) {
        reserve(4)?.storeBytes(of: value.bigEndian, as: UInt32.self)
    }

    @inlinable @inline(__always) package mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    @inlinable @inline(__always) package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)?.copyMemory(from: source, byteCount: bytes.count)
    }

    @usableFromInline package mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    @inlinable package mutating func append(_ partition: Partition) {
        append(bigEndian: partition.app)
        if let odd = partition.odd { append(odd) } else { append(partition.name) }
        append(0)
    }
}
