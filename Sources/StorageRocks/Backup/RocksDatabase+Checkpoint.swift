internal import CRocksDB
internal import Storage

extension RocksDatabase {
    /// Makes a copy of the database as it is now, in a folder that must not be there yet.
    ///
    /// The newest rows are written into files first. Then the files of rows are linked, not copied,
    /// if the folder is on the same device. Reads and writes go on meanwhile.
    func checkpoint(to path: String) throws(StorageError) {
        var text: UnsafeMutablePointer<CChar>?
        let checkpoint = rocksdb_checkpoint_object_create(raw, &text)
        if let error = EngineError.take(&text) { throw error }
        defer { rocksdb_checkpoint_object_destroy(checkpoint) }
        // 0: the rows are written into files, however long the log is.
        rocksdb_checkpoint_create(checkpoint, path, 0, &text)
        if let error = EngineError.take(&text) { throw error }
    }

    /// Removes and closes files that are no longer part of the database.
    ///
    /// The engine holds removals back while a copy is made, and goes on with them when the next
    /// file is written. A store that is not written then would keep them open.
    func removeOldFiles() {
        var text: UnsafeMutablePointer<CChar>?
        rocksdb_disable_file_deletions(raw, &text)
        guard EngineError.take(&text) == nil else { return }
        // 0: a copy that is under way goes on holding them back.
        rocksdb_enable_file_deletions(raw, 0, &text)
        _ = EngineError.take(&text)
    }
}
