import Storage
import StorageSuite
import Testing

@testable import StorageRocks

/// The numbers that the engine tells of itself to an operator.
@Suite struct GaugeTests {
    private let ann = Partition("ann")
    private let folder = TemporaryFolder()

    @Test func rowsMoveFromBuffersToFiles() throws {
        let store = try RocksStore(folder: folder.path, .small)
        defer { store.close() }
        try store.put([Row("a", "1"), Row("b", "2")], in: ann)
        let before = store.gauges()
        #expect(before.commits == 1)
        #expect(before.rows == 2)
        #expect(before.writeBufferBytes > 0)
        #expect(before.filesByLevel == [0, 0, 0, 0, 0, 0, 0])
        try store.flush()
        let after = store.gauges()
        #expect(after.filesByLevel.reduce(0, +) == 1)
        #expect(after.diskBytes > 0)
    }

    @Test func theEngineIsNotHeldUpWhileItHasNothingToDo() throws {
        let store = try RocksStore(folder: folder.path, .small)
        defer { store.close() }
        let gauges = store.gauges()
        #expect(!gauges.isStopped)
        #expect(gauges.delayedBytesPerSecond == 0)
        #expect(gauges.stalls.map(\.cause).contains("memtable_compaction"))
        #expect(gauges.stalls.allSatisfy { $0.count == 0 })
    }

    @Test func theRoomOnTheDeviceAndTheReserveAreReported() throws {
        var options = RocksOptions.small
        options.freeBytes = { 12_345 }
        let store = try RocksStore(folder: folder.path, options)
        #expect(store.gauges().freeBytes == 12_345)
        #expect(store.gauges().reserveBytes == options.reserveBytes)
        store.close()
        #expect(store.gauges() == StoreGauges())
    }

    @Test func keptMomentsAreCounted() throws {
        let store = try RocksStore(folder: folder.path, .small)
        defer { store.close() }
        let snapshot = try store.snapshot()
        #expect(store.gauges().snapshots == 1)
        snapshot.close()
        #expect(store.gauges().snapshots == 0)
    }

    @Test func stallsAreReadFromTheLineOfTheReport() {
        let report = """
            Uptime(secs): 1.0 total, 1.0 interval
            Stalls(count): 3 level0_slowdown, 1 stop for pending_compaction_bytes, \
            interval 4 total count
            """
        #expect(
            StallReport.stalls(in: report) == [
                StoreGauges.Stall(cause: "level0_slowdown", count: 3),
                StoreGauges.Stall(cause: "stop_for_pending_compaction_bytes", count: 1),
            ])
        #expect(StallReport.stalls(in: "nothing of the kind").isEmpty)
    }
}
