internal import CRocksDB
package import Storage
import Support
internal import Synchronization

/// The embedded engine: RocksDB in this process, over a folder of its own.
///
/// Reads run on the caller's thread, any number at once, each in a view of its own. One write runs
/// at a time; all of its changes reach the log in one batch with one sync.
package final class RocksStore: Store {
    let database: RocksDatabase
    let readers: RocksReaders
    private let writeLock = Mutex(())
    /// Used by the thread that holds `writeLock`.
    private let writer: RocksWriteTransaction
    private let writeOptions: WriteOptions
    let freeBytes: @Sendable () -> UInt64?
    let reserveBytes: UInt64
    private let committed = Atomic<Int>(0)
    /// The folder; it is held as long as the store is open.
    private let folder: DataFolder
    private let path: String
    private let location: StoreLocation
    private let marks: MarkKeeper
    private let syncs: Bool

    /// The facts about the opening that a person should know.
    package let notices: [String]
    /// The lost writes whose loss was accepted, until ``forgetLoss()``.
    ///
    /// The store does not record them in its rows by itself.
    package let loss: StoreLoss?
    /// The backups of the store, below the folder that the options name.
    package var backups: (any StoreBackups)? { ownBackups }
    let ownBackups: RocksBackups?
    private let failureWatch: Ticker
    let readahead: Readahead

    /// The error that ends the store: of the engine, of its folder, or one that is reported here.
    package let failure: StoreFailure

    package var isLocal: Bool { true }

    /// How many batches were written since the store opened.
    ///
    /// A write that changed nothing, or threw, makes none.
    package var commitCount: Int { committed.load(ordering: .relaxed) }

    /// The read transactions that wait to be used again.
    var idleReaders: Int { readers.idleCount }

    /// Opens the store in `folder`, and makes it there if the folder is new or empty.
    ///
    /// If the store is refused, no row has changed.
    ///
    /// - Throws: ``StorageError`` with one of these codes. `failed`: the folder cannot be made or
    ///   written. `locked`: another process has it open. `foreign`: it holds something else or
    ///   another format. `exposed`: others may read it, and this process may not change that.
    ///   `lostWrites`: answered writes are missing, and the options do not accept that.
    ///   `corrupted`: files of the store are missing or broken.
    package init(
        folder path: String, _ options: RocksOptions = RocksOptions()
    ) throws(StorageError) {
        ThreadName.register(prefix: "rocksdb:", kind: "engine")
        let folder = try DataFolder(path)
        let opened = folder.isNew ? nil : try Self.checked(folder, options)
        let engineOptions = EngineOptions(options, createIfMissing: folder.isNew)
        database = try RecoveryWatch.reporting(options.onRecovery, of: folder.rowsPath) {
            () throws(StorageError) in try RocksDatabase(path: folder.rowsPath, engineOptions)
        }
        readers = RocksReaders(database)
        try folder.finishMaking()
        location = try StoreLocation(folder: path, rows: folder.rowsPath)
        let mark = Self.firstMark(after: opened, through: database.lastSequence, options)
        marks = try MarkKeeper(mark, folder)
        loss = mark.loss
        notices = [folder.notice, opened?.notice].compactMap(\.self)
        syncs = options.sync
        self.folder = folder
        self.path = path
        let room = BackupRoom(
            data: path, reserveBytes: options.reserveBytes,
            bufferBytes: UInt64(options.writeBufferBytes), freeBytes: options.freeBytes)
        if let kept = options.backups {
            ownBackups = try RocksBackups(kept, of: folder.format, database, readers, room)
        } else {
            ownBackups = nil
        }
        writer = RocksWriteTransaction(database)
        writeOptions = WriteOptions(sync: options.sync)
        let (database, location, marks, failure) = (database, location, marks, StoreFailure())
        self.failure = failure
        failureWatch = try Ticker(name: "store-fault", every: Limits.failureCheckMilliseconds) {
            RocksStore.check(for: failure, in: database, location, marks)
        }
        readahead = try Readahead(of: folder.rowsPath, atMost: options.readaheadBytes)
        reserveBytes = options.reserveBytes
        if let freeBytes = options.freeBytes {
            self.freeBytes = freeBytes
        } else {
            let space = FreeSpace(reserve: options.reserveBytes) { DataFolder.freeBytes(path) }
            freeBytes = { space.bytes }
        }
        guard !folder.format.isCurrent else { return }
        do throws(StorageError) {
            try Upgrade(
                store: self, folder: folder, steps: options.formatSteps, notify: options.onUpgrade
            ).run()
        } catch {
            close()
            throw error
        }
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

    package func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        var result: Result?
        try writeLock.withLock { (_) throws(StorageError) in
            try checkOpen()
            try failure.check()
            writer.begin()
            defer { writer.end() }
            result = try body(writer)
            guard let batch = try writer.changes() else { return }
            do throws(StorageError) {
                try commit(batch, writes: writer.writes)
            } catch {
                writer.didFail()
                throw error
            }
            writer.didCommit()
        }
        // The closure has run to its end, so it set the result or threw.
        guard let result else { preconditionFailure("a write ended without a result") }
        return result
    }

    package func statistics() -> StoreStatistics {
        var statistics = StoreStatistics()
        statistics.engine = "rocksdb"
        guard (try? readers.enter()) != nil else { return statistics }
        defer { readers.exit() }
        statistics.rows = database.number("rocksdb.estimate-num-keys")
        statistics.diskBytes = database.number("rocksdb.total-sst-files-size")
        statistics.memoryBytes =
            database.number("rocksdb.cur-size-all-mem-tables")
            + database.number("rocksdb.block-cache-usage")
            + database.number("rocksdb.estimate-table-readers-mem")
        return statistics
    }

    package func close() {
        guard readers.close() else { return }
        failureWatch.stop()
        readahead.stop()
        writeLock.withLock { _ in
            marks.close()
            database.close()
            folder.held.close()
        }
    }

    /// Writes the newest rows into files, so that the next opening has no log to read again.
    ///
    /// - Throws: ``StorageError``. The rows are then as safe as before, because of the log.
    package func flush() throws(StorageError) {
        try writeLock.withLock { (_) throws(StorageError) in
            try checkOpen()
            try failure.check()
            let options = rocksdb_flushoptions_create()
            defer { rocksdb_flushoptions_destroy(options) }
            rocksdb_flushoptions_set_wait(options, 1)
            var text: UnsafeMutablePointer<CChar>?
            rocksdb_flush(database.raw, options, &text)
            if let error = EngineError.take(&text) { throw error }
        }
    }

    /// Sorts all rows of the files into one run, as the engine's threads otherwise do bit by bit.
    ///
    /// It takes as long as writing all rows again; others read and write meanwhile.
    package func compact() throws(StorageError) {
        try flush()
        try readers.enter()
        defer { readers.exit() }
        // Nil means: from the first key to the last.
        rocksdb_compact_range(database.raw, nil, 0, nil, 0)
    }

    /// The backup from which the folder was restored, until ``forgetRestore()``.
    package var restored: String? {
        RestoredFolder.mark(of: path)
    }

    /// Notes that the rows record from now on that the folder was restored.
    package func forgetRestore() throws(StorageError) {
        try RestoredFolder.forgetMark(of: path)
    }

    /// Does at once the check that is otherwise done once in ``Limits/failureCheckMilliseconds``.
    package func checkForFailures() {
        Self.check(for: failure, in: database, location, marks)
    }

    /// Notes that the rows record ``loss`` from now on.
    package func forgetLoss() {
        marks.forgetLoss()
    }

    /// Writes the mark now; otherwise this happens once in ``Limits/markMilliseconds``.
    func mark() {
        marks.write()
    }

    private func commit(_ batch: OpaquePointer, writes: Int) throws(StorageError) {
        // A write into a folder that is gone would be answered, and lost.
        if !location.isThere {
            checkForFailures()
            try failure.check()
        }
        guard let free = freeBytes() else {
            throw StorageError(
                .unavailable, "the file system does not say how much is free for the data folder")
        }
        guard free >= reserveBytes else {
            throw StorageError(
                .diskLow,
                "\(free) bytes are free on the device of the data folder, and "
                    + "\(reserveBytes) are kept in reserve")
        }
        var text: UnsafeMutablePointer<CChar>?
        rocksdb_write(database.raw, writeOptions.raw, batch, &text)
        if let error = EngineError.take(&text) {
            // The whole record may be in the log although its sync failed: then the next opening
            // reads it.
            failure.report(error)
            throw StorageError(.outcomeUnknown, error.message)
        }
        committed.add(1, ordering: .relaxed)
        if syncs { marks.note(database.lastSequence, writes: writes) }
    }

    /// Finds out whether the folder has gone, or whether the engine's own threads have failed.
    ///
    /// A folder that comes back is no better, because the engine may have missed its files. Of the
    /// threads, any failure counts. After some failures the engine tries again by itself, but its C
    /// interface shows neither which these are nor how that ends. Meanwhile nothing is written out
    /// or merged, and writes are refused or wait. A restart with a recovery takes less time, and
    /// its end is visible.
    private static func check(
        for failure: StoreFailure, in database: RocksDatabase, _ location: StoreLocation,
        _ marks: MarkKeeper
    ) {
        guard failure.found == nil else { return }
        if let error = location.failure() ?? marks.failure { return failure.report(error) }
        let failures = database.number("rocksdb.background-errors")
        guard failures > 0 else { return }
        failure.report(
            StorageError(
                .failed,
                "the engine's threads failed \(failures) times to write files out or to merge "
                    + "them; the file rows/LOG of the data folder says why"))
    }

    private func checkOpen() throws(StorageError) {
        guard !readers.isClosed else { throw RocksReaders.closed }
    }
}

/// The options with which a commit is written.
///
/// `Sendable` because the engine only reads what `init` set.
private final class WriteOptions: @unchecked Sendable {
    /// It is made in `init`, freed in `deinit`, and lent to each commit.
    let raw: OpaquePointer

    init(sync: Bool) {
        raw = rocksdb_writeoptions_create()
        rocksdb_writeoptions_set_sync(raw, sync ? 1 : 0)
        // The log makes a commit durable.
        rocksdb_writeoptions_disable_WAL(raw, 0)
    }

    deinit {
        rocksdb_writeoptions_destroy(raw)
    }
}
