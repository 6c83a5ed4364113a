import RelationAdmission
import RelationCalls
import RelationModel
import RelationRuntime
import Storage
import Synchronization
import Testing
import Webhooks

@testable import RelationChanges
@testable import RelationCore
@testable import RelationHooks

/// Callbacks in TIM's form that a user's log does not have: who called, and logins.
struct HookStateTests {
    private static func step(
        _ user: String, _ cause: PresenceStep.Cause = .reportedOnline, at timeMs: Int64? = 5
    ) -> PresenceStep {
        PresenceStep(
            app: HookBench.app, user: UserID(stored: user.utf8), platform: "ios", cause: cause,
            timeMs: timeMs)
    }

    private static func bodies(_ bench: HookBench) -> [String] {
        bench.state.withLock { $0.requests }.map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// A server that has the hook, and the hook.
    private static func held(
        _ bench: HookBench, _ edit: (inout HookRecord) -> Void = { _ in }
    ) throws -> (HookLoop, HookID) {
        let id = try bench.hook { hook in
            hook.form = .timCallbacks
            edit(&hook)
        }
        let loop = bench.server()
        try bench.run(loop)
        return (loop, id)
    }

    @Test func theFeedTellsWhoCalledAndNoLogDoes() throws {
        let bench = try HookBench()
        let (loop, _) = try Self.held(bench)
        let app = try #require(bench.apps[HookBench.app])
        let ann = UserID(stored: "ann".utf8)
        try bench.store.write(touching: []) { (transaction) throws(StorageError) in
            let origin = Origin(user: ann, administrator: "root")
            let ledger = Ledger(
                app: app, now: Timestamp(milliseconds: bench.wallMs), origin: origin,
                transaction: transaction)
            ledger.isForced = true
            let item = ChangeItemRecord(about: UserID(stored: "bob".utf8))
            try ledger.notify(ann, .addFriend, item)
            try ledger.close()
        }
        try bench.change("cid")
        try bench.run(loop)
        let sent = try #require(Self.bodies(bench).first)
        #expect(sent.contains(#""Admin_Account":"root","ForceFlag":1"#))
        let row = try bench.store.read(reaching: .disk) { (transaction) throws(StorageError) in
            try Tables.changes.record(app.partition(of: ann), 1, in: transaction)
        }
        var plain = try #require(row)
        #expect(plain.actorUserID == "ann")
        plain.actorUserID = ""
        #expect(!"\(plain)".contains("root"))
    }

    @Test func aLoginIsSentOnceWithThePlatformOfItsDevice() throws {
        let bench = try HookBench()
        let (loop, id) = try Self.held(bench)
        bench.answers(500)
        loop.deliver([Self.step("ann")])
        bench.deliverMail(loop)
        try bench.run(loop, for: 120_000, every: 1_000)
        #expect(
            Self.bodies(bench) == [
                #"{"CallbackCommand":"State.StateChange","Info":{"Action":"Login","#
                    + #""To_Account":"ann","Reason":"Register"},"EventTime":5}"#
            ])
        let request = try #require(bench.state.withLock { $0.requests.first })
        let platform = request.query.first { $0.name == "OptPlatform" }
        #expect(platform?.value == "IOS")
        #expect(request.wantsObject && bench.received[0].contains("-state-"))
        // It stands among the failures, and the log goes on.
        try loop.finish()
        #expect(try bench.progress(id)?.failures == 1)
    }

    @Test func eachCauseHasTIMsWords() throws {
        let bench = try HookBench()
        let (loop, _) = try Self.held(bench)
        let causes: [PresenceStep.Cause] = [.reportedOffline, .leaseEnded, .forgotten]
        loop.deliver(causes.map { Self.step("\($0)", $0, at: nil) })
        try bench.run(loop)
        let words = Self.bodies(bench).map { body in
            ["Unregister", "TimeOut", "LinkClose"].filter { body.contains($0) }
        }
        #expect(words == [["Unregister"], ["TimeOut"], ["LinkClose"]])
        #expect(Self.bodies(bench).allSatisfy { $0.contains("\"EventTime\":\(bench.wallMs)") })
    }

    @Test func theStepsOfAUserComeInTheirOrder() throws {
        let bench = try HookBench()
        let (loop, _) = try Self.held(bench)
        bench.state.withLock { $0.slowness = { _ in 1_000 } }
        loop.deliver([Self.step("ann"), Self.step("ann", .reportedOffline), Self.step("bob")])
        // The second one of ann waits for the answer to the first.
        #expect(Self.bodies(bench).map { $0.contains("Login") } == [true, true])
        bench.later(1_000)
        bench.deliverMail(loop)
        #expect(Self.bodies(bench).count == 3 && Self.bodies(bench)[2].contains("Logout"))
        #expect(bench.state.withLock { $0.mostUnderWay } == 2)
    }

    @Test func theOldestOfTooManyThatWaitIsNotReported() throws {
        let bench = try HookBench()
        let (loop, _) = try Self.held(bench)
        bench.state.withLock { $0.slowness = { _ in 1_000 } }
        let parallel = HookLimits.requestsOfHook
        loop.deliver((0..<parallel).map { Self.step("busy\($0)") })
        loop.deliver((0...HookLimits.waitingStates).map { Self.step("u\($0)") })
        #expect(loop.counts.droppedStates == 1)
        #expect(Self.bodies(bench).count == parallel)
        try bench.run(loop, for: 400_000, every: 1_000)
        let sent = Self.bodies(bench)
        #expect(sent.count == parallel + HookLimits.waitingStates)
        #expect(!sent.contains { $0.contains("\"u0\"") })
        #expect(loop.isIdle)
    }

    /// A change by which a hook gets no logins.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let edit: @Sendable (inout HookRecord) -> Void

        init(_ name: String, _ edit: @escaping @Sendable (inout HookRecord) -> Void) {
            (testDescription, self.edit) = (name, edit)
        }
    }

    private static let refusals = [
        Refusal("another form") { $0.form = .cloudEvents },
        Refusal("other kinds") { $0.kinds = [.addFriend] },
        Refusal("users only") { $0.usersOnly = true },
        Refusal("paused") { $0.isPaused = true },
    ]

    @Test(arguments: refusals)
    func aHookThatDoesNotWantLoginsGetsNone(refusal: Refusal) throws {
        let bench = try HookBench()
        let (loop, _) = try Self.held(bench, refusal.edit)
        loop.deliver([Self.step("ann")])
        try bench.run(loop)
        #expect(bench.received.isEmpty)
    }

    @Test func aHookThatIsGivenBackTellsNoMoreLogins() throws {
        let bench = try HookBench()
        let (loop, id) = try Self.held(bench)
        bench.state.withLock { $0.slowness = { _ in 1_000 } }
        loop.deliver([Self.step("ann"), Self.step("ann", .reportedOffline)])
        var change = Hooks.Change()
        change.isPaused = true
        let changed = change
        try bench.write { (ledger) throws(StorageError) in
            _ = try Hooks.update(id, changed, in: ledger)
        }
        try bench.run(loop, for: 5_000, every: 1_000)
        #expect(Self.bodies(bench).count == 1 && loop.counts.droppedStates == 1 && loop.isIdle)
    }

    @Test func aHookThatIsTakenInAMomentIsReportedThen() throws {
        let bench = try HookBench()
        let loop = bench.server()
        try bench.hook { $0.form = .timCallbacks }
        loop.deliver([Self.step("ann")])
        #expect(bench.received.isEmpty)
        try bench.run(loop)
        #expect(Self.bodies(bench).count == 1)
        // Where other servers may have it, the one that has it tells.
        let shared = bench.server(1, sharesStore: true)
        shared.deliver([Self.step("bob")])
        #expect(shared.counts.droppedStates == 0 && Self.bodies(bench).count == 1)
    }

    @Test func stepsThatTheDriverHasNotLookedAtAreBounded() throws {
        let bench = try HookBench()
        try bench.hook { $0.form = .timCallbacks }
        let driver = HookDriver(
            store: bench.store, apps: bench.apps,
            clock: ServiceClock { Timestamp(milliseconds: bench.wallMs) }, holder: "server",
            seed: 1, thread: WorkThread("hooks", isDriven: true), send: { _, _ in })
        #expect(driver.observer(of: bench.apps).wants(HookBench.app))
        #expect(!driver.observer(of: bench.apps).wants(99))
        driver.deliver((0..<HookLimits.unreadStates).map { Self.step("u\($0)") })
        driver.deliver([Self.step("ann"), Self.step("bob")])
        driver.pass()
        #expect(driver.reading().droppedStates == 2)
    }
}
