internal import Synchronization

/// The model's rows at one read version.
///
/// They never change, because a write changes a copy.
final class MemorySnapshot: Snapshot {
    /// Nil after it is closed.
    private let rows: Mutex<MemoryRows?>

    init(_ rows: MemoryRows) {
        self.rows = Mutex(rows)
    }

    func read<Result>(
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard let rows = rows.withLock({ $0 }) else {
            throw StorageError(.unavailable, "the snapshot is closed")
        }
        return try body(MemoryTransaction(rows))
    }

    func close() {
        rows.withLock { $0 = nil }
    }
}
