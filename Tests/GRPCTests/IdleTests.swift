import EchoSupport
import HTTP2
import NIOCore
import NIOEmbedded
import PeerSupport
import Testing

@testable import GRPC
@testable import GRPCWire

/// Connections that carry no calls.
struct IdleTests {
    private static let pong = Frame(.ping, flags: 1, payload: [UInt8](repeating: 0, count: 8))

    /// Lets time pass for a client that answers every ping and makes no calls.
    private func pass(_ seconds: Int64, _ harness: Harness) throws {
        var left = seconds
        while left > 0 {
            let step = min(left, CallLimits.keepaliveSeconds - 1)
            harness.eventLoop.advanceTime(by: .seconds(step))
            harness.collect()
            left -= step
            // This answers only pings from before the warning; the warning itself is not answered.
            if left > 0 { try harness.feed(Self.pong.bytes) }
        }
    }

    @Test(arguments: [nil, 100] as [Int64?])
    func row55AConnectionWithoutCallsIsAskedToGo(seconds: Int64?) throws {
        let limit = seconds ?? CallLimits.connectionIdleSeconds
        let harness = try Harness { if let seconds { $0.connectionIdleSeconds = seconds } }
        #expect(try harness.call("/test.Echo/Unary", [1]).code == "0")
        try pass(limit - CallLimits.sweepSeconds, harness)
        #expect(harness.lastGoAway == nil)
        try pass(CallLimits.sweepSeconds, harness)
        #expect(harness.lastGoAway?.lastStream == UInt32(Int32.max))
        #expect(harness.lastGoAway?.errorCode == ErrorCode.noError.rawValue)
        #expect(harness.loop.connectionCount == 1)
        // The answer to the ping shows that the client has seen the warning; then the frame with
        // the true last stream is sent.
        try harness.feed(Self.pong.bytes)
        #expect(harness.lastGoAway?.lastStream == 1)
        #expect(harness.lastGoAway?.errorCode == ErrorCode.noError.rawValue)
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func row55ACallThatWasOnItsWayWhenItsConnectionWasAskedToGoIsAnswered() throws {
        let harness = try Harness { $0.connectionIdleSeconds = 100 }
        try harness.exchange()
        harness.eventLoop.advanceTime(by: .seconds(100))
        let call = try harness.open("/test.Echo/Unary", body: Harness.envelope([7])).pointee.id
        try harness.feed(try harness.client.output())
        #expect(harness.lastGoAway?.lastStream == UInt32(Int32.max))
        try harness.feed(Self.pong.bytes)
        #expect(harness.lastGoAway?.lastStream == UInt32(call))
        let data = harness.frames.filter { $0.kind == .data && $0.stream == UInt32(call) }
        #expect(data.flatMap(\.payload) == Harness.envelope([7]))
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func anotherTimeHoldsForConnectionsThatAreThere() throws {
        let harness = try Harness()
        #expect(try harness.call("/test.Echo/Unary", [1]).code == "0")
        var bounds = ServerBounds()
        bounds.connectionIdleSeconds = 100
        harness.loop.apply(bounds)
        try pass(100 + CallLimits.sweepSeconds, harness)
        #expect(harness.lastGoAway?.errorCode == ErrorCode.noError.rawValue)
    }

    @Test func row55ACallKeepsItsConnectionForAsLongAgain() throws {
        let harness = try Harness { $0.connectionIdleSeconds = 100 }
        try harness.exchange()
        for _ in 0..<5 {
            try pass(93, harness)
            #expect(try harness.call("/test.Echo/Unary", [1]).code == "0")
        }
        #expect(harness.lastGoAway == nil)
        #expect(harness.loop.connectionCount == 1)
    }

    @Test func row55AnOpenStreamKeepsItsConnection() throws {
        let harness = try Harness { $0.connectionIdleSeconds = 100 }
        let watch = try harness.open("/grpc.health.v1.Health/Watch", body: Harness.envelope([]))
        let id = UInt32(watch.pointee.id)
        try harness.exchange()
        try pass(1_000, harness)
        #expect(harness.lastGoAway == nil)
        #expect(harness.connection.session.openStreams == 1)
        // The connection's idle time runs from the end of the stream on.
        try harness.feed(Frame.reset(id).bytes)
        try pass(95, harness)
        #expect(harness.lastGoAway == nil)
        try pass(5, harness)
        #expect(harness.lastGoAway?.errorCode == ErrorCode.noError.rawValue)
    }

    @Test func withoutALimitAConnectionStays() throws {
        let harness = try Harness { $0.connectionIdleSeconds = nil }
        try harness.exchange()
        try pass(2 * CallLimits.connectionIdleSeconds, harness)
        #expect(harness.lastGoAway == nil)
        #expect(harness.loop.connectionCount == 1)
    }
}
