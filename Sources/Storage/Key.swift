import Memory

/// The name of one row: a partition, and a suffix that names the row inside it.
@usableFromInline package struct Key: Hashable, Comparable, Sendable {
    /// The bytes of the partition, followed by the suffix.
    package var bytes: [UInt8]
    /// How many of the bytes name the partition.
    package let partitionCount: Int

    package init(_ partition: Partition, suffix: some Collection<UInt8>) {
        bytes = partition.bytes
        partitionCount = bytes.count
        bytes.append(contentsOf: suffix)
    }

    /// - Precondition: The first `partitionCount` bytes name a partition.
    package init(bytes: [UInt8], partitionCount: Int) {
        self.bytes = bytes
        self.partitionCount = partitionCount
    }

    /// The key with these bytes, as a scan over several partitions finds it; nil if they
    /// are not a key.
    package init?(scanned bytes: UnsafeRawBufferPointer) {
        guard let end = bytes.dropFirst(4).firstIndex(of: 0) else { return nil }
        self.init(bytes: Array(bytes), partitionCount: end + 1)
    }

    @usableFromInline package static func < (one: Key, other: Key) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }
}

extension [UInt8] {
    /// Appends a partition's bytes.
    mutating func append(app: UInt32, name: String.UTF8View) {
        append(bigEndian: app)
        append(contentsOf: name)
        append(0)
    }
}
