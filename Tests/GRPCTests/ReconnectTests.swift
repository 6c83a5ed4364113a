import EchoSupport
import HTTP2
import Logging
import NIOCore
import NIOEmbedded
import PeerSupport
import RPC
import Synchronization
import Testing

@testable import GRPC
@testable import GRPCClient
@testable import GRPCWire

/// Our client with a server that stops and comes back.
@Suite(.endsWhenHung)
struct ReconnectTests {
    private static let hosts = Atomic(0)

    /// An address that only this test uses.
    ///
    /// On a shared address another test may take the port while the server is away.
    private let host = "127.0.78.\(hosts.add(1, ordering: .relaxed).newValue)"

    // MARK: By hand

    @Test func noCallIsSentToAServerThatHasSaidNothing() throws {
        let harness = try ClientHarness(isAnswering: false)
        let call = harness.call()
        try harness.exchange()
        #expect(!harness.frames.contains { $0.kind == .headers })
        // A server that stops closes connections that it has not accepted.
        harness.channel.close(promise: nil)
        harness.eventLoop.run()
        #expect(call.end?.status.code == .unavailable)
    }

    @Test func aCallThatWaitsForTheServerOutlivesAConnectionThatCameToNothing() throws {
        let harness = try ClientHarness(isAnswering: false) { $0.waitsForServer = true }
        let call = harness.call()
        try harness.exchange()
        harness.channel.close(promise: nil)
        harness.eventLoop.run()
        #expect(call.end == nil && call.isWaiting)
        // The server is there again.
        let next = try ClientHarness { $0.waitsForServer = true }
        #expect(next.subchannel.backoff.milliseconds == CallLimits.firstConnectWaitMilliseconds)
        let wait = harness.subchannel.backoff.milliseconds
        #expect(wait == 2 * CallLimits.firstConnectWaitMilliseconds)
    }

    @Test func aServerThatSaysNothingIsGivenUp() throws {
        let harness = try ClientHarness(isAnswering: false)
        let call = harness.call()
        try harness.pass(CallLimits.connectSeconds - 1)
        #expect(call.end == nil)
        try harness.pass(1)
        #expect(call.end?.status.code == .unavailable)
        #expect(harness.connection.isLost)
    }

    @Test func endedCallsDoNotFillTheListOfThoseThatWait() throws {
        let harness = try ClientHarness(isAnswering: false) { $0.waitsForServer = true }
        for _ in 0..<CallLimits.waitingCalls { harness.call().cancel() }
        let call = harness.call()
        #expect(call.end == nil && call.isWaiting)
        for _ in 1..<CallLimits.waitingCalls { _ = harness.call() }
        #expect(harness.call().end?.status.code == .resourceExhausted)
    }

    // MARK: Over sockets

    private func server(
        port: Int = 0, health: Health? = nil
    ) async throws -> (server: Server, port: Int) {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let service = EchoService()
        let server = Server(
            configuration: ServerConfiguration(host: host, port: port),
            dispatchers: [service] + (health.map { [$0] } ?? []), logger: logger)
        return (server, try await server.start().port)
    }

    @Test func aCallWaitsForAServerThatIsNotThereYet() async throws {
        let (first, port) = try await server()
        await first.shutDownGracefully()
        var configuration = ClientConfiguration(host: host, port: port)
        configuration.waitsForServer = true
        let channel = Channel(configuration)
        async let answer = channel.unary("/test.Echo/Unary", [1], deadline: .after(.untilHung))
        let (second, _) = try await server(port: port)
        #expect(try await answer == [1])
        await channel.close()
        await second.shutDownGracefully()
    }

    @Test func aCallThatWaitsEndsAtItsDeadlineOrWithItsChannel() async throws {
        let (first, port) = try await server()
        await first.shutDownGracefully()
        var configuration = ClientConfiguration(host: host, port: port)
        configuration.waitsForServer = true
        let channel = Channel(configuration)
        await #expect(throws: RPCError(.deadlineExceeded, "")) {
            try await channel.unary("/test.Echo/Unary", [1], deadline: .after(.milliseconds(50)))
        }
        let answer = Task { try await channel.unary("/test.Echo/Unary", [1]) }
        // The end of a second call shows that the first one waits too.
        await #expect(throws: RPCError(.deadlineExceeded, "")) {
            try await channel.unary("/test.Echo/Unary", [1], deadline: .after(.milliseconds(50)))
        }
        await channel.close()
        await #expect(throws: RPCError.clientClosed) { try await answer.value }
    }

    @Test func callsGoOnOverServersThatStopOneAfterAnother() async throws {
        var (current, port) = try await server()
        var configuration = ClientConfiguration(host: host, port: port)
        configuration.waitsForServer = true
        let channel = Channel(configuration)
        let callers = (0..<8).map { number in
            Task {
                for attempt in 0..<200 {
                    let message = Array("\(number) \(attempt)".utf8)
                    let answer = try await channel.unary(
                        "/test.Echo/Unary", message, deadline: .after(.untilHung))
                    #expect(answer == message)
                }
            }
        }
        for _ in 0..<5 {
            _ = try await channel.unary("/test.Echo/Unary", [1], deadline: .after(.untilHung))
            await current.shutDownGracefully()
            (current, _) = try await server(port: port)
        }
        for caller in callers { try await caller.value }
        await channel.close()
        await current.shutDownGracefully()
    }

    @Test func callsGoOnWhileServersAreReplacedOneAfterAnother() async throws {
        var servers: [(server: Server, port: Int)] = []
        for _ in 0..<3 { servers.append(try await server()) }
        var configuration = ClientConfiguration(
            servers: servers.map { .host(host, port: $0.port) })
        configuration.waitsForServer = true
        let channel = Channel(configuration)
        let callers = (0..<8).map { number in
            Task {
                for attempt in 0..<200 {
                    let message = Array("\(number) \(attempt)".utf8)
                    let answer = try await channel.unary(
                        "/test.Echo/Unary", message, deadline: .after(.untilHung))
                    #expect(answer == message)
                }
            }
        }
        for index in servers.indices {
            _ = try await channel.unary("/test.Echo/Unary", [1], deadline: .after(.untilHung))
            await servers[index].server.shutDownGracefully()
            servers[index] = try await server(port: servers[index].port)
        }
        for caller in callers { try await caller.value }
        await channel.close()
        for (server, _) in servers { await server.shutDownGracefully() }
    }

    @Test func aServerThatStopsServingHasNoMoreCalls() async throws {
        let health = [Health(), Health()]
        var servers: [Server] = []
        var targets: [ServerTarget] = []
        for one in health {
            let (server, port) = try await server(health: one)
            servers.append(server)
            targets.append(.host(host, port: port))
        }
        let channel = Channel(ClientConfiguration(servers: targets))
        _ = try await channel.unary("/test.Echo/Unary", [1])
        health[0].set(.notServing, for: "")
        health[0].set(.serving, for: "mark")
        var marked = 0
        // Only the first server knows the mark: no call finds it once the client has its word.
        repeat {
            marked = 0
            for _ in 0..<10 {
                do {
                    _ = try await channel.unary(
                        "/grpc.health.v1.Health/Check", [10, 4] + Array("mark".utf8))
                    marked += 1
                } catch {
                    #expect(error.code == .notFound)
                }
            }
        } while marked > 0
        // Calls fail when the second says so too.
        health[1].set(.notServing, for: "")
        var code = Status.Code.ok
        while code != .unavailable {
            do {
                _ = try await channel.unary("/test.Echo/Unary", [1])
            } catch {
                code = error.code
            }
        }
        await channel.close()
        for server in servers { await server.shutDownGracefully() }
    }
}
