internal import CRocksDB
internal import Glibc
package import Memory
import Protobuf
package import Storage

/// The one writer's view: the newest rows of the database under an ``Overlay`` of its own changes.
///
/// It needs no snapshot, because no other transaction writes while it is open. It keeps the rows
/// that it reads, so that the operations of one batch find the rows that the batch prefetched.
///
/// `@unchecked Sendable`: only the thread that holds the store's write lock uses it.
package final class RocksWriteTransaction: WriteTransaction, @unchecked Sendable {
    package let arena = Arena(capacity: Limits.transactionArenaBytes)
    package let scratch = OutputBuffer(capacity: Limits.scratchBytes)

    private let database: RocksDatabase
    private let points: PointReader
    private let scans = ScanOptions()
    private let batch: OpaquePointer
    // One thread has the transaction, and no access to these overlaps another. So Swift need not
    // look for that at each row.
    @exclusivity(unchecked) private var overlay = Overlay()
    @exclusivity(unchecked) private var recent = RecentRows()
    /// The entries of the keys being read.
    @exclusivity(unchecked) private var wanted: [Int] = []
    /// The entries among them that the database must be asked for.
    @exclusivity(unchecked) private var missing: [Int] = []
    @exclusivity(unchecked) private var isInBody = false
    /// How many changes there were when writes were last counted.
    private var counted = 0
    /// The writes of callers that changed something.
    ///
    /// This is an upper bound: if rows changed by several writes, one write alone may have changed
    /// them.
    private(set) var writes = 0

    init(_ database: RocksDatabase) {
        self.database = database
        points = PointReader(database)
        batch = rocksdb_writebatch_create()
    }

    deinit {
        rocksdb_writebatch_destroy(batch)
        arena.free()
    }

    func begin() {
        rocksdb_set_perf_level(Int32(rocksdb_disable))
    }

    /// Forgets all rows, changed or read.
    func end() {
        overlay.removeAll()
        (counted, writes) = (0, 0)
        rocksdb_writebatch_clear(batch)
        arena.reset()
    }

    /// Keeps the rows that the committed transaction read and left for the next ones.
    func didCommit() {
        for entry in overlay.entries {
            switch (entry.stored, entry.now) {
            case (.present, .present(let value)): recent.insert(entry.key, entry.hash, value)
            case (.absent, _): break
            case _ where entry.isChanged: recent.forget(entry.key, entry.hash)
            default: break
            }
        }
    }

    /// Forgets what was read, because it is not known what the database has.
    func didFail() {
        recent.removeAll()
    }

    /// The changes as one batch for the engine, or nil if the rows are as they were.
    ///
    /// - Throws: ``StorageError`` with the code `failed` if they exceed ``Limits/batchBytes``.
    func changes() throws(StorageError) -> OpaquePointer? {
        // Changes that were not counted yet are one write.
        endWrites(1)
        // In the order of their keys: rows of one user follow one another in the engine's buffer
        // too, so it need not search for the position of each from the beginning.
        overlay.sort()
        var bytes = 0
        for index in overlay.changed {
            let entry = overlay.entries[Int(index)]
            guard entry.isToWrite else { continue }
            let key = entry.key.baseAddress!.assumingMemoryBound(to: CChar.self)
            bytes += entry.key.count
            if case .present(let value) = entry.now {
                bytes += value.count
                rocksdb_writebatch_put(
                    batch, key, entry.key.count,
                    value.baseAddress?.assumingMemoryBound(to: CChar.self), value.count)
            } else {
                rocksdb_writebatch_delete(batch, key, entry.key.count)
            }
            guard bytes <= Limits.batchBytes else {
                throw StorageError(
                    .failed, "one transaction writes more than \(Limits.batchBytes) bytes")
            }
        }
        return rocksdb_writebatch_count(batch) == 0 ? nil : batch
    }

    package func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        try find(keys)
        isInBody = true
        defer { isInBody = false }
        for index in 0..<keys.count {
            switch overlay.entries[wanted[index]].now {
            case .present(let value): body(index, value)
            case .absent: body(index, nil)
            case .unknown: preconditionFailure("a key was not read")
            }
        }
    }

    package func prefetch(_ keys: KeyList) throws(StorageError) {
        wanted.removeAll(keepingCapacity: true)
        want(keys, leavingPossible: true)
        try fetchMissing()
    }

    package func prefetch(_ lists: [KeyList]) throws(StorageError) {
        wanted.removeAll(keepingCapacity: true)
        for keys in lists { want(keys, leavingPossible: true) }
        try fetchMissing()
    }

    package func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        precondition(!isInBody, "a transaction was used inside the body of its own read")
        guard limit > 0, range.lower.lexicographicallyPrecedes(range.upper) else { return }
        let changed = overlay.changed(in: range)
        isInBody = true
        defer { isInBody = false }
        try scans.withCursor(database, range, order) { (cursor) throws(StorageError) in
            try overlay.merge(cursor, changed, order, limit: limit, body)
        }
    }

    package func read(
        _ key: KeyView, _ body: (UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        precondition(!isInBody, "a transaction was used inside the body of its own read")
        let entry = overlay.entry(of: key.bytes)
        if isUnknown(entry) {
            points.stage(overlay.entries[entry].key)
            try points.fetch()
            overlay.load(entry, points.value(at: 0))
            points.clear()
        }
        isInBody = true
        defer { isInBody = false }
        switch overlay.entries[entry].now {
        case .present(let value): body(value)
        case .absent: body(nil)
        case .unknown: preconditionFailure("a key was not read")
        }
    }

    package func set(_ key: KeyView, to value: UnsafeRawBufferPointer) {
        precondition(!isInBody, "a transaction was used inside the body of its own read")
        overlay.change(overlay.entry(of: key.bytes), to: value)
    }

    package func remove(_ key: KeyView) {
        precondition(!isInBody, "a transaction was used inside the body of its own read")
        overlay.change(overlay.entry(of: key.bytes), to: nil)
    }

    package func set(_ key: Key, to value: [UInt8]) {
        precondition(!isInBody, "a transaction was used inside the body of its own read")
        let entry = key.bytes.withUnsafeBytes { overlay.entry(of: $0) }
        value.withUnsafeBytes { overlay.change(entry, to: $0) }
    }

    package func remove(_ key: Key) {
        precondition(!isInBody, "a transaction was used inside the body of its own read")
        let entry = key.bytes.withUnsafeBytes { overlay.entry(of: $0) }
        overlay.change(entry, to: nil)
    }

    package func savepoint() -> Savepoint {
        Savepoint(changes: overlay.changeCount)
    }

    package func endWrites(_ count: Int) {
        if overlay.changeCount > counted { writes += count }
        counted = overlay.changeCount
    }

    package func rollback(to savepoint: Savepoint) {
        overlay.undo(to: savepoint.changes)
    }

    package func checkInvariants() {
        overlay.checkInvariants()
    }

    /// Makes the entries of `keys`, in `wanted`, and reads those that are not known yet.
    private func find(_ keys: KeyList) throws(StorageError) {
        wanted.removeAll(keepingCapacity: true)
        want(keys)
        try fetchMissing()
    }

    /// Adds the entries of `keys` to `wanted`, and those that are not known to `missing`.
    private func want(_ keys: KeyList, leavingPossible: Bool = false) {
        precondition(!isInBody, "a transaction was used inside the body of its own read")
        keys.bytes.withUnsafeBytes { bytes in
            for index in 0..<keys.count {
                if leavingPossible, keys.isPossible(at: index) { continue }
                let key = UnsafeRawBufferPointer(rebasing: bytes[keys.range(at: index)])
                let entry = overlay.entry(of: key)
                wanted.append(entry)
                if isUnknown(entry) { missing.append(entry) }
            }
        }
    }

    /// Whether the database must be asked for the row of an entry.
    private func isUnknown(_ index: Int) -> Bool {
        let entry = overlay.entries[index]
        guard case .unknown = entry.now else { return false }
        guard let value = recent.value(of: entry.key, entry.hash) else { return true }
        overlay.load(index, value)
        return false
    }

    /// Reads the entries in `missing` at once.
    private func fetchMissing() throws(StorageError) {
        defer { missing.removeAll(keepingCapacity: true) }
        var first = 0
        while first < missing.count {
            let end = min(first + Limits.keysPerRead, missing.count)
            for entry in missing[first..<end] { points.stage(overlay.entries[entry].key) }
            try points.fetch()
            for index in first..<end {
                overlay.load(missing[index], points.value(at: index - first))
            }
            points.clear()
            first = end
        }
    }
}
