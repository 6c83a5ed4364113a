import Storage
import Synchronization
import Testing

@testable import RelationService

/// A store that has no rows, and a fault when a test says so.
private final class FaultyStore: Store {
    let now = Mutex<StorageError?>(nil)

    var isLocal: Bool { true }

    func fault() -> StorageError? { now.withLock { $0 } }

    func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        throw StorageError(.unavailable, "no rows")
    }

    func snapshot() throws(StorageError) -> any Snapshot {
        throw StorageError(.unavailable, "no rows")
    }

    func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        throw StorageError(.unavailable, "no rows")
    }

    func close() {}
}

@Suite struct StoreWatchTests {
    private let store = FaultyStore()
    private let told = Told()

    private final class Told: Sendable {
        let faults = Mutex<[StorageError]>([])
    }

    @Test func aFaultIsToldOnce() {
        let watch = StoreWatch(store) { [told] fault in told.faults.withLock { $0.append(fault) } }
        watch.look()
        #expect(told.faults.withLock { $0 } == [])
        store.now.withLock { $0 = StorageError(.unavailable, "gone") }
        watch.look()
        watch.look()
        #expect(told.faults.withLock { $0 } == [StorageError(.unavailable, "gone")])
    }

    @Test func aWatchThatHasStoppedTellsNothing() {
        let watch = StoreWatch(store) { [told] fault in told.faults.withLock { $0.append(fault) } }
        watch.start()
        watch.stop()
        store.now.withLock { $0 = StorageError(.unavailable, "gone") }
        watch.look()
        #expect(told.faults.withLock { $0 } == [])
    }
}
