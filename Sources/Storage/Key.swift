/// The part of the key space that one transaction locks as a whole: one user of one app, or one
/// shared set of rows of an app.
///
/// Its bytes are the app in four bytes, most significant first, then the name, then a zero byte.
/// Names hold no zero byte, so no partition is a prefix of another.
package struct Partition: Hashable, Comparable, Sendable {
    package let bytes: [UInt8]

    package init(app: UInt32, name: some Collection<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.count + 5)
        bytes.append(bigEndian: app)
        bytes.append(contentsOf: name)
        bytes.append(0)
        self.bytes = bytes
    }

    /// The partition of a name that is text.
    ///
    /// A generic name costs four times as much, and every key begins here.
    package init(app: UInt32, name: String.UTF8View) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.count + 5)
        bytes.append(app: app, name: name)
        self.bytes = bytes
    }

    /// - Precondition: The bytes are those of a partition.
    fileprivate init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    package static func < (one: Partition, other: Partition) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }
}

/// The name of one row: a partition, and a suffix that names the row inside it.
package struct Key: Hashable, Comparable, Sendable {
    /// The bytes of the partition, followed by the suffix.
    package var bytes: [UInt8]
    /// How many of the bytes name the partition.
    package let partitionCount: Int

    package init(_ partition: Partition, suffix: some Collection<UInt8>) {
        bytes = partition.bytes
        bytes.append(contentsOf: suffix)
        partitionCount = partition.bytes.count
    }

    /// - Precondition: The first `partitionCount` bytes name a partition.
    package init(bytes: [UInt8], partitionCount: Int) {
        self.bytes = bytes
        self.partitionCount = partitionCount
    }

    /// The key with these bytes, as a scan over several partitions finds it; nil if they are no
    /// key.
    package init?(scanned bytes: UnsafeRawBufferPointer) {
        guard let end = bytes.dropFirst(4).firstIndex(of: 0) else { return nil }
        self.init(bytes: Array(bytes), partitionCount: end + 1)
    }

    package static func < (one: Key, other: Key) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }
}

/// Several keys in one piece of memory, in the order in which they were added.
package struct KeyList: Sendable {
    package private(set) var bytes: [UInt8] = []
    /// For each key, its end in `bytes`, and how many of its first bytes name its partition.
    package private(set) var ends: [(end: Int32, partitionCount: Int32)] = []
    /// The indices of the keys that are possible only, in ascending order.
    package private(set) var possible: [Int] = []

    package init() {}

    package init(_ keys: [Key]) {
        for key in keys { append(key) }
    }

    package var count: Int { ends.count }

    package mutating func append(_ key: Key) {
        bytes.append(contentsOf: key.bytes)
        ends.append((Int32(bytes.count), Int32(key.partitionCount)))
    }

    /// Adds a key of `partition`; `body` appends its suffix.
    ///
    /// No key has memory of its own.
    package mutating func append(_ partition: Partition, _ body: (inout [UInt8]) -> Void) {
        bytes.append(contentsOf: partition.bytes)
        body(&bytes)
        ends.append((Int32(bytes.count), Int32(partition.bytes.count)))
    }

    /// Adds a key of the partition of `app` and `name`, which has no memory of its own either.
    package mutating func append(
        app: UInt32, name: String.UTF8View, _ body: (inout [UInt8]) -> Void
    ) {
        let start = bytes.count
        bytes.append(app: app, name: name)
        let partitionCount = Int32(bytes.count - start)
        body(&bytes)
        ends.append((Int32(bytes.count), partitionCount))
    }

    /// Adds the keys that `body` adds as possible ones: only some ways through the rule read them.
    package mutating func addPossible(_ body: (inout KeyList) -> Void) {
        let first = count
        body(&self)
        possible.append(contentsOf: first..<count)
    }

    /// Makes room for `count` more keys, so that adding them does not move the others.
    package mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(bytes.count + count * Self.usualKeyBytes)
        ends.reserveCapacity(ends.count + count)
    }

    /// The bytes of an app, a kind, and two names of usual length.
    private static let usualKeyBytes = 48

    package mutating func append(_ other: KeyList) {
        let start = Int32(bytes.count)
        bytes.append(contentsOf: other.bytes)
        for index in other.possible { possible.append(count + index) }
        for key in other.ends { ends.append((start + key.end, key.partitionCount)) }
    }

    package func range(at index: Int) -> Range<Int> {
        (index == 0 ? 0 : Int(ends[index - 1].end))..<Int(ends[index].end)
    }

    package subscript(index: Int) -> Key {
        Key(bytes: Array(bytes[range(at: index)]), partitionCount: Int(ends[index].partitionCount))
    }

    /// Every partition that a key names, once each, in ascending order.
    package var partitions: [Partition] {
        var seen: Set<Partition> = []
        for (index, end) in ends.enumerated() {
            let start = range(at: index).lowerBound
            seen.insert(Partition(bytes: Array(bytes[start..<start + Int(end.partitionCount)])))
        }
        return seen.sorted()
    }
}

/// The keys of one partition from `lower`, inclusive, to `upper`, exclusive.
package struct KeyRange: Sendable {
    package let lower: [UInt8]
    package let upper: [UInt8]
    package let partitionCount: Int

    /// - Precondition: Both bounds begin with the partition's bytes.
    package init(in partition: Partition, from lower: [UInt8], to upper: [UInt8]) {
        self.lower = partition.bytes + lower
        self.upper = partition.bytes + upper
        partitionCount = partition.bytes.count
    }

    /// Every key of every partition of `app`.
    ///
    /// Only for a store in this process: another store spreads the partitions of one app over many
    /// places.
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
    /// places.
    package init(app: UInt32, after name: String) {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: app)
        upper = bytes + [0xFF]
        // A name ends with a zero byte, and holds no other.
        lower = bytes + Array(name.utf8) + [1]
        partitionCount = 4
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

extension [UInt8] {
    /// Appends a partition's bytes.
    fileprivate mutating func append(app: UInt32, name: String.UTF8View) {
        Swift.withUnsafeBytes(of: app.bigEndian) { append(contentsOf: $0) }
        append(contentsOf: name)
        append(0)
    }

    /// Appends `value` with its most significant byte first, so that bytes sort as numbers do.
    package mutating func append(bigEndian value: some FixedWidthInteger & UnsignedInteger) {
        var shift = value.bitWidth - 8
        while shift >= 0 {
            append(UInt8(truncatingIfNeeded: value >> shift))
            shift -= 8
        }
    }
}
