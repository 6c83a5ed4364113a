internal import CRocksDB
internal import Storage

extension Database {
    /// Makes a copy of the database as it is now, in a folder that must not be there yet.
    ///
    /// The newest rows are written into files first. Then the files of rows are linked, not copied,
    /// if the folder is on the same device. Reads and writes go on meanwhile.
    func checkpoint(to path: String) throws(StorageError) {
        var text: UnsafeMutablePointer<CChar>?
        let checkpoint = rocksdb_checkpoint_object_create(raw, &text)
        if let error = EngineFault.take(&text) { throw error }
        defer { rocksdb_checkpoint_object_destroy(checkpoint) }
        // 0: the rows are written into files, however long the log is.
        rocksdb_checkpoint_create(checkpoint, path, 0, &text)
        if let error = EngineFault.take(&text) { throw error }
    }
}
