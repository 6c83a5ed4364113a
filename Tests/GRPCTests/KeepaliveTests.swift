import HTTP2
import NIOCore
import NIOEmbedded
import PeerSupport
import RPC
import Testing

@testable import GRPCClient
@testable import GRPCWire

/// Our client with a server that is silent.
struct KeepaliveTests {
    @Test func row47ASilentServerIsAskedAndAnAnswerIsEnough() throws {
        let harness = try ClientHarness { $0.keepalive = .seconds(30) }
        let call = harness.call()
        try harness.exchange()
        try harness.pass(29)
        #expect(harness.pings == 0)
        try harness.pass(1)
        #expect(harness.pings == 1)
        try harness.pass(300)
        #expect(harness.pings == 11)
        #expect(call.end == nil)
    }

    @Test func row47ACallOnADeadConnectionIsUnavailable() throws {
        let harness = try ClientHarness { $0.keepalive = .seconds(30) }
        let call = harness.call()
        try harness.exchange()
        harness.isAnswering = false
        try harness.pass(30 + CallLimits.keepaliveAnswerSeconds - 1)
        #expect(call.end == nil)
        try harness.pass(1)
        #expect(call.end?.status.code == .unavailable)
        #expect(harness.connection.isLost)
    }

    @Test func noServerIsAskedWhileNoCallWaits() throws {
        let harness = try ClientHarness { $0.keepalive = .seconds(30) }
        try harness.pass(500)
        #expect(harness.pings == 0)
        #expect(try ClientHarness().pings == 0)
    }

    @Test func row46AServerThatFindsItTooOftenGetsTwiceTheTime() throws {
        let harness = try ClientHarness { $0.keepalive = .seconds(30) }
        _ = harness.call()
        try harness.exchange()
        harness.server.refuseNewStreams(.enhanceYourCalm, debugData: "too_many_pings")
        try harness.exchange()
        #expect(harness.core.keepalive == .seconds(60))
        #expect(harness.connection.isDraining)
        // Another reason does not change the time.
        let other = try ClientHarness { $0.keepalive = .seconds(30) }
        _ = other.call()
        try other.exchange()
        other.server.refuseNewStreams(.enhanceYourCalm, debugData: "too_many_resets")
        try other.exchange()
        #expect(other.core.keepalive == .seconds(30))
    }

    @Test func row41ADeadlineThatHasPassedBeatsTheServersReset() throws {
        let harness = try ClientHarness()
        let past = Deadline(harness.eventLoop.now)
        let call = ClientCall(
            core: harness.core, path: "/test.Echo/Unary", metadata: [], deadline: past)
        call.start()
        var up: [UInt8] = []
        while let buffer = try harness.channel.readOutbound(as: ByteBuffer.self) {
            up += Array(buffer.readableBytesView)
        }
        try harness.server.receive(up)
        for (stream, _) in harness.server.allReady() { harness.server.reset(stream, .cancel) }
        try harness.channel.writeInbound(ByteBuffer(bytes: try harness.server.output()))
        #expect(call.end?.status.code == .deadlineExceeded)
    }

    @Test func theTimeIsDoubledToALimit() throws {
        let harness = try ClientHarness { $0.keepalive = .seconds(30) }
        for _ in 0..<20 { harness.core.pingedTooOften() }
        #expect(harness.core.keepalive == .seconds(CallLimits.longestKeepaliveSeconds))
    }
}
