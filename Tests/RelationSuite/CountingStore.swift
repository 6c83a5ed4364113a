import Memory
import Protobuf
package import Storage
import Synchronization

/// A store that counts the requests of reads, of the present moment and of kept ones, to the engine
/// below it.
package final class CountingStore: Store {
    /// The requests: keys looked up, by their kinds, and rows passed by scans.
    package struct Counts: Equatable, Sendable {
        package var keys: [UInt8: Int] = [:]
        package var scannedRows = 0
        /// The number of moments that were taken to be kept.
        package var snapshots = 0

        package init(keys: [UInt8: Int] = [:], scannedRows: Int = 0) {
            self.keys = keys
            self.scannedRows = scannedRows
        }

        fileprivate mutating func add(_ other: Counts) {
            keys.merge(other.keys, uniquingKeysWith: +)
            scannedRows += other.scannedRows
        }
    }

    private let inner: any Store
    private let counts = Mutex(Counts())
    private let kept = Mutex(0)

    package init(_ inner: any Store = MemoryStore()) {
        self.inner = inner
    }

    /// The requests since the last call.
    package func take() -> Counts {
        counts.withLock { counts in
            defer { counts = Counts() }
            return counts
        }
    }

    /// The number of moments that are kept now.
    package var openSnapshots: Int { kept.withLock { $0 } }

    package var isLocal: Bool { inner.isLocal }

    package func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try inner.read(reaching: reach) { (transaction) throws(StorageError) in
            try counted(transaction, body)
        }
    }

    fileprivate func counted<Result>(
        _ transaction: any ReadTransaction,
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let counting = CountingTransaction(transaction)
        defer { counts.withLock { $0.add(counting.counts) } }
        return try body(counting)
    }

    package func snapshot() throws(StorageError) -> any Snapshot {
        counts.withLock { $0.snapshots += 1 }
        let snapshot = try inner.snapshot()
        kept.withLock { $0 += 1 }
        return CountingSnapshot(snapshot, self)
    }

    fileprivate func closed() { kept.withLock { $0 -= 1 } }

    package func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try inner.write(touching: partitions, body)
    }

    package func close() { inner.close() }
}

private final class CountingSnapshot: Snapshot {
    private let inner: any Snapshot
    private let store: CountingStore
    private let isClosed = Atomic(false)

    init(_ inner: any Snapshot, _ store: CountingStore) {
        self.inner = inner
        self.store = store
    }

    func read<Result>(
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try inner.read { (transaction) throws(StorageError) in
            try store.counted(transaction, body)
        }
    }

    func close() {
        inner.close()
        if !isClosed.exchange(true, ordering: .relaxed) { store.closed() }
    }
}

private final class CountingTransaction: ReadTransaction {
    private let inner: any ReadTransaction
    private(set) var counts = CountingStore.Counts()

    init(_ inner: any ReadTransaction) {
        self.inner = inner
    }

    var arena: Arena { inner.arena }

    func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        for index in 0..<keys.count {
            let key = keys[index]
            counts.keys[key.bytes[key.partitionCount], default: 0] += 1
        }
        try inner.read(keys, body)
    }

    func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        var rows = 0
        defer { counts.scannedRows += rows }
        try inner.scan(range, order, limit: limit) { key, value in
            rows += 1
            return body(key, value)
        }
    }
}
