import Dispatch
import Storage
import StorageSuite
import Synchronization
import Testing

@testable import RelationRuntime

/// A committer beside other servers, which have the locks of some apps.
@Suite struct HeldAppsTests {
    /// One app waits for another server without end, and the writes of all others go on.
    @Test func anAppThatWaitsForItsLockHoldsUpNoOther() async throws {
        let service = try await JobService(hasPeers: true)
        service.store.hold(1)
        let first = await service.submit("first 1 of 1")
        await service.store.waiting.wait()
        let later = [await service.submit("second 1 of 1"), await service.submit("third 1 of 1")]
        for number in 0..<100 {
            let app = 2 + number % 3
            #expect(await service.submit("other\(number) 1 of \(app)").value == "done")
        }
        #expect(service.committer.reading().waitingOperations == 3)
        service.store.release(1)
        for task in [first] + later { #expect(await task.value == "done") }
        #expect(service.committer.reading().waitingOperations == 0)
        let own = service.store.log.lines.filter { ["first", "second", "third"].contains($0) }
        #expect(own == ["first", "second", "third"])
        // The writes that had come meanwhile were committed in one turn at the lock.
        let lines = service.store.log.lines
        let start = try #require(lines.firstIndex(of: "first"))
        #expect(Array(lines[start...]) == ["first", "second", "third", "end"])
        #expect(service.committer.reading().transactions == 101)
        await service.stop()
    }

    /// More apps wait than there are threads for them.
    @Test func appsBeyondTheWorkersTakeTurnsAndHoldUpNoOther() async throws {
        let service = try await JobService(hasPeers: true)
        let held = (1...RuntimeLimits.heldAppWorkers + 2).map { UInt32($0) }
        for app in held { service.store.hold(app) }
        var waiting: [Task<String, Never>] = []
        for app in held { waiting.append(await service.submit("held\(app) 1 of \(app)")) }
        for _ in 0..<RuntimeLimits.heldAppWorkers { await service.store.waiting.wait() }
        for number in 0..<20 {
            #expect(await service.submit("other\(number) 1 of 100").value == "done")
        }
        #expect(service.committer.reading().waitingOperations == held.count)
        for app in held { service.store.release(app) }
        for task in waiting { #expect(await task.value == "done") }
        #expect(service.committer.reading().waitingOperations == 0)
        await service.stop()
    }

    @Test func anAppComesBackToTheOthersWhenItsLockIsFree() async throws {
        let service = try await JobService(hasPeers: true)
        service.store.hold(1)
        let first = await service.submit("a 1 of 1")
        await service.store.waiting.wait()
        service.store.release(1)
        #expect(await first.value == "done")
        let before = service.store.log.lines.count
        let answers = await service.run(["gate 1 of 3", "b 1 of 1", "c 1 of 2"])
        #expect(answers == ["done", "done", "done"])
        #expect(
            Array(service.store.log.lines[before...]) == [
                "begin", "gate", "end", "begin", "b", "c", "end",
            ])
        await service.stop()
    }

    /// A batch of several apps loses the jobs of the held ones alone.
    @Test func theOthersOfABatchAreCommittedWithoutTheHeldOnes() async throws {
        let service = try await JobService(hasPeers: true)
        service.store.hold(2)
        service.store.holdsNext.store(true, ordering: .relaxed)
        let gate = await service.submit("gate 1 of 9")
        await service.store.begun.wait()
        var free: [Task<String, Never>] = []
        var held: [Task<String, Never>] = []
        free.append(await service.submit("a 1 of 1"))
        held.append(await service.submit("b 1 of 2"))
        free.append(await service.submit("c 1 of 3"))
        held.append(await service.submit("d 1 of 2 imports"))
        // It names a row of the held app too, and waits with all of its own app.
        held.append(await service.submit("e 1 of 4 elsewhere"))
        held.append(await service.submit("f 1 of 4"))
        service.store.gate.signal()
        for task in [gate] + free { #expect(await task.value == "done") }
        #expect(
            service.store.log.lines.prefix(7) == [
                "begin", "gate", "end", "begin", "a", "c", "end",
            ])
        #expect(service.committer.reading().waitingOperations == 4)
        service.store.release(2)
        for task in held { #expect(await task.value == "done") }
        await service.stop()
    }

    /// A transaction that had to wait takes more jobs, but none of an app whose lock it lacks.
    @Test func noJobJoinsWithoutTheLockOfItsApp() async throws {
        let service = try await JobService(hasPeers: true)
        service.store.hold(2)
        service.store.isShared.store(true, ordering: .relaxed)
        service.store.holdsNext.store(true, ordering: .relaxed)
        service.store.heldCommit.store(2, ordering: .relaxed)
        var free = [await service.submit("gate 1 of 9")]
        await service.store.begun.wait()
        free.append(await service.submit("a 1 of 1"))
        var held = [await service.submit("b 1 of 2")]
        service.store.gate.signal()
        await service.store.begun.wait()
        held.append(await service.submit("c 1 of 2"))
        free.append(await service.submit("d 1 of 1"))
        service.store.gate.signal()
        for task in free { #expect(await task.value == "done") }
        #expect(service.store.log.lines.filter { $0.count == 1 } == ["a", "d"])
        service.store.release(2)
        for task in held { #expect(await task.value == "done") }
        #expect(service.store.log.lines.filter { ["b", "c"].contains($0) } == ["b", "c"])
        await service.stop()
    }

    @Test func aJobWhoseCallerWaitsNoMoreIsDroppedThere() async throws {
        let service = try await JobService(hasPeers: true)
        service.store.hold(1)
        let first = await service.submit("a 1 of 1")
        await service.store.waiting.wait()
        let late = await service.submit("late 1 of 1 by 5")
        service.store.letPass(10_000, working: false)
        service.store.release(1)
        #expect(await first.value == "done")
        #expect(await late.value == "DEADLINE_EXCEEDED")
        await service.stop()
    }

    /// The room for what waits is one, wherever it waits.
    @Test func whatWaitsForALockTakesOfTheRoomOfAll() async throws {
        let service = try await JobService(hasPeers: true)
        service.store.hold(1)
        var waiting = [await service.submit("a 1 of 1")]
        await service.store.waiting.wait()
        let half = RuntimeLimits.waitingOperations / 2
        waiting.append(await service.submit("b \(half) of 1"))
        #expect(await service.submit("c 1 of 1").value == "overloaded")
        #expect(await service.submit("d 1 of 2").value == "done")
        service.store.release(1)
        for task in waiting { #expect(await task.value == "done") }
        #expect(await service.submit("e 1 of 1").value == "done")
        await service.stop()
    }

    @Test func aCommitThatFailsThereFailsItsOwnJobs() async throws {
        let service = try await JobService(hasPeers: true)
        service.store.hold(1)
        let first = await service.submit("a 1 of 1")
        await service.store.waiting.wait()
        // The first transaction tried the lock, and the second one is that of the app.
        service.store.failingCommit.store(2, ordering: .relaxed)
        service.store.release(1)
        #expect(await first.value == "diskLow")
        #expect(await service.submit("b 1 of 1").value == "done")
        #expect(service.committer.reading().failed == 1)
        await service.stop()
    }

    // MARK: All locks

    /// A change of apps needs the locks of all apps, and another server has one of them.
    @Test(arguments: ["0", "4 registry"])
    func aJobThatNeedsAllLocksHoldsUpNoOther(_ owner: String) async throws {
        let service = try await JobService(hasPeers: true)
        service.store.hold(1)
        let change = [await service.submit("first 1 of \(owner)")]
        await service.store.waiting.wait()
        let later = [await service.submit("second 1 of \(owner)")]
        try await service.goesOn()
        #expect(service.committer.reading().waitingOperations == 2)
        service.store.release(1)
        for task in change + later { #expect(await task.value == "done") }
        let own = service.store.log.lines.filter { ["first", "second"].contains($0) }
        #expect(own == ["first", "second"])
        await service.stop()
    }

    /// Work that no caller waits for needs them too; one piece of it is under way at a time.
    @Test func workInTheBackgroundHoldsUpNoOther() async throws {
        let service = try await JobService(hasPeers: true)
        service.store.hold(1)
        let pieces = (0..<3).map { _ in BackgroundRow() }
        for piece in pieces { service.committer.submit(background: piece) }
        await service.store.waiting.wait()
        try await service.goesOn()
        #expect(service.committer.reading().background == 0)
        service.store.release(1)
        for piece in pieces { await piece.done.wait() }
        #expect(service.committer.reading().background == 3)
        await service.stop()
    }

    /// Changes of two apps write one row of the registry, whose lock another server has.
    @Test func aChangeThatWaitsForTheRegistryHoldsUpNoRules() async throws {
        let service = try await JobService(hasPeers: true)
        service.store.hold(5)
        let change = await service.submit("change 1 of 5 revokes")
        await service.store.waiting.wait()
        service.store.hold(0)
        service.store.release(5)
        await service.store.waiting.wait()
        try await service.goesOn()
        service.store.release(0)
        #expect(await change.value == "done")
        await service.stop()
    }

    /// The answer to a change waits for the other servers, and only that answer does.
    @Test func aChangeThatOthersHaveNotReadHoldsUpNoOther() async throws {
        let service = try await JobService(hasPeers: true)
        let (begun, gate) = (Turnstile(), DispatchSemaphore(value: 0))
        let log = service.store.log
        service.peers?.settling.withLock { settling in
            settling = { _ in
                begun.signal()
                gate.wait()
                log.add("settled")
            }
        }
        let change = await service.submit("change 1 of 5 revokes")
        let answer = Task {
            let answer = await change.value
            log.add("answered")
            return answer
        }
        await begun.wait()
        try await service.goesOn()
        gate.signal()
        #expect(await answer.value == "done")
        #expect(log.lines.filter { $0.hasSuffix("ed") } == ["settled", "answered"])
        await service.stop()
    }

    /// A caller that had no answer asks again: another server may not have read the change yet,
    /// nor this one, if the change was made by another.
    @Test func anAnswerAboutAnEarlierChangeWaitsForAllServersToo() async throws {
        let service = try await JobService(hasPeers: true)
        let log = service.store.log
        service.peers?.settling.withLock { settling in
            settling = { log.add($0 ? "all have settled" : "the others have settled") }
        }
        #expect(await service.submit("again 1 of 5 repeats").value == "done")
        #expect(await service.submit("plain 1 of 5").value == "done")
        #expect(await service.submit("change 1 of 5 revokes").value == "done")
        #expect(
            log.lines.filter { $0.hasSuffix("settled") } == [
                "all have settled", "the others have settled",
            ])
        await service.stop()
    }
}

/// Writes a row that no caller waits for.
private final class BackgroundRow: BackgroundWork {
    let done = Turnstile()

    func run(in transaction: any WriteTransaction) throws(StorageError) {
        transaction.set(TestJob.partition.key("background"), to: Array("done".utf8))
    }

    func finish(_ error: StorageError?) {
        #expect(error == nil)
        done.signal()
    }
}

extension JobService {
    /// Makes calls of other apps, each of which is answered.
    fileprivate func goesOn() async throws {
        for number in 0..<30 {
            #expect(await submit("other\(number) 1 of \(2 + number % 2)").value == "done")
        }
    }
}
