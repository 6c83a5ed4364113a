import Dispatch
import GRPC
import RPC
import RelationService
import Synchronization
import Testing

@testable import RelationRuntime

/// More writes than there is time or room for: their turns, the refused writes, and the dropped
/// ones.
///
/// The store's gate holds transactions while jobs are submitted, and the committer's clock moves
/// only when a job says so. So no test here depends on time.
@Suite struct OverloadTests {
    private static let room = RuntimeLimits.waitingOperations
    private static let quantum = RuntimeLimits.operationsPerQuantum

    @Test func aWriteOfALightAppWaitsForOneTurnOfAHeavyOne() async throws {
        let service = try await JobService()
        let heavy = (1...7).map { "h\($0) \(Self.quantum)" }
        _ = await service.run(["first 1"] + heavy + ["light 1 of 2"])
        #expect(
            service.store.log.lines == [
                "begin", "first", "end", "begin", "h1", "light", "h2", "h3", "end", "begin", "h4",
                "h5", "h6", "h7", "end",
            ])
        await service.stop()
    }

    @Test func anImportTakesTurnsWithTheCallsOfItsApp() async throws {
        let service = try await JobService()
        let rows = RuntimeLimits.importRowsPerCommit
        _ = await service.run([
            "first 1", "i1 \(rows) imports", "i2 \(rows) imports", "a \(Self.quantum)",
            "b \(Self.quantum)",
        ])
        #expect(
            service.store.log.lines == [
                "begin", "first", "end", "begin", "a", "b", "end", "begin", "i1", "end", "begin",
                "i2", "end",
            ])
        await service.stop()
    }

    @Test func whatATransactionHadNoTimeForWaitsBehindTheTurnsOfOthers() async throws {
        let service = try await JobService()
        let most = RuntimeLimits.nanosecondsPerCommit / 1_000
        let heavy = (1...4).map { "h\($0) \(Self.quantum) takes \(most)" }
        _ = await service.run(["first 1"] + heavy, holding: 3, ["light 1 of 2", "h5 1"])
        #expect(
            service.store.log.lines == [
                "begin", "first", "end", "begin", "h1", "end", "begin", "h2", "end", "begin",
                "light", "h3", "end", "begin", "h4", "end", "begin", "h5", "end",
            ])
        await service.stop()
    }

    @Test func anAppThatFillsItsRoomLeavesSomeForOthers() async throws {
        let service = try await JobService()
        let answers = await service.run([
            "first 1", "a \(Self.room / 2)", "b 1", "c 1 of 2", "d \(Self.room / 4) of 2",
            "e 1 of 2", "f 1 of 3", "g 1 of 1",
        ])
        #expect(
            answers == [
                "done", "done", "overloaded", "done", "done", "overloaded", "done", "overloaded",
            ])
        await service.stop()
    }

    /// Jobs of which each fills a transaction; the first is held.
    private static func rush(_ count: Int, micros: Int) -> [String] {
        let cost = RuntimeLimits.operationsPerCommit
        return ["first 1"] + (1...count).map { "r\($0) \(cost) takes \(micros)" }
    }

    /// The number of transactions of a rush after which its pace is known, with the held one.
    private static let knowing = RuntimeLimits.commitsOfEvidence + 1

    @Test func aWriteThatWouldBeLateIsRefusedThoughThereIsRoom() async throws {
        let service = try await JobService()
        // Each takes a millisecond: three wait and one is under way when the others come, at 4 ms.
        let rush = Self.rush(Self.knowing + 3, micros: 1_000)
        let now = 1_000 * RuntimeLimits.commitsOfEvidence
        // Four transactions before it and its own may take three quarters of its time.
        let answers = await service.run(
            rush, holding: Self.knowing + 1,
            ["late 64 by \(now + 6_600)", "inTime 64 by \(now + 6_700)", "patient 1"])
        #expect(answers.suffix(3) == ["overloaded", "done", "done"])
        #expect(!service.store.log.preparedJobs.contains("late"))
        // Later a call is answered whatever its deadline is.
        #expect(await service.run(["later 1 by 1000000"]) == ["done"])
        await service.stop()
    }

    @Test func aWriteOfALightAppIsNotRefusedForTheQueueOfAHeavyOne() async throws {
        let service = try await JobService()
        let rush = Self.rush(Self.knowing + 3, micros: 1_000)
        let deadline = 1_000 * RuntimeLimits.commitsOfEvidence + 3_000
        let answers = await service.run(
            rush, holding: Self.knowing + 1,
            ["heavy 1 by \(deadline)", "light 1 of 2 by \(deadline)"])
        #expect(answers.suffix(2) == ["overloaded", "done"])
        await service.stop()
    }

    @Test func noCallIsRefusedBeforeThePaceIsKnown() async throws {
        let service = try await JobService()
        let rush = Self.rush(Self.knowing + 3, micros: 1_000)
        let now = 1_000 * (RuntimeLimits.commitsOfEvidence - 1)
        // The job is taken, and dropped when its turn comes.
        let answers = await service.run(
            rush, holding: Self.knowing, ["late 1 by \(now + 1_500)"])
        #expect(answers.last == "\(Status.Code.deadlineExceeded)")
        await service.stop()
    }

    @Test func anEarlierRushRefusesNoCall() async throws {
        let service = try await JobService()
        let rush = Self.rush(Self.knowing + 3, micros: 1_000)
        _ = await service.run(rush)
        let now = 1_000 * (Self.knowing + 3)
        let answers = await service.run(Self.rush(1, micros: 0) + ["soon 1 by \(now + 1)"])
        #expect(answers == ["done", "done", "done"])
        await service.stop()
    }

    @Test func aWriteWhoseDeadlinePassedIsLeftOutBeforeItsKeysAreRead() async throws {
        let service = try await JobService()
        let answers = await service.run([
            "first 1", "a 64 takes 100", "late 1 by 100", "b 1 by 101",
        ])
        #expect(answers == ["done", "done", "\(Status.Code.deadlineExceeded)", "done"])
        #expect(try service.keys() == ["a", "b", "first"])
        #expect(Set(service.store.log.preparedJobs) == ["a", "b", "first"])
        await service.stop()
    }

    @Test func aWriteThatItsCallerResetIsLeftOut() async throws {
        let service = try await JobService()
        service.store.holdsNext.store(true, ordering: .relaxed)
        let first = await service.submit("first 1")
        await service.store.begun.wait()
        let reset = await service.submit("reset 1")
        reset.cancel()
        _ = await reset.value
        // This call comes behind the reset on the same connection, so the reset has arrived.
        let after = await service.submit("after 1")
        service.store.gate.signal()
        #expect(await [first.value, after.value] == ["done", "done"])
        #expect(try service.keys() == ["after", "first"])
        #expect(Set(service.store.log.preparedJobs) == ["after", "first"])
        await service.stop()
    }
}
