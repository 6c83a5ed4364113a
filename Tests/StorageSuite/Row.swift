package import Storage

/// A row as tests write it down.
package struct Row: Equatable, Sendable, CustomStringConvertible {
    /// The key's bytes after those of its partition.
    package let suffix: [UInt8]
    package let value: [UInt8]

    package init(_ suffix: String, _ value: String) {
        self.suffix = Array(suffix.utf8)
        self.value = Array(value.utf8)
    }

    package init(suffix: [UInt8], value: [UInt8]) {
        self.suffix = suffix
        self.value = value
    }

    package var description: String {
        "\(String(decoding: suffix, as: UTF8.self))=\(String(decoding: value, as: UTF8.self))"
    }
}

extension Partition {
    package init(_ name: String, app: UInt32 = 1) {
        self.init(app: app, name: Array(name.utf8))
    }

    package func key(_ suffix: String) -> Key { Key(self, suffix: Array(suffix.utf8)) }
}

extension KeyRange {
    /// The rows of `partition`, except those whose suffixes begin with 0xFF.
    package init(all partition: Partition) {
        self.init(in: partition, from: [], to: [0xFF])
    }

    package init(_ partition: Partition, _ lower: String, _ upper: String) {
        self.init(in: partition, from: Array(lower.utf8), to: Array(upper.utf8))
    }
}

extension ReadTransaction {
    /// The values of `keys`, copied out.
    package func values(_ keys: [Key]) throws(StorageError) -> [[UInt8]?] {
        var values: [[UInt8]?] = []
        try read(KeyList(keys)) { index, bytes in
            precondition(index == values.count, "values out of order")
            values.append(bytes.map { Array($0) })
        }
        return values
    }

    package func text(_ key: Key) throws(StorageError) -> String? {
        try values([key])[0].map { String(decoding: $0, as: UTF8.self) }
    }

    package func rows(
        _ range: KeyRange, _ order: ScanOrder = .ascending, limit: Int = .max, stopAfter: Int = .max
    ) throws(StorageError) -> [Row] {
        var rows: [Row] = []
        try scan(range, order, limit: limit) { key, value in
            rows.append(Row(suffix: Array(key[range.partitionCount...]), value: Array(value)))
            return rows.count == stopAfter ? .stop : .more
        }
        return rows
    }
}

extension WriteTransaction {
    package func set(_ key: Key, _ text: String) { set(key, to: Array(text.utf8)) }
}

extension Store {
    /// Sets `rows` of `partition` in one write.
    package func put(_ rows: [Row], in partition: Partition) throws(StorageError) {
        try write(touching: [partition]) { transaction in
            for row in rows {
                transaction.set(Key(partition, suffix: row.suffix), to: row.value)
            }
        }
    }

    package func rows(
        _ range: KeyRange, _ order: ScanOrder = .ascending, limit: Int = .max
    ) throws(StorageError) -> [Row] {
        try read { (transaction) throws(StorageError) in
            try transaction.rows(range, order, limit: limit)
        }
    }

    package func text(_ key: Key) throws(StorageError) -> String? {
        try read { (transaction) throws(StorageError) in try transaction.text(key) }
    }
}
