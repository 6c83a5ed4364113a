internal import CRocksDB
package import Storage

/// The rows of a database that no server has open, to be read and never written.
///
/// Its files stay as they are. Rows that stand only in the engine's log are read from it.
package final class RestingRows: Store {
    private let database: RocksDatabase
    private let readers: RocksReaders

    package var isLocal: Bool { true }

    /// - Parameter path: The folder of the engine's files: `rows` of a data folder or of a backup.
    /// - Throws: ``StorageError`` with the code `corrupted` if files are missing or broken.
    package init(_ path: String) throws(StorageError) {
        var options = RocksOptions()
        options.openFiles = Limits.restingFiles
        let engineOptions = EngineOptions(options, createIfMissing: false)
        database = try RocksDatabase(readOnly: path, engineOptions.raw)
        readers = RocksReaders(database)
    }

    /// Looks at the rows of a data folder, which no server may have open.
    ///
    /// - Throws: ``StorageError``: `locked` if a server has it open; `foreign` if it is none, or
    ///   has a format that this program does not know; `corrupted`; the errors of `body`.
    package static func reading(
        dataFolder path: String, _ body: (RestingRows) throws(StorageError) -> Void
    ) throws(StorageError) {
        let held = try HeldFolder(path)
        defer { held.close() }
        try DataFolder.checkFormat(of: path)
        let rows = try RestingRows("\(path)/\(DataFolder.rowsName)")
        defer { rows.close() }
        try body(rows)
    }

    package func statistics() -> StoreStatistics {
        var statistics = StoreStatistics()
        statistics.rows = database.number("rocksdb.estimate-num-keys")
        return statistics
    }

    package func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let transaction = try readers.acquire()
        transaction.begin(reach)
        defer {
            transaction.end()
            readers.release(transaction)
        }
        return try body(transaction)
    }

    package func snapshot() throws(StorageError) -> any Snapshot {
        try RocksSnapshot(database, readers)
    }

    /// - Throws: ``StorageError`` with the code `failed`, always.
    package func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        throw StorageError(.failed, "the rows are open for reading only")
    }

    package func close() {
        guard readers.close() else { return }
        database.close()
    }
}
