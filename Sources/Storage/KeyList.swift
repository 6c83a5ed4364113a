/// Several keys in one piece of memory, in the order in which they were added.
@usableFromInline package struct KeyList: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var entries: [Entry] = []

    private struct Entry {
        /// The end of the key in `bytes`.
        let end: Int32
        /// How many of the key's first bytes name its partition.
        let partitionCount: Int16
        var isPossible = false

        init(_ end: Int, partitionCount: Int) {
            self.end = Int32(end)
            self.partitionCount = Int16(partitionCount)
        }
    }

    package init() {}

    package init(_ keys: [Key]) {
        for key in keys { append(key) }
    }

    @usableFromInline package var count: Int { entries.count }

    package mutating func append(_ key: Key) {
        if entries.isEmpty { reserve(Self.usualKeys) }
        bytes.append(contentsOf: key.bytes)
        entries.append(Entry(bytes.count, partitionCount: key.partitionCount))
    }

    /// Adds the key of a row of `kind`.
    ///
    /// It is written on the stack and copied once: to append it part by part costs three times as
    /// much.
    @inlinable package mutating func append(
        _ partition: Partition, kind: UInt8, _ rowKey: some RowKey
    ) {
        withUnsafeTemporaryAllocation(byteCount: Limits.keyBytes, alignment: 8) { room in
            // The room is not empty, so it has an address.
            let start = room.baseAddress!
            var writer = KeyWriter(start: start, room: room.count)
            writer.append(partition)
            let partitionCount = writer.count
            writer.append(kind)
            rowKey.write(to: &writer)
            guard !writer.isFull else {
                return append(partition) { bytes in
                    bytes.append(kind)
                    rowKey.append(to: &bytes)
                }
            }
            append(
                UnsafeRawBufferPointer(start: start, count: writer.count),
                partitionCount: partitionCount)
        }
    }

    @usableFromInline mutating func append(_ key: UnsafeRawBufferPointer, partitionCount: Int) {
        if entries.isEmpty { reserve(Self.usualKeys) }
        bytes.append(contentsOf: key)
        entries.append(Entry(bytes.count, partitionCount: partitionCount))
    }

    /// Adds a key of `partition`; `body` appends its suffix.
    ///
    /// No key has memory of its own.
    @usableFromInline package mutating func append(
        _ partition: Partition, _ body: (inout [UInt8]) -> Void
    ) {
        if entries.isEmpty { reserve(Self.usualKeys) }
        let start = bytes.count
        partition.append(to: &bytes)
        let partitionCount = bytes.count - start
        body(&bytes)
        entries.append(Entry(bytes.count, partitionCount: partitionCount))
    }

    /// Adds the keys that `body` adds as possible ones: only some ways through the rule read them.
    package mutating func addPossible(_ body: (inout KeyList) -> Void) {
        let first = count
        body(&self)
        for index in first..<count { entries[index].isPossible = true }
    }

    /// Whether the key at `index` is a possible one.
    package func isPossible(at index: Int) -> Bool { entries[index].isPossible }

    /// Makes room for `count` more keys, so that adding them does not move the others.
    package mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(bytes.count + count * Self.usualKeyBytes)
        entries.reserveCapacity(entries.count + count)
    }

    /// The bytes of an app, a kind, and two names of usual length.
    private static let usualKeyBytes = 48

    /// The keys that most writes list: room for them at once saves four moves of a growing list.
    private static let usualKeys = 8

    package mutating func append(_ other: KeyList) {
        if entries.isEmpty { reserve(max(other.count, Self.usualKeys)) }
        let start = bytes.count
        bytes.append(contentsOf: other.bytes)
        for key in other.entries {
            var entry = Entry(start + Int(key.end), partitionCount: Int(key.partitionCount))
            entry.isPossible = key.isPossible
            entries.append(entry)
        }
    }

    package func range(at index: Int) -> Range<Int> {
        (index == 0 ? 0 : Int(entries[index - 1].end))..<Int(entries[index].end)
    }

    package subscript(index: Int) -> Key {
        Key(
            bytes: Array(bytes[range(at: index)]),
            partitionCount: Int(entries[index].partitionCount))
    }

    /// The apps of the partitions that the keys name.
    package var apps: Set<UInt32> {
        var apps: Set<UInt32> = []
        for index in entries.indices {
            let start = range(at: index).lowerBound
            apps.insert(bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
        }
        return apps
    }

    /// Every partition that a key names, once each, in ascending order.
    package var partitions: [Partition] {
        var seen: Set<Partition> = []
        for (index, entry) in entries.enumerated() {
            let start = range(at: index).lowerBound
            seen.insert(Partition(bytes: Array(bytes[start..<start + Int(entry.partitionCount)])))
        }
        return seen.sorted()
    }
}
