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
