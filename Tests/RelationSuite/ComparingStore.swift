import Protobuf
package import RelationCore
package import Storage
import Synchronization

/// A store that tells which rows differ after a write.
///
/// A row that was written as it was before, or removed and written again, does not differ.
package final class ComparingStore: Store {
    /// A row that a write has made, changed or removed.
    package struct Difference: Equatable, Sendable, CustomStringConvertible {
        package let key: Key
        /// Whether the write has made the row.
        package let isNew: Bool
        /// Whether the write has removed the row.
        package let isGone: Bool
        /// The bytes of the key and of the value that it has now.
        package let bytes: Int

        /// The kind of the row's table.
        package var kind: UInt8 { key.bytes[key.partitionCount] }

        /// The bytes of the row's partition.
        package var partition: [UInt8] { Array(key.bytes.prefix(key.partitionCount)) }

        package var description: String { Tables.name(of: kind) }
    }

    private let inner: any Store
    private let differences = Mutex<[Difference]>([])

    package init(_ inner: any Store = MemoryStore()) {
        self.inner = inner
    }

    /// The rows that the writes since the last call have changed, in the order of their keys.
    package func take() -> [Difference] {
        differences.withLock { differences in
            defer { differences = [] }
            return differences
        }
    }

    package var isLocal: Bool { inner.isLocal }

    package func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try inner.read(reaching: reach, body)
    }

    package func snapshot() throws(StorageError) -> any Snapshot {
        try inner.snapshot()
    }

    package func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let before = try inner.snapshot()
        defer { before.close() }
        var found: [Difference] = []
        let result = try inner.write(touching: partitions) {
            (transaction) throws(StorageError) in
            let comparing = ComparingTransaction(transaction)
            let result = try body(comparing)
            let keys = KeyList(comparing.touched.sorted())
            let now = try Self.values(of: keys, in: transaction)
            let old = try before.read { (view) throws(StorageError) in
                try Self.values(of: keys, in: view)
            }
            for index in 0..<keys.count where now[index] != old[index] {
                found.append(
                    Difference(
                        key: keys[index], isNew: old[index] == nil, isGone: now[index] == nil,
                        bytes: keys[index].bytes.count + (now[index]?.count ?? 0)))
            }
            return result
        }
        differences.withLock { $0 += found }
        return result
    }

    private static func values(
        of keys: KeyList, in transaction: any ReadTransaction
    ) throws(StorageError) -> [[UInt8]?] {
        var values: [[UInt8]?] = []
        try transaction.read(keys) { _, bytes in values.append(bytes.map { Array($0) }) }
        return values
    }

    package func close() { inner.close() }
}

private final class ComparingTransaction: ForwardingTransaction {
    let inner: any WriteTransaction
    private(set) var touched: Set<Key> = []

    init(_ inner: any WriteTransaction) {
        self.inner = inner
    }

    func set(_ key: Key, to value: [UInt8]) {
        touched.insert(key)
        inner.set(key, to: value)
    }

    func remove(_ key: Key) {
        touched.insert(key)
        inner.remove(key)
    }
}
