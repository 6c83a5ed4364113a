internal import CRocksDB
internal import Storage

/// One open database of the engine.
///
/// `@unchecked Sendable`: several threads at once may use the engine's handle, as the engine's
/// header says:
///
/// > Multiple threads can invoke const methods on a DB without external synchronization
///
/// It says the same about `Write`, `Get` and snapshots. Only ``close()`` sets `raw` to nil. The
/// store calls it when no transaction is open, and lets none begin afterwards.
final class RocksDatabase: @unchecked Sendable {
    /// It is made in `init`, freed in ``close()``, and lent to the types of this room.
    private(set) var raw: OpaquePointer?
    /// The one column family: the engine can read many keys at once only of a named family.
    private(set) var family: OpaquePointer?

    /// - Throws: ``StorageError`` with the code `locked` if a process holds the folder; `corrupted`
    ///   if files are missing or broken; `failed` otherwise.
    init(path: String, _ options: borrowing EngineOptions) throws(StorageError) {
        (raw, family) = try RocksDatabase.open(options.raw, at: path, isReadOnly: false)
    }

    /// Looks at the files of a database that is not open anywhere, and changes none.
    ///
    /// - Throws: The errors of `init(path:_:)`, without `locked`.
    init(readOnly path: String, _ options: OpaquePointer?) throws(StorageError) {
        (raw, family) = try RocksDatabase.open(options, at: path, isReadOnly: true)
    }

    private static func open(
        _ options: OpaquePointer?, at path: String, isReadOnly: Bool
    ) throws(StorageError) -> (raw: OpaquePointer?, family: OpaquePointer?) {
        var text: UnsafeMutablePointer<CChar>?
        var family: OpaquePointer?
        let raw = "default".withCString { name in
            withUnsafePointer(to: Optional(name)) { names in
                withUnsafePointer(to: options) { columns in
                    isReadOnly
                        ? rocksdb_open_for_read_only_column_families(
                            options, path, 1, names, columns, &family, 0, &text)
                        : rocksdb_open_column_families(
                            options, path, 1, names, columns, &family, &text)
                }
            }
        }
        if let error = EngineError.take(&text) { throw error }
        return (raw, family)
    }

    /// The sequence number of the last change.
    var lastSequence: UInt64 { rocksdb_get_latest_sequence_number(raw) }

    /// A property of the engine as a number; 0 if it has none.
    func number(_ property: String) -> Int64 {
        var number: UInt64 = 0
        guard rocksdb_property_int(raw, property, &number) == 0 else { return 0 }
        return Int64(clamping: number)
    }

    /// A property of the engine as text; nil if it has none.
    func text(_ property: String) -> String? {
        guard let text = rocksdb_property_value(raw, property) else { return nil }
        // The engine allocated it for the caller.
        defer { rocksdb_free(text) }
        return String(cString: text)
    }

    deinit {
        close()
    }

    func close() {
        guard let raw else { return }
        rocksdb_column_family_handle_destroy(family)
        rocksdb_close(raw)
        self.raw = nil
    }
}
