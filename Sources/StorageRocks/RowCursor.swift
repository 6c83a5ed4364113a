internal import CRocksDB
internal import Storage

/// One walk along a range of rows.
///
/// It is freed at its end: an iterator that lived on would hold old files on the device.
struct RowCursor: ~Copyable, ScannedRows {
    /// It is made in `init`, freed in `deinit`, and never handed out.
    private let iterator: OpaquePointer
    private let order: ScanOrder

    /// - Important: `options` names the bounds, whose bytes must outlive the cursor.
    init(_ database: RocksDatabase, _ options: OpaquePointer, _ order: ScanOrder) {
        iterator = rocksdb_create_iterator_cf(database.raw, options, database.family)
        self.order = order
        // The first or last row within the bounds, not of the whole database.
        switch order {
        case .ascending: rocksdb_iter_seek_to_first(iterator)
        case .descending: rocksdb_iter_seek_to_last(iterator)
        }
    }

    deinit {
        rocksdb_iter_destroy(iterator)
    }

    /// The row that the cursor stands on, or nil at the end; valid until ``advance()``.
    var row: (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        guard rocksdb_iter_valid(iterator) != 0 else { return nil }
        var size = 0
        let keyBytes = rocksdb_iter_key(iterator, &size)
        let key = UnsafeRawBufferPointer(start: keyBytes, count: size)
        let valueBytes = rocksdb_iter_value(iterator, &size)
        return (key, UnsafeRawBufferPointer(start: valueBytes, count: size))
    }

    func advance() {
        switch order {
        case .ascending: rocksdb_iter_next(iterator)
        case .descending: rocksdb_iter_prev(iterator)
        }
    }

    /// - Throws: ``StorageError`` if the cursor ended because the engine failed.
    func checkEnd() throws(StorageError) {
        var text: UnsafeMutablePointer<CChar>?
        rocksdb_iter_get_error(iterator, &text)
        if let error = EngineError.take(&text) { throw error }
    }
}
