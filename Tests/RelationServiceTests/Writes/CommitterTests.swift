import Dispatch
import GRPC
import GRPCClient
import Meters
import RelationService
import Storage
import Synchronization
import Testing

@testable import RelationRuntime

/// The committer behind a real server: the jobs of each transaction, their order, and the jobs that
/// a failure affects.
///
/// The store's gate holds the first transaction until everything else has been submitted. So the
/// jobs of a transaction do not depend on time.
@Suite struct CommitterTests {
    @Test func whatGathersIsCommittedTogetherUpToTheCost() async throws {
        let service = try await JobService()
        let answers = await service.run([
            "first 1", "a 1", "b 31", "c 32", "d 1", "e 64", "f 1", "g 65", "h 63", "i 1", "j 1",
        ])
        #expect(answers == Array(repeating: "done", count: 11))
        #expect(
            service.store.log.lines == [
                "begin", "first", "end", "begin", "a", "b", "c", "end", "begin", "d", "end",
                "begin", "e", "end", "begin", "f", "end", "begin", "g", "end", "begin", "h", "i",
                "end", "begin", "j", "end",
            ])
        await service.stop()
    }

    @Test func jobsOfTheSameAppsComeAlongIfAnotherServerHadTheLocks() async throws {
        let service = try await JobService()
        service.store.isShared.store(true, ordering: .relaxed)
        let answers = await service.run([
            "first 1", "a 1", "b 1 fails", "c 60", "d 1", "e 2", "f 1",
        ])
        #expect(answers.filter { $0 == "done" }.count == 6 && answers[2] == "corrupted")
        #expect(
            service.store.log.lines == [
                "begin", "first", "a", "b", "c", "d", "end", "begin", "e", "f", "end",
            ])
        let reading = service.committer.reading()
        #expect((reading.transactions, reading.operations) == (2, 67))
        #expect(reading.waitingOperations == 0)
        await service.stop()
    }

    @Test func aJobThatNamesAnotherAppWaitsForItsOwnTurnWithThoseBehindIt() async throws {
        let service = try await JobService()
        service.store.isShared.store(true, ordering: .relaxed)
        let answers = await service.run(["first 1", "a 1", "stray 1 elsewhere", "b 1"])
        #expect(answers == Array(repeating: "done", count: 4))
        #expect(
            service.store.log.lines == [
                "begin", "first", "a", "end", "begin", "stray", "b", "end",
            ])
        #expect(service.committer.reading().waitingOperations == 0)
        await service.stop()
    }

    @Test func aJobOfAnotherAppDoesNotComeAlong() async throws {
        let service = try await JobService()
        service.store.isShared.store(true, ordering: .relaxed)
        let answers = await service.run(["first 1", "a 1", "other 1 of 2", "late 1 by 0"])
        #expect(answers == ["done", "done", "done", "DEADLINE_EXCEEDED"])
        #expect(
            service.store.log.lines == [
                "begin", "first", "a", "end", "begin", "other", "end",
            ])
        await service.stop()
    }

    @Test func transactionsAreCountedWithTheirOperationsAndTheirLength() async throws {
        let service = try await JobService()
        _ = await service.run(["first 1", "a 1", "b 31 takes 70", "c 1 fails"])
        let reading = service.committer.reading()
        #expect(reading.transactions == 2)
        #expect(reading.operations == 34)
        #expect(reading.sizes.counts == [1, 0, 0, 0, 0, 0, 1, 0])
        #expect(reading.lengths.count == 2)
        #expect(reading.lengths.sum == 70_000)
        #expect(
            reading.parts.map(\.name) == [
                "turn", "read", "rules", "memory", "sync", "publish",
            ])
        #expect(reading.parts.allSatisfy { $0.nanoseconds > 0 })
        #expect((reading.waitingOperations, reading.refused, reading.failed) == (0, 0, 0))
        #expect(reading.busySince == nil)
        await service.stop()
    }

    @Test func aTransactionThatDoesNotEndCountsAsHung() {
        var reading = CommitReading()
        #expect(reading.hang(at: .max) == nil)
        reading.busySince = 5
        let limit = RuntimeLimits.hungCommitSeconds * 1_000_000_000
        #expect(reading.hang(at: limit + 4) == nil)
        #expect(reading.hang(at: limit + 5) == "a transaction has been under way for 30 seconds")
    }

    @Test func aTransactionUnderWayTellsSinceWhen() async throws {
        let service = try await JobService()
        service.store.letPass(500, working: false)
        service.store.holdsNext.store(true, ordering: .relaxed)
        let first = await service.submit("first 1")
        await service.store.begun.wait()
        let second = await service.submit("second 3")
        let reading = service.committer.reading()
        #expect(reading.busySince == service.store.clock())
        #expect(reading.waitingOperations == 4)
        service.store.gate.signal()
        #expect(await first.value == "done")
        #expect(await second.value == "done")
        await service.stop()
    }

    @Test func aCommitTakesNoMoreJobsOnceItsTimeIsUp() async throws {
        let service = try await JobService()
        let most = RuntimeLimits.nanosecondsPerCommit / 1_000
        let answers = await service.run([
            "first 1", "a 1 takes \(most - 1)", "b 1 takes 1", "c 1", "d 1 takes \(2 * most)",
            "e 1",
        ])
        #expect(answers == Array(repeating: "done", count: 6))
        #expect(
            service.store.log.lines == [
                "begin", "first", "end", "begin", "a", "b", "end", "begin", "c", "d", "end",
                "begin", "e", "end",
            ])
        await service.stop()
    }

    @Test func aCommitThatOthersKeepFromTheProcessorTakesMoreJobsForLongerOnly() async throws {
        let service = try await JobService()
        let work = RuntimeLimits.nanosecondsPerCommit / 1_000
        let longest = RuntimeLimits.longestNanosecondsPerCommit / 1_000
        let answers = await service.run([
            "first 1", "a 1 waits \(work)", "b 1 waits \(longest - work)", "c 1", "d 1",
        ])
        #expect(answers == Array(repeating: "done", count: 5))
        #expect(
            service.store.log.lines == [
                "begin", "first", "end", "begin", "a", "b", "end", "begin", "c", "d", "end",
            ])
        await service.stop()
    }

    @Test func aCommitReadsForAboutAsManyJobsAsTheLastHadTimeFor() async throws {
        let service = try await JobService()
        let half = RuntimeLimits.nanosecondsPerCommit / 1_000 / 2
        let slow = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
        let answers = await service.run(["first 1"] + slow.map { "\($0) 1 takes \(half)" })
        #expect(answers == Array(repeating: "done", count: 11))
        // The first job is alone; then come two of ten, two of two, two of three, two of two, and
        // the last two.
        let prepared = service.store.log.preparedJobs.count
        #expect(prepared == 20)
        await service.stop()
    }

    @Test func aCommitTakesNoMoreJobsOnceItHasWrittenManyBytes() async throws {
        let service = try await JobService()
        let half = RuntimeLimits.bytesPerCommit / 2
        let answers = await service.run([
            "first 1", "a 1 writes \(half)", "b 1 writes \(half)", "c 1",
        ])
        #expect(answers == Array(repeating: "done", count: 4))
        #expect(
            service.store.log.lines == [
                "begin", "first", "end", "begin", "a", "b", "end", "begin", "c", "end",
            ])
        await service.stop()
    }

    @Test func aJobThatFailsTakesOnlyItsOwnChangesBack() async throws {
        let service = try await JobService()
        let answers = await service.run(["first 1", "a 1", "b 1 fails", "c 1", "d 1 fails"])
        #expect(answers == ["done", "done", "corrupted", "done", "corrupted"])
        #expect(try service.keys() == ["a", "c", "first"])
        #expect(
            service.store.log.lines == [
                "begin", "first", "end", "begin", "a", "b", "c", "d", "end",
            ])
        await service.stop()
    }

    @Test func aCommitThatFailsFailsAllOfItsJobsAndNoOthers() async throws {
        let service = try await JobService()
        service.store.failingCommit.store(2, ordering: .relaxed)
        let answers = await service.run(["first 1", "a 32", "b 32", "c 1"])
        #expect(answers == ["done", "diskLow", "diskLow", "done"])
        #expect(try service.keys() == ["c", "first"])
        await service.stop()
    }

    @Test func aCommitOfUnknownOutcomeIsReportedToItsOwnJobsAndTheOthersAreNotTaken() async throws {
        let service = try await JobService()
        service.store.failure.withLock { $0 = StorageError(.outcomeUnknown, "on purpose") }
        service.store.failingCommit.store(2, ordering: .relaxed)
        let most = RuntimeLimits.nanosecondsPerCommit / 1_000
        // The transaction that takes the last two has no time for them.
        let answers = await service.run([
            "first 1", "a 1 fails", "b 1 takes \(most)", "c 1", "d 1",
        ])
        #expect(answers == ["done", "outcomeUnknown", "outcomeUnknown", "stopped", "stopped"])
        #expect(
            service.store.log.lines == ["begin", "first", "end", "begin", "a", "b"])
        await service.stop()
    }

    @Test func tooManyWaitingOperationsAreRefusedAtOnce() async throws {
        let service = try await JobService()
        let most = RuntimeLimits.waitingOperations / 2
        let answers = await service.run(
            ["first 1", "a \(most - 1)", "b 5", "c 1", "d 1"])
        // The last job that is taken may pass the bound by its own cost, and then no more are
        // taken.
        #expect(answers == ["done", "done", "done", "overloaded", "overloaded"])
        #expect(try service.keys() == ["a", "b", "first"])
        // The committer takes jobs again after the queue is empty.
        #expect(await service.run(["later 1"]) == ["done"])
        await service.stop()
    }

    @Test func closingWaitsForWhatWasSubmitted() async throws {
        let service = try await JobService()
        let channel = service.channel
        service.store.holdsNext.store(true, ordering: .relaxed)
        async let answer = channel.unary("/test.Jobs/Run", Array("first 1".utf8))
        await service.submitted.wait()
        service.store.gate.signal()
        service.committer.close()
        #expect(try service.keys() == ["first"])
        _ = try await answer
        await service.stop()
    }
}
