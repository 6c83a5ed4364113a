internal import CRocksDB
internal import Storage

/// The facts from the engine's list of files about a store that is not open.
struct RestingState: Equatable {
    /// The files have all of the logs below this number; the engine reads this log and later ones.
    let firstLog: UInt64
    /// The files have no change above this one.
    let lastSequence: UInt64

    init(firstLog: UInt64, lastSequence: UInt64) {
        (self.firstLog, self.lastSequence) = (firstLog, lastSequence)
    }

    /// Looks at the engine's files without changing one.
    ///
    /// - Throws: ``StorageError`` with the code `corrupted` if files are missing or broken.
    init(of folder: DataFolder) throws(StorageError) {
        let options = rocksdb_options_create()
        defer { rocksdb_options_destroy(options) }
        rocksdb_options_set_create_if_missing(options, 0)
        // Files are opened when they are read, and none is read.
        rocksdb_options_set_max_open_files(options, 16)
        rocksdb_options_set_skip_stats_update_on_db_open(options, 1)
        // The logs are read by our own code, because the engine would put them into memory first.
        // In the folder above it finds none.
        rocksdb_options_set_wal_dir(options, folder.path)
        rocksdb_options_set_info_log_level(options, 2)
        let database = try RocksDatabase(readOnly: folder.rowsPath, options)
        defer { database.close() }
        var number: UInt64 = 0
        guard
            rocksdb_property_int(database.raw, "rocksdb.min-log-number-to-keep", &number) == 0
        else { throw StorageError(.failed, "the engine does not say which logs it reads") }
        firstLog = number
        lastSequence = database.lastSequence
    }
}
