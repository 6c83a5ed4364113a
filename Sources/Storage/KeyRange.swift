import Memory

/// The keys of one partition from `lower`, inclusive, to `upper`, exclusive.
@usableFromInline package struct KeyRange: Sendable {
    package let lower: [UInt8]
    package let upper: [UInt8]
    @usableFromInline package let partitionCount: Int

    /// - Precondition: Both bounds begin with the partition's bytes.
    package init(in partition: Partition, from lower: [UInt8], to upper: [UInt8]) {
        let name = partition.bytes
        self.lower = name + lower
        self.upper = name + upper
        partitionCount = name.count
    }

    /// Every key of every partition of `app`.
    ///
    /// Only for a store in this process: another store spreads the partitions of one app over many
    /// tables.
    package init(app: UInt32) {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: app)
        lower = bytes
        // This is above every name, because names are ASCII.
        upper = bytes + [0xFF]
        partitionCount = bytes.count
    }

    /// Every key of the partitions of `app` whose names sort after `name`.
    ///
    /// Only for a store in this process: another store spreads the partitions of one app over many
    /// tables.
    package init(app: UInt32, after name: String) {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: app)
        upper = bytes + [0xFF]
        // A name ends with a zero byte, and holds no other.
        lower = bytes + Array(name.utf8) + [1]
        partitionCount = 4
    }

    /// Every key of every partition of `app` above `key`; of all if that is empty.
    ///
    /// Only for one who reads all of the app.
    package init(app: UInt32, afterKey key: [UInt8]) {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: app)
        upper = bytes + [0xFF]
        lower = key.isEmpty ? bytes : key + [0]
        partitionCount = bytes.count
    }

    /// Every key of the store above `key`.
    ///
    /// Only for a store in this process, and for one who reads all of it.
    package init(after key: [UInt8]) {
        lower = key + [0]
        // No app's number is so high that a name follows it which begins with this byte.
        upper = [UInt8](repeating: 0xFF, count: 5)
        partitionCount = 0
    }

    /// Every key of `partition` whose suffix begins with `prefix`, which must not be all 0xFF.
    package init(in partition: Partition, prefix: [UInt8]) {
        self.init(in: partition, from: prefix, to: KeyRange.after(prefix))
    }

    /// The least sequence of bytes that is above every sequence with the beginning `prefix`.
    package static func after(_ prefix: [UInt8]) -> [UInt8] {
        var bound = prefix
        while let last = bound.popLast() {
            if last < 0xFF {
                bound.append(last + 1)
                return bound
            }
        }
        preconditionFailure("a prefix of 0xFF alone has no bound above it")
    }
}
