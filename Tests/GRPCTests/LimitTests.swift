import HTTP2
import PeerSupport
import PythonSupport
import RPC
import Testing

@testable import GRPC
@testable import GRPCClient
@testable import GRPCWire

/// The relations between limits, and the limits that only a socket reaches.
@Suite(.endsWhenHung)
struct LimitTests {
    @Test func theLimitsFitTogether() {
        #expect(CallLimits.lowWaterBytes < CallLimits.highWaterBytes)
        // A handler that stops at the mark has room for one more message of any length.
        #expect(CallLimits.highWaterBytes + CallLimits.messageBytes < CallLimits.queuedBytes)
        #expect(CallLimits.messageBytes < CallLimits.assemblingBytes)
        #expect(CallLimits.queuedBytes < CallLimits.connectionQueuedBytes)
        #expect(CallLimits.sweepSeconds < CallLimits.streamStalledSeconds)
        // The percent-encoded message is at most three times as long, and its status must fit.
        #expect(3 * CallLimits.statusMessageBytes < CallLimits.statusListBytes)
        #expect(CallLimits.statusListBytes <= SessionLimits.headerListBytes)
        // The call layer's limit on resets is reached before the session's own.
        #expect(CallLimits.resetBurst < Int(SessionLimits.resetBurst))
        #expect(CallLimits.resetsPerSecond < Int(SessionLimits.resetsPerSecond))
        #expect(CallLimits.sweepSeconds <= CallLimits.handshakeSeconds)
        // One host leaves room for others.
        #expect(CallLimits.connectionsPerAddress < CallLimits.connections)
        // A host may open all its connections twice at once.
        let burst =
            CallLimits.connectionsPerSecondOfAddress * Int(CallLimits.connectionBurstSeconds)
        #expect(burst >= 2 * CallLimits.connectionsPerAddress)
        // The frames that a connection sends by itself fit its queue.
        #expect(
            2 * Int(SessionLimits.concurrentStreams) + SessionLimits.unreadAcknowledgements
                < SessionLimits.queuedFrames)
        #expect(CallLimits.sweepSeconds < CallLimits.keepaliveAnswerSeconds)
    }

    @Test func oneConnectionTooManyIsClosed() async throws {
        try await LiveServer.run(maxConnections: 2) { (_, address, _) async throws in
            let configuration = ClientConfiguration(host: address.host, port: address.port)
            let channels = (0..<3).map { _ in Channel(configuration) }
            var codes: [Status.Code] = []
            for channel in channels {
                do throws(RPCError) {
                    _ = try await channel.unary("/test.Echo/Unary", [])
                    codes.append(.ok)
                } catch {
                    codes.append(error.code)
                }
            }
            #expect(codes == [.ok, .ok, .unavailable])
            for channel in channels { await channel.close() }
        }
    }

    @Test func callsThatWaitAreCounted() async throws {
        let server = try Python.start(LiveServer.script("scripted_server.py"))
        let port = Int(await server.readLine()) ?? 0
        let channel = Channel(ClientConfiguration(host: "127.0.0.1", port: port))
        // The answer shows that the server's limit of two streams has arrived.
        _ = try await channel.unary("/echo/", [])
        let waiting = (0..<(CallLimits.waitingCalls + 2)).map { _ in
            channel.serverStreaming("/hang/", [])
        }
        await #expect(throws: RPCError(.resourceExhausted, "")) {
            try await channel.unary("/echo/", [])
        }
        waiting.last?.cancel()
        await channel.close()
        await server.stop()
        #expect(waiting.count == CallLimits.waitingCalls + 2)
    }
}
