import RelationModel
import Storage
import Synchronization
import Testing
import Webhooks

@testable import RelationCore
@testable import RelationHooks

/// Receivers and servers that fail in each way that the delivery must bear.
struct HookFailureTests {
    /// A way in which a request fails.
    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let result: HookResult

        init(_ status: Int) {
            testDescription = "\(status)"
            result = HookResult(WebhookAnswer(status: status))
        }

        init(_ failure: WebhookFailure) {
            testDescription = failure.description
            result = HookResult(failure)
        }
    }

    private static let failures = [
        Failure(301), Failure(400), Failure(404), Failure(413), Failure(429), Failure(500),
        Failure(503),
        Failure(.redirected(status: 301)), Failure(.badAnswer), Failure(.cutOff),
        Failure(.notConnected),
        Failure(.unresolved), Failure(.timedOut(.answering)), Failure(.timedOut(.waiting)),
        Failure(.refused(.loopback)), Failure(.notSecured(.untrusted)), Failure(.tooManyWaiting),
    ]

    @Test(arguments: failures)
    func aRequestThatFailsInAnyWayComesAgainAndIsReported(failure: Failure) throws {
        let bench = try HookBench()
        let id = try bench.hook()
        let writes = ["ann", "bob", "ann"]
        for user in writes { try bench.change(user) }
        let result = failure.result
        bench.answers { _ in result }
        let loop = bench.server()
        try bench.run(loop, for: 10_000, every: 500)
        let before = bench.received.count
        #expect(before >= 3)
        let failing = try #require(try bench.progress(id))
        #expect(failing.failures > 0)
        #expect(failing.position == 0)
        bench.answers(200)
        try bench.run(loop, for: 600_000, every: 1_000)
        #expect(Self.gap(in: bench.places, writes) == nil)
        #expect(try bench.progress(id)?.position == 3)
        #expect(try bench.progress(id)?.failingSinceMs == 0)
    }

    /// A receiver that takes all the time that it may costs its app half of the requests, and other
    /// apps nothing.
    @Test func aSlowReceiverLeavesRequestsForOtherApps() throws {
        let bench = try HookBench(apps: 2)
        for number in 0..<Limits.hooks { try bench.hook("slow-\(100 + number)") }
        for user in 0..<100 { try bench.change("user\(user)") }
        bench.state.withLock { state in
            state.slowness = { $0.hasPrefix("1-") ? HookLimits.requestMilliseconds : 0 }
        }
        let loop = bench.server()
        try bench.run(loop)
        let most = Limits.hooks * HookLimits.requestsOfHook
        #expect(bench.state.withLock { $0.underWay } == most)
        try bench.hook("swift", of: 2)
        try bench.write(of: 2) { (ledger) throws(StorageError) in
            try ledger.notify(UserID(stored: "joe".utf8), .friendChange, ChangeItemRecord())
        }
        try bench.run(loop)
        #expect(bench.received.last?.hasPrefix("2-") == true)
        bench.state.withLock { $0.slowness = { _ in 0 } }
        try bench.run(loop, for: 60_000, every: 1_000)
        #expect(loop.isIdle)
        #expect(bench.state.withLock { $0.mostUnderWay } == most)
    }

    /// The server ends at each place between two steps: a write, a pass, an answer, some time.
    @Test func aServerThatIsKilledAtAnyStepLosesNothing() throws {
        let writes = ["ann", "bob", "ann", "cid", "bob", "ann", "cid", "ann", "bob", "ann"]
        for last in 0...60 {
            let bench = try HookBench()
            let id = try bench.hook()
            let failed = Once()
            bench.answers { name in
                let fails = name.hasSuffix("-3") || name.hasSuffix("-5")
                return HookResult(
                    WebhookAnswer(status: fails && failed.isFirst(name) ? 500 : 204))
            }
            var left = writes[...]
            let first = bench.server()
            for step in 0..<last {
                if step % 4 == 0, let user = left.popFirst() { try bench.change(user) }
                switch step % 4 {
                case 1: try first.pass()
                case 2, 3: bench.deliverOne(first)
                default: bench.later(700)
                }
            }
            bench.lose(0)
            for user in left { try bench.change(user) }
            try bench.run(bench.server(1), 1, for: 30_000, every: 500)
            #expect(Self.gap(in: bench.places, writes) == nil, "killed after step \(last)")
            #expect(try bench.progress(id)?.position == 10, "killed after step \(last)")
        }
    }

    /// The hook is changed at each step, in each way that reads its events anew.
    @Test func aHookThatIsChangedAtAnyStepLosesNothing() throws {
        let writes = ["ann", "bob", "ann", "cid", "bob", "ann", "cid", "ann", "bob", "ann"]
        for index in 0...40 {
            let bench = try HookBench()
            let id = try bench.hook()
            var left = writes[...]
            let loop = bench.server()
            for step in 0...41 {
                if step % 4 == 0, let user = left.popFirst() { try bench.change(user) }
                if step == index { try Self.change(id, index, bench, loop) }
                switch step % 4 {
                case 1: try loop.pass()
                case 2, 3: bench.deliverOne(loop)
                default: bench.later(700)
                }
            }
            for user in left { try bench.change(user) }
            try bench.run(loop, for: 60_000, every: 500)
            #expect(Self.gap(in: bench.places, writes) == nil, "changed at step \(index)")
            #expect(try bench.progress(id)?.position == 10, "changed at step \(index)")
        }
    }

    private static func change(
        _ id: HookID, _ number: Int, _ bench: HookBench, _ loop: HookLoop
    ) throws {
        var change = Hooks.Change()
        switch number % 4 {
        case 0: change.batchSize = 5
        case 1: change.url = "https://example.org/other"
        case 2: change.kinds = [.friendChange]
        default: change.isPaused = true
        }
        try bench.write { (ledger) throws(StorageError) in
            _ = try Hooks.update(id, change, in: ledger)
            if number % 5 == 0 {
                _ = try Hooks.rotate(
                    id, to: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
                    oldValidUntilMs: 0, in: ledger)
            }
        }
        guard change.isPaused == true else { return }
        try loop.pass()
        change.isPaused = false
        try bench.write { (ledger) throws(StorageError) in
            _ = try Hooks.update(id, change, in: ledger)
        }
    }

    /// Names that were asked for.
    private final class Once: Sendable {
        private let names = Mutex<Set<String>>([])

        func isFirst(_ name: String) -> Bool { names.withLock { $0.insert(name).inserted } }
    }

    /// The first gap or disorder within a user in what a receiver got, without what came again.
    ///
    /// - Parameter writes: The users of the events from position 1 on.
    static func gap(in places: [Int64], _ writes: [String]) -> String? {
        var last: [String: Int64] = [:]
        var seen: Set<Int64> = []
        for index in places where seen.insert(index).inserted {
            let user = writes[Int(index) - 1]
            if index < last[user, default: 0] {
                return "\(index) of \(user) came after \(last[user, default: 0])"
            }
            last[user] = index
        }
        let missing = Set((1...Int64(writes.count))).subtracting(seen)
        return missing.isEmpty ? nil : "\(missing.sorted()) did not come"
    }
}
