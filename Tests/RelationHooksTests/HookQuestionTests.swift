import RelationAdmission
import RelationModel
import Storage
import Synchronization
import Testing

@testable import RelationCore
@testable import RelationHooks

/// Hooks with questions, as they are stored and delivered.
struct HookQuestionTests {
    private static let id = HookID("aaaaaaaaaaaaaaaa")

    private static func update(
        _ bench: HookBench, _ edit: (inout Hooks.Change) -> Void
    ) throws {
        var change = Hooks.Change()
        edit(&change)
        let changed = change
        try bench.write { (ledger) throws(StorageError) in
            _ = try Hooks.update(id, changed, in: ledger)
        }
    }

    @Test func aHookThatIsOnlyAskedGetsNoEventsUntilItWantsThem() throws {
        let bench = try HookBench()
        try bench.hook { hook in
            hook.asks = [.follow]
            hook.asksOnly = true
        }
        try bench.change("ann")
        let loop = bench.server()
        try bench.run(loop)
        #expect(bench.received.isEmpty)
        try Self.update(bench) { $0.asksOnly = false }
        try bench.change("bob")
        try bench.run(loop)
        #expect(bench.positions == [2])
    }

    /// The answer to a request of before confirms nothing that was sent since.
    @Test func aHookThatGetsEventsAgainKnowsTheRequestsOfBefore() throws {
        let bench = try HookBench()
        let id = try bench.hook { $0.asks = [.follow] }
        let loop = bench.server()
        bench.state.withLock { $0.slowness = { _ in 5_000 } }
        try bench.change("ann")
        try bench.run(loop)
        #expect(bench.positions == [1])
        try Self.update(bench) { $0.asksOnly = true }
        try loop.pass()
        // The new request is under way, and will fail, when the late answer comes.
        bench.state.withLock { $0.slowness = { _ in 20_000 } }
        bench.answers(503)
        try Self.update(bench) { $0.asksOnly = false }
        try bench.change("bob")
        try bench.run(loop, for: 15_000, every: 1_000)
        #expect(try bench.progress(id)?.deliveredMs == 0)
        bench.state.withLock { $0.slowness = { _ in 0 } }
        bench.answers(200)
        bench.forget()
        try bench.run(loop, for: 3_600_000, every: 30_000)
        #expect(bench.positions.contains(2))
        try loop.finish()
        #expect(try bench.progress(id)?.position == 2)
        #expect(try bench.progress(id)?.holder.isEmpty == true)
    }

    @Test func aKindOfCallIsAskedByOneHook() throws {
        let bench = try HookBench()
        try bench.hook { $0.asks = [.follow, .addFriends] }
        var other = HookRecord()
        other.id = "bbbbbbbbbbbbbbbb"
        other.asks = [.updateProfile, .follow]
        let second = other
        let made = try bench.write { (ledger) throws(StorageError) in
            try Hooks.create(second, in: ledger)
        }
        guard case .taken = made else {
            Issue.record("two hooks are asked about one call")
            return
        }
        let isTaken = try bench.write { (ledger) throws(StorageError) in
            [
                try Hooks.isTaken([.follow], besides: HookID("cccccccccccccccc"), in: ledger),
                try Hooks.isTaken([.follow], besides: Self.id, in: ledger),
                try Hooks.isTaken([.addToBlacklist], besides: HookID("c"), in: ledger),
            ]
        }
        #expect(isTaken == [true, false, false])
    }

    @Test func callsSeeTheQuestionsOfHooksThatAreNotPaused() throws {
        let bench = try HookBench()
        try bench.hook { $0.asks = [.follow, .addToBlacklist] }
        let app = try #require(bench.apps[HookBench.app])
        #expect(app.asks(.follow) && app.asks(.addToBlacklist) && !app.asks(.addFriends))
        try Self.update(bench) { $0.isPaused = true }
        #expect(bench.apps[HookBench.app]?.asks(.follow) == false)
    }

    @Test(arguments: [
        ([], false, HookForm.cloudEvents, true), ([], true, .cloudEvents, false),
        ([HookQuestion.follow], true, .cloudEvents, true),
        ([.follow], false, .timCallbacks, false),
        ([.updateFriends], false, .timCallbacks, false),
        ([.addFriends, .respondToApplications], true, .timCallbacks, true),
    ])
    func questionsFitTheHook(
        asks: [HookQuestion], asksOnly: Bool, form: HookForm, isRight: Bool
    ) {
        var hook = HookRecord()
        hook.asks = asks
        hook.asksOnly = asksOnly
        hook.form = form
        #expect(hook.isAskable == isRight)
    }

    @Test func questionsWithoutAnAnswerStandAmongTheFailures() throws {
        let bench = try HookBench()
        try bench.hook { hook in
            hook.asks = [.follow]
            hook.asksOnly = true
        }
        let loop = bench.server()
        for number in 0..<HookLimits.failuresPerWrite + 5 {
            var failure = HookFailureRecord()
            failure.cause = "\(number)"
            loop.note(HookBench.app, Self.id, failure)
        }
        // A hook that is gone keeps none.
        loop.note(HookBench.app, HookID("gone"), HookFailureRecord())
        try loop.pass()
        let progress = try #require(try bench.progress(Self.id))
        #expect(progress.failures == Int64(HookLimits.failuresPerWrite))
    }

    @Test func theFailuresOfManyHooksThatWaitAreBounded() throws {
        let bench = try HookBench()
        let loop = bench.server()
        for number in 0..<HookLimits.notedHooks + 10 {
            loop.note(HookBench.app, HookID("\(number)"), HookFailureRecord())
        }
        #expect(loop.notedHooks == HookLimits.notedHooks)
        for _ in 0..<10 {
            try loop.pass()
            bench.later(HookLimits.storeMilliseconds)
        }
        #expect(loop.notedHooks == 0)
    }
}
