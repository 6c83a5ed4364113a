import RelationAdmission
import RelationModel
import Storage
import Synchronization
import Testing
import Webhooks

@testable import RelationCore
@testable import RelationHooks

/// Ten thousand hooks of a thousand apps on one server.
struct ManyHooksTests {
    private static let apps: UInt32 = 1_000
    private static let hooksOfApp = 10

    @Test func tenThousandHooksStayWithinTheirBounds() throws {
        let bench = try HookBench(apps: Self.apps)
        for app in 1...Self.apps { try Self.makeHooks(of: app, bench) }
        try Self.notify(bench)
        bench.state.withLock { $0.slowness = { _ in 400 } }
        let loop = bench.server()
        // One pass hands out as many requests as may be under way, of many apps.
        try loop.pass()
        #expect(loop.hooks.count == 10_000)
        #expect(bench.state.withLock { $0.underWay } == HookLimits.requests)
        var most = 0
        for _ in 0..<400 where bench.places.count < 20_000 {
            try loop.pass()
            bench.deliverMail(loop)
            most = max(most, loop.counts.waitingBytes)
            bench.later(400)
        }
        #expect(loop.counts.held == 10_000)
        #expect(bench.state.withLock { $0.mostUnderWay } == HookLimits.requests)
        #expect(most <= HookLimits.heldBytes)
        // Each hook of each app got its app's two events, once.
        let names = bench.received.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        #expect(names.count == Int(Self.apps) * 2)
        #expect(names.values.allSatisfy { $0 == Self.hooksOfApp })
        try bench.run(loop, for: 1_000, every: 500)
        try loop.finish()
        for app in [1, 500, Self.apps] {
            let known = try #require(bench.apps[app])
            let progress = try bench.store.read(reaching: .disk) {
                (transaction) throws(StorageError) in
                try Hooks.progress(of: known.settings.hooks, known, in: transaction)
            }
            #expect(progress.map { $0?.position } == Array(repeating: 2, count: Self.hooksOfApp))
            #expect(progress.allSatisfy { $0?.holder == "" })
        }
    }

    private static func makeHooks(of app: UInt32, _ bench: HookBench) throws {
        try bench.write(of: app) { (ledger) throws(StorageError) in
            for number in 0..<hooksOfApp {
                var hook = HookRecord()
                hook.id = "hook-\(100 + number)"
                hook.url = "https://example.com/\(number)"
                _ = try Hooks.create(hook, in: ledger)
            }
        }
    }

    /// Makes an event of each of two users in each app.
    private static func notify(_ bench: HookBench) throws {
        for app in 1...apps {
            try bench.write(of: app) { (ledger) throws(StorageError) in
                for user in ["ann", "bob"] {
                    try ledger.notify(
                        UserID(stored: user.utf8), .friendChange, ChangeItemRecord())
                }
            }
        }
    }
}
