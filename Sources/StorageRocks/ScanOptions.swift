internal import CRocksDB
internal import Storage

/// The engine's options for scans.
///
/// A transaction keeps them, and sets the bounds for each scan.
final class ScanOptions {
    /// It is made in `init`, freed in `deinit`, and lent to cursors.
    private let raw: OpaquePointer

    /// - Parameter keepsBlocks: Whether blocks that are read from files stay in the cache.
    init(keepsBlocks: Bool = true) {
        raw = rocksdb_readoptions_create()
        rocksdb_readoptions_set_fill_cache(raw, keepsBlocks ? 1 : 0)
        rocksdb_readoptions_set_verify_checksums(raw, 1)
        // If the iterator was the last to hold old files, another thread deletes them.
        rocksdb_readoptions_set_background_purge_on_iterator_cleanup(raw, 1)
    }

    deinit {
        rocksdb_readoptions_destroy(raw)
    }

    /// - Parameter snapshot: The snapshot that later cursors see, or nil for the newest rows.
    func setSnapshot(_ snapshot: OpaquePointer?) {
        rocksdb_readoptions_set_snapshot(raw, snapshot)
    }

    func setReach(_ reach: Reach) {
        rocksdb_readoptions_set_read_tier(raw, reach.tier)
    }

    /// Runs `body` with a cursor over `range`.
    func withCursor(
        _ database: RocksDatabase, _ range: KeyRange, _ order: ScanOrder,
        _ body: (borrowing RowCursor) throws(StorageError) -> Void
    ) throws(StorageError) {
        try range.lower.withUnsafeBufferPointer { (lower) throws(StorageError) in
            try range.upper.withUnsafeBufferPointer { (upper) throws(StorageError) in
                setBounds(lower, upper)
                let cursor = RowCursor(database, raw, order)
                try body(cursor)
                try cursor.checkEnd()
            }
        }
    }

    /// The options keep the addresses, not the bytes.
    ///
    /// So `withCursor` sets them each time, and no cursor outlives it.
    private func setBounds(
        _ lower: UnsafeBufferPointer<UInt8>, _ upper: UnsafeBufferPointer<UInt8>
    ) {
        lower.withMemoryRebound(to: CChar.self) {
            rocksdb_readoptions_set_iterate_lower_bound(raw, $0.baseAddress, $0.count)
        }
        upper.withMemoryRebound(to: CChar.self) {
            rocksdb_readoptions_set_iterate_upper_bound(raw, $0.baseAddress, $0.count)
        }
    }
}

extension Reach {
    /// The engine's number: `kReadAllTier`, or `kBlockCacheTier`, which answers "incomplete" if it
    /// would have to read a file.
    var tier: Int32 {
        switch self {
        case .disk: 0
        case .memory: 1
        }
    }
}
