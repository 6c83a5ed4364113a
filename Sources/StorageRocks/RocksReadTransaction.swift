internal import CRocksDB
package import Memory
import Protobuf
package import Storage

/// A view of the database at one read version, with the buffers to read it; used again and again.
///
/// `@unchecked Sendable`: it passes from thread to thread only through the lock of the store's
/// pool. Between ``begin()`` and ``end()`` one thread has it.
package final class RocksReadTransaction: ReadTransaction, @unchecked Sendable {
    package let arena = Arena(capacity: Limits.transactionArenaBytes)

    private let database: RocksDatabase
    private let points: PointReader
    private let scans = ScanOptions()
    /// For scans of rows that the engine need not keep in memory.
    private let scansOnce = ScanOptions(keepsBlocks: false)
    /// Taken at the first read.
    ///
    /// A transaction that reads nothing, for example because its request is refused, takes none.
    private var snapshot: OpaquePointer?
    /// Whether the snapshot was lent, so that its owner releases it.
    private var isSnapshotLent = false
    private var reach = Reach.disk
    private var isInBody = false

    init(_ database: RocksDatabase) {
        self.database = database
        points = PointReader(database)
    }

    deinit {
        arena.free()
    }

    /// - Parameter snapshot: The snapshot to read at, lent until ``end()``; nil for now.
    func begin(_ reach: Reach, at snapshot: OpaquePointer? = nil) {
        // Counting events would cost the engine's readers a tenth of their time; it is set for each
        // thread.
        rocksdb_set_perf_level(Int32(rocksdb_disable))
        if reach != self.reach {
            self.reach = reach
            points.setReach(reach)
            scans.setReach(reach)
            scansOnce.setReach(reach)
        }
        isSnapshotLent = snapshot != nil
        if let snapshot { use(snapshot) }
    }

    /// Forgets the view, and the records that were decoded from it.
    func end() {
        if let snapshot {
            rocksdb_readoptions_set_snapshot(points.options, nil)
            scans.setSnapshot(nil)
            scansOnce.setSnapshot(nil)
            if !isSnapshotLent { rocksdb_release_snapshot(database.raw, snapshot) }
            self.snapshot = nil
        }
        arena.reset()
    }

    package func read(
        _ key: KeyView, _ body: (UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        try read(1, { _ in key.bytes }, { _, bytes in body(bytes) })
    }

    package func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        try keys.bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) in
            try read(
                keys.count,
                { UnsafeRawBufferPointer(bytes.extracting(keys.range(at: $0))) }, body)
        }
    }

    package func read(
        _ keys: StagedKeys, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        try read(keys.count, { keys[$0] }, body)
    }

    @inline(__always)
    private func read(
        _ count: Int, _ key: (Int) -> UnsafeRawBufferPointer,
        _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        takeSnapshot()
        enterBody()
        defer { isInBody = false }
        var first = 0
        while first < count {
            let end = min(first + Limits.keysPerRead, count)
            for index in first..<end { points.stage(key(index)) }
            try points.fetch()
            for index in first..<end { body(index, points.value(at: index - first)) }
            points.clear()
            first = end
        }
    }

    package func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        try scan(range, order, limit: limit, by: scans, body)
    }

    package func scanOnce(
        _ range: KeyRange,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        try scan(range, .ascending, limit: .max, by: scansOnce, body)
    }

    private func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int, by scans: ScanOptions,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        guard limit > 0, range.lower.lexicographicallyPrecedes(range.upper) else { return }
        takeSnapshot()
        enterBody()
        defer { isInBody = false }
        try scans.withCursor(database, range, order) { (cursor) throws(StorageError) in
            var rows = 0
            while let row = cursor.row {
                rows += 1
                if body(row.key, row.value) == .stop || rows == limit { break }
                cursor.advance()
            }
        }
    }

    private func takeSnapshot() {
        guard snapshot == nil else { return }
        use(rocksdb_create_snapshot(database.raw))
    }

    private func use(_ snapshot: OpaquePointer?) {
        self.snapshot = snapshot
        rocksdb_readoptions_set_snapshot(points.options, snapshot)
        scans.setSnapshot(snapshot)
        scansOnce.setSnapshot(snapshot)
    }

    private func enterBody() {
        precondition(!isInBody, "a transaction was used inside the body of its own read")
        isInBody = true
    }
}
