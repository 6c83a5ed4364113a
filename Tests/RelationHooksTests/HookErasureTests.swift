import RelationAdmission
import RelationChanges
import RelationModel
import Storage
import Synchronization
import Testing

@testable import RelationCore
@testable import RelationHooks

/// Events, logins and failures in the memory of a server whose user an erasure has taken away.
struct HookErasureTests {
    private static let id = HookID("aaaaaaaaaaaaaaaa")

    /// Does to the feed and to the hooks what an erasure does.
    private static func erase(through position: Int64, _ bench: HookBench) throws {
        try bench.trim(to: position)
        let hooks = try bench.write { (ledger) throws(StorageError) in
            try ErasedEvents.note(in: ledger)
        }
        #expect(hooks == 1)
    }

    /// A server with two events in memory, which the receiver refuses.
    private static func failing(_ bench: HookBench, sharesStore: Bool) throws -> HookLoop {
        try bench.hook()
        bench.answers(500)
        let loop = bench.server(sharesStore: sharesStore)
        try bench.change("ann", "bob")
        try bench.run(loop)
        #expect(Set(bench.positions) == [1, 2])
        return loop
    }

    /// The users whom the failures name, the latest first.
    private static func failedUsers(_ bench: HookBench) throws -> [String] {
        let app = try #require(bench.apps[HookBench.app])
        return try bench.store.read(reaching: .disk) { (transaction) throws(StorageError) in
            let progress = try Hooks.progress(of: id, app, in: transaction)
            return try Hooks.failures(
                of: id, progress ?? HookProgressRecord(), app, in: transaction
            ).map(\.record.userID)
        }
    }

    @Test(arguments: [false, true])
    func eventsThatWaitGoOutNoMoreAndTheMarkerComesInTheirPlace(sharesStore: Bool) throws {
        let bench = try HookBench()
        let loop = try Self.failing(bench, sharesStore: sharesStore)
        try Self.erase(through: 2, bench)
        bench.forget()
        bench.answers(200)
        try bench.change("cid")
        bench.later(HookLimits.erasuresMilliseconds)
        try bench.run(loop, for: 120_000, every: 1_000)
        #expect(bench.received.map { $0.hasSuffix("-2-trimmed") } == [true, false])
        #expect(bench.positions == [3])
        #expect(try bench.progress(Self.id)?.position == 3)
    }

    @Test func failuresFromBeforeNameNoUser() throws {
        let bench = try HookBench()
        let loop = try Self.failing(bench, sharesStore: false)
        try Self.erase(through: 2, bench)
        bench.later(HookLimits.storeMilliseconds)
        try bench.run(loop, for: 120_000, every: 1_000)
        try loop.finish()
        let users = try Self.failedUsers(bench)
        #expect(!users.isEmpty && users.allSatisfy { $0.isEmpty })
    }

    @Test func anAnswerToARequestFromBeforeNamesNoUser() throws {
        let bench = try HookBench()
        try bench.hook()
        bench.answers(500)
        bench.state.withLock { $0.slowness = { _ in HookLimits.requestMilliseconds } }
        let loop = bench.server()
        try bench.change("ann")
        try bench.run(loop)
        try Self.erase(through: 1, bench)
        bench.later(HookLimits.erasuresMilliseconds)
        try loop.pass()
        bench.later(HookLimits.requestMilliseconds)
        bench.deliverMail(loop)
        try loop.finish()
        #expect(try Self.failedUsers(bench) == [""])
    }

    /// A server does not look for erasures at each pass.
    @Test func erasuresAreLookedForOnceInTheirTime() throws {
        let bench = try HookBench()
        let loop = try Self.failing(bench, sharesStore: false)
        bench.later(HookLimits.erasuresMilliseconds)
        try loop.pass()
        try Self.erase(through: 2, bench)
        bench.later(HookLimits.erasuresMilliseconds - 1)
        try loop.endErased()
        #expect(loop.hooks.values.allSatisfy { $0.isHeld && !$0.isEnding })
        bench.later(1)
        try loop.endErased()
        #expect(loop.hooks.values.allSatisfy { $0.isEnding })
    }

    /// Erasures that follow one another hold no hook back: what was confirmed is stored.
    @Test func deliveryGoesOnBesideErasureAfterErasure() throws {
        let bench = try HookBench()
        try bench.hook()
        // Events wait all the time, and each look for erasures finds one.
        bench.state.withLock { $0.slowness = { _ in HookLimits.erasuresMilliseconds / 2 } }
        let loop = bench.server()
        for number in 1...50 { try bench.change("user\(number)") }
        for _ in 0..<400 {
            try Self.erase(through: 0, bench)
            try bench.run(loop)
            bench.later(HookLimits.erasuresMilliseconds / 4)
        }
        #expect(Set(bench.positions) == Set(1...50))
        try loop.finish()
        #expect(try bench.progress(Self.id)?.position == 50)
    }

    @Test func loginsThatWaitGoToo() throws {
        let bench = try HookBench()
        try bench.hook { $0.form = .timCallbacks }
        let loop = bench.server()
        try bench.run(loop)
        bench.answers(500)
        bench.state.withLock { $0.slowness = { _ in HookLimits.requestMilliseconds } }
        let step = PresenceStep(
            app: HookBench.app, user: UserID(stored: "ann".utf8), platform: "ios",
            cause: .reportedOnline, timeMs: 5)
        loop.deliver([step, step])
        #expect(bench.received.count == 1)
        try Self.erase(through: 0, bench)
        bench.later(HookLimits.erasuresMilliseconds)
        try bench.run(loop)
        // The one that is under way names no user when it fails; the other one is dropped.
        bench.later(HookLimits.requestMilliseconds)
        bench.deliverMail(loop)
        try bench.run(loop, for: 60_000, every: 1_000)
        #expect(bench.received.count == 1)
        try loop.finish()
        #expect(try Self.failedUsers(bench) == [""])
        #expect(loop.counts.droppedStates == 1)
    }

    /// A question is stored seconds after its call, whose user may be gone by then.
    @Test(arguments: [false, true])
    func aQuestionOfAUserWithoutAnAccountDoesNotNameIt(isImplicit: Bool) throws {
        let bench = try HookBench()
        try bench.hook()
        var app = try #require(bench.apps[HookBench.app])
        app.settings.makesAccountsImplicitly = isImplicit
        try bench.write { (ledger) throws(StorageError) in
            let ann = UserID(stored: "ann".utf8)
            _ = try Accounts.create(ann, nick: "", faceURL: "", in: ledger)
        }
        let failures = ["ann", "gone", ""].map { user in
            var failure = HookFailureRecord()
            failure.userID = user
            return failure
        }
        try bench.store.write(touching: []) { [app] (transaction) throws(StorageError) in
            try Hooks.note(failures, of: Self.id, in: app, in: transaction)
        }
        #expect(try Self.failedUsers(bench) == ["", isImplicit ? "gone" : "", "ann"])
    }
}
