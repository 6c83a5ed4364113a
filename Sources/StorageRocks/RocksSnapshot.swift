internal import CRocksDB
internal import Storage
internal import Synchronization

/// The database at one read version, kept until ``close()``.
///
/// `@unchecked Sendable`: `raw` is written in `init` and read by the engine, which lets several
/// threads read one snapshot at once.
final class RocksSnapshot: Snapshot, @unchecked Sendable {
    private let database: RocksDatabase
    private let readers: RocksReaders
    /// It is made in `init`, released in ``close()``, and lent to transactions.
    private let raw: OpaquePointer?
    private let isClosed = Mutex(false)

    /// - Throws: ``StorageError`` if the store is closed.
    init(_ database: RocksDatabase, _ readers: RocksReaders) throws(StorageError) {
        try readers.enter()
        self.database = database
        self.readers = readers
        raw = rocksdb_create_snapshot(database.raw)
    }

    deinit {
        close()
    }

    func read<Result>(
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard !isClosed.withLock({ $0 }) else {
            throw StorageError(.unavailable, "the snapshot is closed")
        }
        let transaction = try readers.acquire()
        transaction.begin(.disk, at: raw)
        defer {
            transaction.end()
            readers.release(transaction)
        }
        return try body(transaction)
    }

    func close() {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        guard !wasClosed else { return }
        rocksdb_release_snapshot(database.raw, raw)
        readers.exit()
    }
}
