internal import Synchronization

/// The model of a store: the behaviour that every engine must have, in a form that is easy to
/// check.
///
/// All rows stand in one sorted array. A read holds the array as it was when the read began, and
/// Swift keeps that array alive. A write changes a copy, and publishes it at the end. Each write
/// costs a copy of the array, on purpose: no row is ever shared between two states.
package final class MemoryStore: Store {
    private struct State {
        var rows = MemoryRows()
        var isClosed = false
    }

    private let committed: Mutex<State>
    private let writeLock = Mutex(())

    package var isLocal: Bool { true }

    package init() {
        committed = Mutex(State())
    }

    /// A store with the rows of `other`.
    ///
    /// It stands for reopening a folder with an engine that has files.
    package init(rowsOf other: MemoryStore) {
        committed = Mutex(State(rows: other.committed.withLock { $0.rows }))
    }

    package func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try body(MemoryTransaction(currentRows()))
    }

    package func snapshot() throws(StorageError) -> any Snapshot {
        MemorySnapshot(try currentRows())
    }

    package func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        var result: Result?
        try writeLock.withLock { (_) throws(StorageError) in
            let transaction = MemoryTransaction(try currentRows())
            result = try body(transaction)
            let rows = transaction.rows
            committed.withLock { $0.rows = rows }
        }
        // The closure has run to its end, so it set the result or threw.
        guard let result else { preconditionFailure("a write ended without a result") }
        return result
    }

    package func statistics() -> StoreStatistics {
        let rows = committed.withLock { $0.rows }
        var statistics = StoreStatistics()
        statistics.engine = "memory"
        statistics.rows = Int64(rows.all.count)
        statistics.memoryBytes = rows.all.reduce(0) {
            $0 + Int64($1.key.count + $1.value.count)
        }
        return statistics
    }

    package func close() {
        committed.withLock { $0.isClosed = true }
    }

    package func checkInvariants() {
        committed.withLock { $0.rows }.checkInvariants()
    }

    private func currentRows() throws(StorageError) -> MemoryRows {
        let state = committed.withLock { $0 }
        guard !state.isClosed else { throw StorageError(.unavailable, "the store is closed") }
        return state.rows
    }
}
