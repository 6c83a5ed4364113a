import StoragePostgres
import StorageRocks
import Synchronization
import Testing

@testable import RelationRuntime

/// The number of operations that a transaction takes where commits wait long.
@Suite struct CommitRoomTests {
    private static let usual = RuntimeLimits.operationsPerCommit
    private static let most = RuntimeLimits.operationsPerSlowCommit
    private static let short = RuntimeLimits.operationsPerQuantum
    private static let each = RuntimeLimits.commitNanosecondsPerOperation

    /// Waits for that many operations, and the room that they make.
    @Test(
        arguments: [
            (0, usual), (usual, usual), (usual + 1, usual + 1), (most - 1, most - 1), (most, most),
            (most + 1, most), (Int.max >> 20, most),
        ] as [(Int, Int)])
    func aLongerWaitMakesRoomForMore(_ waits: Int, _ operations: Int) {
        var room = CommitRoom()
        room.committed(waiting: UInt64(waits) * Self.each)
        #expect(room.operations == operations)
        room.committed(waiting: UInt64(waits) * Self.each + Self.each - 1)
        #expect(room.operations == operations)
        room.committed(waiting: 1)
        #expect(room.operations == Self.usual)
    }

    @Test(
        arguments: [
            (0, usual, usual), (usual - 4, usual, 4), (usual, usual, 0), (10, 20, 10),
            (0, most, usual), (usual - 4, most, short), (usual, most, short), (most - 1, most, 1),
            (most, most, 0),
        ] as [(Int, Int, Int)])
    func onlyShortJobsAreAddedBeyondTheUsualNumber(_ cost: Int, _ most: Int, _ left: Int) {
        #expect(CommitRoom.left(beside: cost, of: most) == left)
    }

    @Test func aTransactionOfMoreOperationsMayWorkForLonger() {
        #expect(CommitRoom.scaled(3_000, to: Self.usual) == 3_000)
        #expect(CommitRoom.scaled(3_000, to: 10) == 3_000)
        #expect(CommitRoom.scaled(3_000, to: 10 * Self.usual) == 30_000)
    }

    @Test func transactionsGrowWhereEachCommitWaitsLong() async throws {
        let service = try await JobService(hasPeers: true)
        service.store.commitNanoseconds.store(UInt64(Self.most) * Self.each, ordering: .relaxed)
        _ = await service.run(["first 1"] + (0..<375).map { "j\($0) 1" })
        #expect(Self.sizes(service) == [1, 64, 81, 102, 128])
        // They become small again at once when commits are quick.
        service.store.commitNanoseconds.store(0, ordering: .relaxed)
        _ = await service.run(["second 1"] + (0..<160).map { "k\($0) 1" })
        #expect(Self.sizes(service).suffix(4) == [1, 64, 64, 32])
        await service.stop()
    }

    @Test func theyGrowAsFarAsTheWaitIsLong() async throws {
        let service = try await JobService(hasPeers: true)
        service.store.commitNanoseconds.store(70 * Self.each, ordering: .relaxed)
        _ = await service.run(["first 1"] + (0..<204).map { "j\($0) 1" })
        #expect(Self.sizes(service) == [1, 64, 70, 70])
        await service.stop()
    }

    @Test func aLongJobIsNotAddedToALargeTransaction() async throws {
        let service = try await JobService(hasPeers: true)
        service.store.commitNanoseconds.store(UInt64(Self.most) * Self.each, ordering: .relaxed)
        _ = await service.run(
            ["first 1"] + (0..<64).map { "a\($0) 1" }
                + ["b 64", "c \(Self.short)", "d \(Self.short + 1)"])
        #expect(Self.sizes(service) == [1, 64, 2, 1])
        await service.stop()
    }

    @Test func aLargeTransactionTakesNoMoreBytesThanAUsualOne() async throws {
        let service = try await JobService(hasPeers: true)
        service.store.commitNanoseconds.store(UInt64(Self.most) * Self.each, ordering: .relaxed)
        let half = RuntimeLimits.bytesPerCommit / 2
        _ = await service.run([
            "first 1", "a 1 writes \(half)", "b 1 writes \(half)", "c 1 writes \(half)", "d 1",
        ])
        #expect(Self.sizes(service) == [1, 2, 2])
        await service.stop()
    }

    /// A transaction may end far above its bound, by the last job that it has taken.
    @Test(arguments: [StorageRocks.Limits.batchBytes, StoragePostgres.Limits.batchBytes])
    func aStoreTakesFourTimesTheBytesAtWhichATransactionEnds(batchBytes: Int) {
        #expect(4 * RuntimeLimits.bytesPerCommit <= batchBytes)
    }

    @Test func aStoreOfItsOwnDeviceTakesTheUsualNumber() async throws {
        let service = try await JobService()
        service.store.commitNanoseconds.store(UInt64(Self.most) * Self.each, ordering: .relaxed)
        _ = await service.run(["first 1"] + (0..<130).map { "j\($0) 1" })
        #expect(Self.sizes(service) == [1, 64, 64, 2])
        await service.stop()
    }

    /// The number of jobs of each transaction.
    private static func sizes(_ service: JobService) -> [Int] {
        service.store.log.lines.split(separator: "begin").map { $0.count - 1 }
    }
}
