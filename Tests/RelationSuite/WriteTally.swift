package import Storage
import Synchronization

/// A store that counts the rows that its writes read and write.
package final class WriteTally: Store {
    /// Different rows: those looked up, those passed by scans, and those set or removed.
    package struct Counts: Equatable, Sendable {
        package var read = 0
        package var scanned = 0
        package var written = 0

        package init() {}
    }

    private struct Tally {
        var counts = Counts()
        var bytes = 0
    }

    private let inner: any Store
    private let tally = Mutex(Tally())

    package init(_ inner: any Store = MemoryStore()) {
        self.inner = inner
    }

    /// The counts since the last call.
    package func take() -> Counts { takeWithBytes().counts }

    /// The counts since the last call, with the bytes of the keys and values written.
    package func takeWithBytes() -> (counts: Counts, bytes: Int) {
        tally.withLock { tally in
            defer { tally = Tally() }
            return (tally.counts, tally.bytes)
        }
    }

    package var isLocal: Bool { inner.isLocal }

    package func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try inner.read(reaching: reach, body)
    }

    package func snapshot() throws(StorageError) -> any Snapshot { try inner.snapshot() }

    package func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try inner.write(touching: partitions) { (transaction) throws(StorageError) in
            let counting = TallyTransaction(transaction)
            defer {
                tally.withLock { tally in
                    tally.counts.read += counting.read.count
                    tally.counts.scanned += counting.scanned
                    tally.counts.written += counting.written.count
                    tally.bytes += counting.written.reduce(0) { $0 + $1.key.count + $1.value }
                }
            }
            return try body(counting)
        }
    }

    package func close() { inner.close() }
}

private final class TallyTransaction: ForwardingTransaction {
    let inner: any WriteTransaction
    private(set) var read: Set<[UInt8]> = []
    private(set) var scanned = 0
    /// The keys written, with the numbers of bytes of their last values.
    private(set) var written: [[UInt8]: Int] = [:]

    init(_ inner: any WriteTransaction) {
        self.inner = inner
    }

    func prefetch(_ keys: KeyList) throws(StorageError) {
        for index in 0..<keys.count { read.insert(keys[index].bytes) }
        try inner.prefetch(keys)
    }

    func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        for index in 0..<keys.count { read.insert(keys[index].bytes) }
        try inner.read(keys, body)
    }

    func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        try inner.scan(range, order, limit: limit) { key, value in
            scanned += 1
            return body(key, value)
        }
    }

    func set(_ key: Key, to value: [UInt8]) {
        written[key.bytes] = value.count
        inner.set(key, to: value)
    }

    func remove(_ key: Key) {
        written[key.bytes] = 0
        inner.remove(key)
    }
}
