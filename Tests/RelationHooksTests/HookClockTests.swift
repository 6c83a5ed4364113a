import RelationModel
import Storage
import Testing
import Webhooks

@testable import RelationCore
@testable import RelationHooks

/// A wall clock that is set, under the delivery of hooks and their questions.
struct HookClockTests {
    private static let hour: Int64 = 3_600_000
    private static let year = 365 * 24 * hour

    /// Pauses, stores and times after a failure go on as if nothing had happened.
    @Test(arguments: [-24 * hour, -10 * year, 5 * 24 * hour, 10 * year])
    func aClockThatIsSetDelaysAndStopsNothing(shift: Int64) throws {
        let bench = try HookBench()
        let id = try bench.hook()
        try bench.change("ann", "bob")
        bench.answers(503)
        let loop = bench.server()
        try bench.run(loop, for: 60_000, every: 500)
        bench.setClock(by: shift)
        // The receiver stays away for a while.
        try bench.run(loop, for: 60_000, every: 500)
        #expect(loop.counts.stopped == 0)
        bench.answers(200)
        bench.forget()
        try bench.run(loop, for: 70_000, every: 500)
        #expect(bench.positions.sorted() == [1, 2])
        #expect(try bench.progress(id)?.position == 2)
        try bench.change("ann")
        try bench.run(loop, for: 3_000, every: 500)
        #expect(bench.positions.last == 3)
        #expect(try bench.progress(id)?.position == 3)
        #expect(try bench.progress(id)?.deliveredMs == bench.wallMs - 3_000)
        #expect(loop.counts.givenUp == 0)
    }

    @Test func aHookThatWasGivenBackIsTakenAgainThoughTheClockGoesBack() throws {
        let bench = try HookBench()
        try bench.hook()
        let loops = [1, 2].map { bench.server($0, sharesStore: true) }
        try bench.change("ann")
        try bench.run(loops[0], 1)
        try bench.run(loops[1], 2)
        bench.setClock(by: -24 * Self.hour)
        try loops[0].finish()
        try bench.change("ann")
        bench.later(HookLimits.retakeMilliseconds)
        try bench.run(loops[1], 2)
        #expect(bench.positions == [1, 2])
    }

    /// The clock of the server that is gone was ahead by years.
    @Test func aLeaseOfTheFutureEndsWhenItIsNotRenewed() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        bench.setClock(by: 10 * Self.year)
        let first = bench.server(1, sharesStore: true)
        try bench.change("ann")
        try bench.run(first, 1)
        bench.setClock(by: -10 * Self.year)
        let second = bench.server(2, sharesStore: true)
        // As long as the first server renews it, the second one has nothing.
        for _ in 0..<20 {
            bench.later(5_000)
            bench.setClock(by: 10 * Self.year)
            try bench.run(first, 1)
            bench.setClock(by: -10 * Self.year)
            try bench.run(second, 2)
        }
        #expect(try bench.progress(id)?.holder == "server 1")
        try bench.change("ann")
        let most = HookLimits.leaseMilliseconds + 3 * HookLimits.retakeMilliseconds
        try bench.run(second, 2, for: most, every: 5_000)
        #expect(bench.positions == [1, 2])
        #expect(try bench.progress(id)?.holder == "server 2")
    }

    /// Times that were stored by a clock that was ahead count from now on.
    @Test func storedTimesOfTheFutureAreNow() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        try bench.change("bad", "ann")
        bench.setClock(by: 10 * Self.year)
        bench.answers { name in
            HookResult(WebhookAnswer(status: name.hasSuffix("-1") ? 400 : 200))
        }
        try bench.run(bench.server(), for: Self.hour, every: 60_000)
        bench.setClock(by: -10 * Self.year)
        var loop = bench.server(1)
        try bench.run(loop, 1, for: 98 * Self.hour, every: 600_000)
        #expect(loop.counts.givenUp == 1)
        // The time after which the hook stops holds likewise.
        bench.setClock(by: 10 * Self.year)
        bench.answers(503)
        try bench.change("ann")
        try bench.run(loop, 1, for: Self.hour, every: 60_000)
        bench.setClock(by: -10 * Self.year)
        loop = bench.server(2)
        try bench.run(loop, 2, for: 74 * Self.hour, every: 600_000)
        #expect(loop.counts.stopped == 1)
        #expect(try bench.progress(id)?.stoppedMs != 0)
    }

    @Test func aPauseOfQuestionsEndsThoughTheClockGoesBack() throws {
        let line = try QuestionLine()
        let ask = HookAsk(.follow, by: "ann", [HookAsk.Item("bob")])
        for _ in 0..<HookLimits.silencesBeforePause {
            line.decide(ask)
            line.answer(.silence(cause: "the line is dead", status: 0))
        }
        line.setClock(by: -24 * Self.hour)
        line.decide(ask)
        #expect(line.asked == HookLimits.silencesBeforePause)
        line.later(HookLimits.firstPauseMilliseconds)
        line.decide(ask)
        #expect(line.asked == HookLimits.silencesBeforePause + 1)
    }
}
