import RelationAdmission
import RelationModel
import Storage
import Synchronization
import Testing
import Webhooks

@testable import RelationCore
@testable import RelationHooks

/// When events are given up, and when their hook stops instead.
struct HookGivingUpTests {
    private static let day: Int64 = 86_400_000

    /// The receiver refuses the event at position 1, and takes all others.
    private static func refusing(_ bench: HookBench, _ status: Int) {
        bench.answers { name in
            HookResult(WebhookAnswer(status: name.hasSuffix("-1") ? status : 200))
        }
    }

    @Test(arguments: [400, 500])
    func aRestartGivesAnEventNoNewDays(status: Int) throws {
        let bench = try HookBench()
        let id = try bench.hook()
        try bench.change("bad")
        Self.refusing(bench, status)
        let givenUp = try (0..<6).map { number in
            let loop = bench.server(number)
            try bench.change("ann")
            try bench.run(loop, number, for: Self.day, every: 300_000)
            try loop.finish()
            return loop.counts.givenUp
        }
        #expect(givenUp == [0, 0, 0, 0, 1, 0])
        #expect(try bench.progress(id)?.position == 7)
        #expect(try bench.progress(id)?.failing == [])
    }

    /// The server was away, or the hook goes back: the events are older than they may fail.
    @Test func anOldEventHasItsDaysToo() throws {
        let bench = try HookBench()
        try bench.hook()
        try bench.change("bad", "ann")
        Self.refusing(bench, 400)
        bench.later(10 * Self.day)
        let loop = bench.server()
        try bench.run(loop, for: 3 * Self.day, every: 600_000)
        #expect(loop.counts.givenUp == 0)
        try bench.run(loop, for: 2 * Self.day, every: 600_000)
        #expect(loop.counts.givenUp == 1)
    }

    @Test func aPauseByHandIsNoTimeInWhichEventsFail() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        try bench.change("bad", "ann")
        Self.refusing(bench, 400)
        let loop = bench.server()
        try bench.run(loop, for: Self.day, every: 600_000)
        #expect(try bench.progress(id)?.failing.count == 2)
        for isPaused in [true, false] {
            try bench.write { (ledger) throws(StorageError) in
                var change = Hooks.Change()
                change.isPaused = isPaused
                _ = try Hooks.update(id, change, in: ledger)
            }
            try bench.run(loop)
            if isPaused { bench.later(10 * Self.day) }
        }
        try bench.run(loop, for: 3 * Self.day, every: 600_000)
        #expect(loop.counts.givenUp == 0)
    }

    /// How a server makes no attempt for long.
    enum Absence: CaseIterable {
        /// Its process or its machine is stopped, and goes on.
        case asleep
        /// It is killed, and another one begins later.
        case killed
        /// It ends, and another one begins later.
        case ended

        /// The server that tries from then on, with its number.
        func spend(
            _ milliseconds: Int64, _ loop: HookLoop, _ bench: HookBench
        ) throws -> (HookLoop, Int) {
            if self == .ended { try loop.finish() }
            bench.later(milliseconds)
            return self == .asleep ? (loop, 0) : (bench.server(1), 1)
        }
    }

    /// The site is switched off for a holiday, the receiver first, and the server is back before
    /// it.
    @Test(arguments: Absence.allCases)
    func theTimeInWhichNothingIsTriedStopsNoHook(absence: Absence) throws {
        let bench = try HookBench()
        let id = try bench.hook()
        try bench.change("ann")
        bench.answers(503)
        let first = bench.server()
        try bench.run(first, for: 3_600_000, every: 60_000)
        let (loop, number) = try absence.spend(10 * Self.day, first, bench)
        try bench.run(loop, number, for: 2 * Self.day, every: 60_000)
        #expect(loop.counts.stopped == 0)
        #expect(try #require(try bench.progress(id)).failingSinceMs > 0)
        try bench.run(loop, number, for: Self.day, every: 60_000)
        #expect(loop.counts.stopped == 1)
    }

    @Test(arguments: Absence.allCases)
    func theTimeInWhichNothingIsTriedGivesUpNoEvent(absence: Absence) throws {
        let bench = try HookBench()
        try bench.hook()
        try bench.change("bad", "ann")
        Self.refusing(bench, 400)
        let first = bench.server()
        try bench.run(first, for: Self.day, every: 300_000)
        let (loop, number) = try absence.spend(10 * Self.day, first, bench)
        try bench.change("ann")
        try bench.run(loop, number, for: 2 * Self.day, every: 300_000)
        #expect(loop.counts.givenUp == 0)
        try bench.run(loop, number, for: 2 * Self.day, every: 300_000)
        #expect(loop.counts.givenUp == 1)
    }

    @Test func aReceiverThatRefusesOneUserIsWellAndItsHookGoesOn() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        try bench.change("bad")
        bench.answers(400)
        let loop = bench.server()
        try bench.run(loop, for: 80 * 3_600_000, every: 300_000)
        let progress = try #require(try bench.progress(id))
        #expect((progress.stoppedMs, progress.failingSinceMs) == (0, 0))
        #expect(loop.counts.failing == 0)
        try bench.run(loop, for: Self.day, every: 300_000)
        #expect(loop.counts.givenUp == 1)
        #expect(try bench.progress(id)?.position == 1)
    }

    @Test func aReceiverThatRefusesManyUsersFailsAndItsHookStops() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        for number in 1..<HookLimits.rejectedUsers { try bench.change("user\(number)") }
        bench.answers(422)
        let loop = bench.server()
        try bench.run(loop, for: 600_000, every: 10_000)
        #expect(loop.counts.failing == 0)
        try bench.change("one more")
        try bench.run(loop, for: 80 * 3_600_000, every: 300_000)
        let progress = try #require(try bench.progress(id))
        #expect(progress.stoppedMs > 0)
        #expect((progress.position, loop.counts.givenUp) == (0, 0))
    }

    private static func move(_ id: HookID, _ bench: HookBench) throws {
        try bench.write { (ledger) throws(StorageError) in
            var change = Hooks.Change()
            change.url = "https://moved.example/"
            _ = try Hooks.update(id, change, in: ledger)
        }
    }

    /// The events of one user fail, and wait an hour for their next attempt.
    @Test func aHookWithAnotherURLIsTriedAtOnceAndHasItsDays() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        try bench.change("bad", "ann")
        Self.refusing(bench, 400)
        let loop = bench.server()
        try bench.run(loop, for: 3 * Self.day, every: 60_000)
        #expect(try bench.progress(id)?.failing.isEmpty == false)
        try Self.move(id, bench)
        bench.forget()
        try bench.run(loop)
        #expect(bench.positions == [1])
        try bench.run(loop, for: 3 * Self.day, every: 60_000)
        #expect(loop.counts.givenUp == 0)
        bench.answers(200)
        try bench.run(loop, for: Self.day, every: 60_000)
        #expect(try bench.progress(id)?.position == 2)
    }

    @Test func theThreeDaysBeginAnewWithAnotherURL() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        try bench.change("ann")
        bench.answers(503)
        let loop = bench.server()
        try bench.run(loop, for: 2 * Self.day, every: 60_000)
        try Self.move(id, bench)
        #expect(try bench.progress(id)?.failingSinceMs == 0)
        try bench.run(loop, for: 2 * Self.day, every: 60_000)
        #expect(loop.counts.stopped == 0)
        try bench.run(loop, for: Self.day + 3_600_000, every: 60_000)
        #expect(loop.counts.stopped == 1)
    }

    /// Its answer was on the way when the owner named another one.
    @Test func aFormerReceiverEndsNoHook() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        try bench.change("ann")
        bench.answers(410)
        bench.state.withLock { $0.slowness = { _ in 5_000 } }
        let loop = bench.server()
        try bench.run(loop)
        try Self.move(id, bench)
        bench.answers(200)
        bench.state.withLock { $0.slowness = { _ in 0 } }
        try bench.run(loop)
        bench.later(5_000)
        try bench.run(loop, for: 5_000, every: 500)
        #expect(loop.counts.stopped == 0)
        #expect(bench.positions == [1, 1])
        #expect(try bench.progress(id)?.position == 1)
    }

    /// The receiver is away, and the owner pauses the hook and lets it go on: that is at once.
    @Test func aHookThatGoesOnByHandIsTakenAtOnce() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        for number in 0..<20 { try bench.change("user\(number)") }
        bench.answers(503)
        let loop = bench.server()
        try bench.run(loop, for: 60_000, every: 500)
        for isPaused in [true, false] {
            bench.forget()
            try bench.write { (ledger) throws(StorageError) in
                var change = Hooks.Change()
                change.isPaused = isPaused
                _ = try Hooks.update(id, change, in: ledger)
            }
            bench.answers(200)
            try bench.run(loop)
        }
        #expect(bench.positions.sorted() == Array(1...20))
    }

    @Test func aReplayFromAFailureBeginsWithItsFirstEvent() throws {
        let bench = try HookBench()
        let id = try bench.hook { $0.batchSize = 10 }
        try bench.change("ann", "bad", "bob", "bad")
        let loop = bench.server()
        try bench.run(loop)
        try bench.change("cid", "bad", "cid")
        bench.answers(500)
        try bench.run(loop)
        bench.later(HookLimits.storeMilliseconds)
        bench.answers(200)
        try bench.run(loop, for: 60_000, every: 1_000)
        #expect(try bench.progress(id)?.position == 7)
        let app = try #require(bench.apps[HookBench.app])
        let row = try #require(try bench.progress(id))
        let failures = try bench.store.read(reaching: .disk) {
            (transaction) throws(StorageError) in
            try Hooks.failures(of: id, row, app, in: transaction)
        }
        let failure = try #require(failures.last).record
        #expect((failure.afterPosition, failure.historyID) == (4, app.history.id))
        bench.forget()
        try bench.write { (ledger) throws(StorageError) in
            _ = try Hooks.replay(id, from: .position(failure.afterPosition), in: ledger)
        }
        try bench.run(loop)
        // Events of one user keep their order; those of two have none.
        #expect(bench.places.filter { $0 != 6 } == [5, 7] && bench.places.contains(6))
        #expect(bench.places.count == 3)
    }

    /// The alert goes on while a hook stands still, on each server, until its owner does something.
    @Test(arguments: [410, 500])
    func aHookThatWasStoppedIsReportedUntilItGoesOnOrIsPaused(status: Int) throws {
        let bench = try HookBench()
        let id = try bench.hook()
        try bench.change("ann")
        bench.answers(status)
        let loop = bench.server()
        try bench.run(loop, for: 80 * 3_600_000, every: 600_000)
        #expect((loop.counts.failing, loop.counts.stoppedNow) == (0, 1))
        let second = bench.server(1)
        try bench.run(second, 1)
        #expect(second.counts.stoppedNow == 1)
        bench.answers(200)
        for (isPaused, stopped) in [(true, 0), (false, 0)] {
            try bench.write { (ledger) throws(StorageError) in
                var change = Hooks.Change()
                change.isPaused = isPaused
                _ = try Hooks.update(id, change, in: ledger)
            }
            try bench.run(second, 1)
            #expect(second.counts.stoppedNow == stopped)
        }
        #expect(try bench.progress(id)?.stoppedMs == 0)
    }

    @Test func noMoreFirstFailuresAreStoredThanMayBe() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        for number in 0...HookLimits.failingUsers { try bench.change("user\(number)") }
        bench.answers(503)
        try bench.run(bench.server(), for: 3_600_000 * 12, every: 60_000)
        let failing = try #require(try bench.progress(id)).failing
        #expect(failing.count == 2 * HookLimits.failingUsers)
    }
}
