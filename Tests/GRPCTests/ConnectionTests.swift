import EchoSupport
import HTTP2
import NIOCore
import NIOEmbedded
import PeerSupport
import Testing

@testable import GRPC
@testable import GRPCWire

/// How a connection begins, behaves and ends.
struct ConnectionTests {
    private static let acknowledgement = Frame(.settings, flags: Frame.acknowledgement)

    @Test(arguments: [
        "\u{16}\u{3}\u{1}\u{0}\u{50}", "SSH-2.0-OpenSSH_9.2\r\n", "GET/", "GET\r\n",
        "get / HTTP/1.1\r\n", " GET / HTTP/1.1\r\n", "\r\n\r\n",
        "HELP\r\n",
        String(repeating: "A", count: CallLimits.methodBytes) + "B / HTTP/1.1\r\n",
    ])
    func row58NoiseIsNotAnswered(noise: String) throws {
        let harness = try Harness()
        try harness.feed(Array(noise.utf8))
        #expect(harness.sent.isEmpty)
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func aPrefaceThatIsWrongEndsWithAGoAway() throws {
        let harness = try Harness()
        try harness.feed(Array("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n".utf8))
        let (goAway, protocolError) = (UInt8(7), UInt8(1))
        #expect(harness.sent.suffix(17)[harness.sent.count - 14] == goAway)
        #expect(harness.sent.last == protocolError)
        #expect(harness.loop.connectionCount == 0)
    }

    @Test(arguments: ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "POST / HTTP/1.1\r\n", "G"])
    func row58TheFirstBytesAreWaitedForAndNotForLong(bytes: String) throws {
        let harness = try Harness()
        for byte in bytes.utf8.prefix(3) { try harness.feed([byte]) }
        #expect(harness.loop.connectionCount == 1)
        #expect(harness.sent.isEmpty)
        harness.eventLoop.advanceTime(by: .seconds(2 * CallLimits.handshakeSeconds))
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func row46PingsAreAnsweredAndTooManyEndTheConnection() throws {
        let harness = try Harness()
        try harness.exchange()
        for number in 0...CallLimits.pingStrikes {
            try harness.feed(Frame.ping(UInt8(number)).bytes)
        }
        let answered = harness.frames.filter { $0.kind == .ping && $0.flags == 1 }
        #expect(answered.count == CallLimits.pingStrikes + 1)
        #expect(harness.lastGoAway == nil)
        try harness.feed(Frame.ping().bytes)
        #expect(harness.lastGoAway?.errorCode == ErrorCode.enhanceYourCalm.rawValue)
        #expect(harness.lastGoAway?.debugText == "too_many_pings")
        #expect(harness.loop.connectionCount == 0)
    }

    /// Sends `count` pings, `apart` from each other, on a connection with an open call or none,
    /// until it ends.
    private func pinged(
        _ count: Int, apart: TimeAmount, withCall: Bool
    ) throws -> Harness {
        let harness = try Harness()
        if withCall {
            _ = try harness.open("/test.Echo/Collect", body: Harness.envelope([1]), end: false)
        }
        try harness.exchange()
        let pong = Frame(.ping, flags: 1, payload: [UInt8](repeating: 0, count: 8)).bytes
        for _ in 0..<count where harness.loop.connectionCount == 1 {
            try harness.feed(Frame.ping().bytes)
            // A client that is silent for long is pinged; these frames show that it is alive.
            for _ in 0..<4 where harness.loop.connectionCount == 1 {
                harness.eventLoop.advanceTime(by: .nanoseconds(apart.nanoseconds / 4))
                try harness.feed(pong)
            }
        }
        return harness
    }

    private static let paces = [
        (true, CallLimits.pingSecondsWithCalls), (false, CallLimits.pingSecondsWithoutCalls),
    ]

    @Test(arguments: paces)
    func row46PingsAtTheirPaceAreNoViolation(withCall: Bool, seconds: Int64) throws {
        let harness = try pinged(8, apart: .seconds(seconds), withCall: withCall)
        #expect(harness.lastGoAway == nil)
        #expect(harness.loop.connectionCount == 1)
        #expect(harness.connection.session.openStreams == (withCall ? 1 : 0))
    }

    @Test(arguments: paces)
    func row46PingsThatComeALittleSoonerAreForgivenTwice(withCall: Bool, seconds: Int64) throws {
        let sooner = TimeAmount.seconds(seconds) - .nanoseconds(4)
        let forgiven = CallLimits.pingStrikes + 1
        let polite = try pinged(forgiven, apart: sooner, withCall: withCall)
        #expect(polite.lastGoAway == nil)
        #expect(polite.loop.connectionCount == 1)
        let rude = try pinged(forgiven + 1, apart: sooner, withCall: withCall)
        #expect(rude.lastGoAway?.errorCode == ErrorCode.enhanceYourCalm.rawValue)
        #expect(rude.lastGoAway?.debugText == "too_many_pings")
        #expect(rude.loop.connectionCount == 0)
    }

    @Test func answersForgivePings() throws {
        let harness = try Harness()
        for _ in 0..<20 {
            #expect(try harness.call("/test.Echo/Unary", [1]).code == "0")
            try harness.feed(Frame.ping().bytes)
        }
        #expect(harness.lastGoAway == nil)
    }

    @Test func row48RapidResetsEndTheConnectionBeforeHandlersRun() throws {
        let harness = try Harness()
        try harness.feed(Frame.preface + Self.acknowledgement.bytes)
        var id: UInt32 = 1
        for _ in 0..<(CallLimits.resetBurst / 100) {
            var bytes: [UInt8] = []
            for _ in 0..<100 {
                bytes +=
                    Frame.headers(id, SessionPair.request("/test.Echo/Collect"), end: false).bytes
                bytes += Frame.reset(id).bytes
                id += 2
            }
            try harness.feed(bytes)
        }
        #expect(harness.lastGoAway == nil)
        #expect(harness.service.notes.isEmpty)
        try harness.feed(
            Frame.headers(id, SessionPair.request(), end: false).bytes + Frame.reset(id).bytes)
        #expect(harness.lastGoAway?.errorCode == ErrorCode.enhanceYourCalm.rawValue)
        #expect(harness.lastGoAway?.debugText == "too_many_resets")
    }

    @Test func row54SettingsThatComeTooOftenEndTheConnection() throws {
        let harness = try Harness()
        try harness.feed(Frame.preface + Self.acknowledgement.bytes)
        let more = Frame(.settings, payload: [0, 4, 0, 0, 0xFF, 0xFF]).bytes
        // The preface has brought one.
        for _ in 1..<CallLimits.settingsBurst { try harness.feed(more) }
        #expect(harness.lastGoAway == nil)
        harness.eventLoop.advanceTime(by: .seconds(1))
        for _ in 0..<CallLimits.settingsPerSecond {
            try harness.feed(more)
        }
        #expect(harness.lastGoAway == nil)
        try harness.feed(more)
        #expect(harness.lastGoAway?.debugText == "too_many_settings")
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func resetsAtAnOrdinaryPaceAreNoViolation() throws {
        let harness = try Harness()
        try harness.feed(Frame.preface + Self.acknowledgement.bytes)
        var id: UInt32 = 1
        for _ in 0..<(3 * CallLimits.resetBurst / CallLimits.resetsPerSecond) {
            for _ in 0..<CallLimits.resetsPerSecond {
                try harness.feed(
                    Frame.headers(id, SessionPair.request(), end: false).bytes
                        + Frame.reset(id).bytes)
                id += 2
            }
            harness.eventLoop.advanceTime(by: .seconds(1))
        }
        #expect(harness.lastGoAway == nil)
    }

    @Test func row45ShutdownLetsRunningCallsFinish() throws {
        let harness = try Harness()
        let call = try harness.open("/test.Echo/Collect", body: Harness.envelope([1]), end: false)
        let id = call.pointee.id
        try harness.exchange()
        harness.loop.wake()
        harness.connection.shutDown()
        harness.loop.flush()
        harness.collect()
        #expect(harness.lastGoAway?.lastStream == UInt32(Int32.max))
        // A call that was already on its way is still taken.
        try harness.feed(
            Frame.headers(3, SessionPair.request("/test.Echo/Collect"), end: false).bytes)
        try harness.feed(Frame(.ping, flags: 1, payload: [0, 0, 0, 0, 0, 0, 0, 0]).bytes)
        #expect(harness.lastGoAway?.lastStream == 3)
        try harness.feed(
            Frame.headers(5, SessionPair.request("/test.Echo/Collect"), end: false).bytes)
        #expect(harness.loop.connectionCount == 1)
        try harness.feed(Frame.data(1, [], end: true).bytes)
        try harness.feed(Frame.data(3, Harness.envelope([1, 2]), end: true).bytes)
        #expect(harness.service.notes == ["received 1", "end", "received 2", "end"])
        #expect(harness.loop.connectionCount == 0, "nothing is left to do")
        #expect(id == 1)
    }

    @Test(.endsWhenHung) func whatOutlivesTheGraceIsCancelled() throws {
        let harness = try Harness()
        _ = try harness.open("/test.Echo/Collect", body: Harness.envelope([1]), end: false)
        try harness.exchange()
        let done = harness.loop.shutDown()
        harness.loop.closeAll()
        harness.collect()
        #expect(harness.service.notes == ["received 1", "cancelled"])
        harness.eventLoop.run()
        try done.wait()
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func row55ASlowPrefaceEndsTheConnection() throws {
        let harness = try Harness()
        try harness.feed(Array(Frame.preface.prefix(10)))
        harness.eventLoop.advanceTime(by: .seconds(CallLimits.handshakeSeconds))
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func row55SettingsThatAreNotAcknowledgedEndTheConnection() throws {
        let harness = try Harness()
        try harness.feed(Frame.preface)
        harness.eventLoop.advanceTime(by: .seconds(CallLimits.handshakeSeconds))
        harness.collect()
        #expect(harness.lastGoAway?.errorCode == ErrorCode.settingsTimeout.rawValue)
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func row47ASilentClientIsAskedAndThenGivenUp() throws {
        let harness = try Harness()
        try harness.exchange()
        harness.eventLoop.advanceTime(by: .seconds(CallLimits.keepaliveSeconds))
        harness.collect()
        #expect(harness.frames.last?.kind == .ping)
        // The client answers, so the connection stays.
        try harness.feed(
            Frame(.ping, flags: 1, payload: [0, 0, 0, 0, 0, 0, 0, 1]).bytes)
        harness.eventLoop.advanceTime(by: .seconds(CallLimits.keepaliveAnswerSeconds))
        #expect(harness.loop.connectionCount == 1)
        // The client does not answer, so the connection ends.
        harness.eventLoop.advanceTime(by: .seconds(CallLimits.keepaliveSeconds))
        harness.eventLoop.advanceTime(by: .seconds(CallLimits.keepaliveAnswerSeconds))
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func row53ASocketThatTakesNothingIsGivenUp() throws {
        let harness = try Harness()
        try harness.exchange()
        harness.channel.isWritable = false
        harness.channel.pipeline.fireChannelWritabilityChanged()
        let limit = CallLimits.stalledSeconds
        harness.eventLoop.advanceTime(by: .seconds(limit - CallLimits.sweepSeconds))
        #expect(harness.loop.connectionCount == 1)
        harness.eventLoop.advanceTime(by: .seconds(2 * CallLimits.sweepSeconds))
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func nothingIsWrittenWhileTheSocketIsFull() throws {
        let harness = try Harness()
        try harness.exchange()
        harness.channel.isWritable = false
        harness.channel.pipeline.fireChannelWritabilityChanged()
        _ = try harness.open("/test.Echo/Unary", body: Harness.envelope([1]))
        try harness.feed(try harness.client.output())
        let before = harness.writes
        #expect(harness.collect().isEmpty)
        harness.channel.isWritable = true
        harness.channel.pipeline.fireChannelWritabilityChanged()
        try harness.exchange()
        #expect(harness.writes == before + 1)
        #expect(harness.answer(1).messages == [[1]])
    }
}
