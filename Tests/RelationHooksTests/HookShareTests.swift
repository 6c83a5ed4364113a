import RelationModel
import Storage
import Synchronization
import Testing

@testable import RelationCore
@testable import RelationHooks

/// The hooks of a store, spread over its servers.
struct HookShareTests {
    private static let hooks = 10

    private static func bench() throws -> HookBench {
        let bench = try HookBench()
        for number in 0..<hooks { try bench.hook("hook-\(100 + number)") }
        return bench
    }

    /// Runs passes of all servers over a time.
    private static func run(
        _ bench: HookBench, _ servers: [HookLoop], for milliseconds: Int64
    ) throws {
        bench.state.withLock { $0.servers = servers.count }
        for _ in 0..<(milliseconds / 500) {
            for (number, server) in servers.enumerated() {
                try server.pass()
                bench.deliverMail(server, number)
            }
            bench.later(500)
        }
    }

    private static func held(_ servers: [HookLoop]) -> [Int] {
        servers.map { server in server.hooks.values.count { $0.isHeld } }
    }

    @Test func hooksAreSpreadOverServersThatComeAndGo() throws {
        let bench = try Self.bench()
        var servers = [bench.server(0, sharesStore: true)]
        let writes = (0..<60).map { "user\($0 % 7)" }
        var left = writes[...]
        func advance(_ milliseconds: Int64) throws {
            for user in left.prefix(15) { try bench.change(user) }
            left = left.dropFirst(15)
            try Self.run(bench, servers, for: milliseconds)
        }
        try advance(5_000)
        #expect(Self.held(servers) == [10])
        servers.append(bench.server(1, sharesStore: true))
        try advance(40_000)
        #expect(Self.held(servers) == [5, 5])
        servers.append(bench.server(2, sharesStore: true))
        try advance(60_000)
        #expect(Self.held(servers).sorted() == [2, 4, 4])
        // One stops: its hooks go to the others.
        try servers.removeLast().finish()
        try advance(60_000)
        #expect(Self.held(servers) == [5, 5])
        // No event of any hook is lost, and each user's come in their order.
        let places = bench.places.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        #expect(places.count == writes.count)
        #expect(places.values.allSatisfy { $0 >= Self.hooks })
    }

    /// The store counts a server that takes no hooks, as one that allows none.
    @Test func hooksThatNoOtherServerTakesAreTakenAgain() throws {
        let bench = try Self.bench()
        let server = bench.server(0, sharesStore: true)
        try Self.run(bench, [server], for: 2_000)
        bench.state.withLock { $0.servers = 2 }
        try server.pass()
        try bench.change("ann")
        bench.later(500)
        try bench.run(server)
        #expect(Self.held([server]) == [5])
        // None is taken before the other server had time to look.
        try bench.run(server, for: HookLimits.spareMilliseconds - 1_000, every: 500)
        #expect(Self.held([server]) == [5])
        try bench.run(server, for: HookLimits.spareMilliseconds + 2_000, every: 500)
        #expect(Self.held([server]) == [10])
        #expect(bench.positions.filter { $0 == 1 }.count == Self.hooks)
        // It keeps them, since the number of servers stays.
        try bench.run(server, for: 60_000, every: 500)
        #expect(Self.held([server]) == [10])
    }
}
