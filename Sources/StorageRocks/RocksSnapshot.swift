internal import CRocksDB
internal import Storage
internal import Synchronization

/// The database at one moment, kept until ``close()``.
///
/// `@unchecked Sendable`: `raw` is written in `init` and read by the engine, which lets several
/// threads read one snapshot at once.
final class RocksSnapshot: Snapshot, @unchecked Sendable {
    private let database: Database
    /// Made in `init`, released in ``close()``, lent to transactions.
    private let raw: OpaquePointer?
    private let whenClosed: @Sendable () -> Void
    private let isClosed = Mutex(false)

    init(_ database: Database, whenClosed: @escaping @Sendable () -> Void) {
        self.database = database
        self.whenClosed = whenClosed
        raw = rocksdb_create_snapshot(database.raw)
    }

    deinit {
        close()
    }

    func read<Result>(
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard !isClosed.withLock({ $0 }) else {
            throw StorageError(.unavailable, "the snapshot has closed")
        }
        // Its buffers are made anew: snapshots are read seldom, and many rows at a time.
        let transaction = RocksReadTransaction(database)
        transaction.begin(.disk, at: raw)
        defer { transaction.end() }
        return try body(transaction)
    }

    func close() {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        guard !wasClosed else { return }
        rocksdb_release_snapshot(database.raw, raw)
        whenClosed()
    }
}
