import EchoSupport
import HTTP2
import Memory
import NIOCore
import NIOEmbedded
import PeerSupport
import Protobuf
import Synchronization
import Testing

@testable import GRPC
@testable import GRPCWire

/// The frames that a client sees when the server stops, and the state afterwards.
struct StopTests {
    /// The frames of a server in words, without frames that have nothing to do with a stop.
    private static func words(_ frames: [Frame]) -> [String] {
        frames.compactMap { frame in
            switch frame.kind {
            case .goAway:
                let last = frame.lastStream == UInt32(Int32.max) ? "none" : "\(frame.lastStream!)"
                return "goaway \(frame.errorCode!) after \(last)"
            case .ping: return frame.flags == 0 ? "ping" : nil
            case .headers:
                return frame.flags & Frame.endStream == 0
                    ? "head \(frame.stream)" : "end \(frame.stream)"
            case .resetStream: return "reset \(frame.stream) \(frame.errorCode!)"
            default: return nil
            }
        }
    }

    private static let watch = "/grpc.health.v1.Health/Watch"

    @Test func row45FirstTheWarningThenTheEndsOfStreamsThenTheLastCallThenTheAnswers() throws {
        let harness = try Harness()
        try harness.exchange()
        let unary = try harness.open("/test.Echo/Wait", body: Harness.envelope([1]))
        let lasting = try harness.open(Self.watch, body: Harness.envelope([]))
        let (first, second) = (unary.pointee.id, lasting.pointee.id)
        try harness.exchange()
        let before = harness.frames.count

        let done = harness.loop.shutDown()
        harness.eventLoop.run()
        harness.collect()
        #expect(
            Self.words(Array(harness.frames[before...])) == [
                "goaway 0 after none", "end \(second)", "ping",
            ])
        try harness.feed(Frame(.ping, flags: 1, payload: [UInt8](repeating: 0, count: 8)).bytes)
        #expect(Self.words(harness.frames).last == "goaway 0 after \(second)")
        #expect(harness.loop.connectionCount == 1, "a call still runs")

        let handle = try #require(harness.service.waiting.withLock { $0.popLast() })
        handle.resume { call in call.respond { $0.append([9]) } }
        harness.eventLoop.run()
        harness.collect()
        #expect(Self.words(harness.frames).suffix(2) == ["head \(first)", "end \(first)"])
        #expect(harness.loop.connectionCount == 0)
        harness.eventLoop.run()
        try done.wait()
    }

    @Test func aStreamWithoutEndThatComesAfterTheWarningEndsAtOnceAndAShortCallIsAnswered() throws {
        let harness = try Harness()
        try harness.exchange()
        _ = harness.loop.shutDown()
        // Both calls were on their way when the client was warned.
        let late = try harness.open(Self.watch, body: Harness.envelope([]))
        let short = try harness.open("/test.Echo/Unary", body: Harness.envelope([7]))
        let (lateID, shortID) = (late.pointee.id, short.pointee.id)
        try harness.feed(try harness.client.output())
        try harness.client.receive(harness.sent)
        for (stream, events) in harness.client.allReady() where events.contains(.end) {
            let fields = stream.pointee.headers.pairs + stream.pointee.trailers.pairs
            let code = fields.first { $0[0] == "grpc-status" }?[1]
            #expect(code == (stream.pointee.id == lateID ? "14" : "0"))
            #expect([lateID, shortID].contains(stream.pointee.id))
        }
        #expect(Self.words(harness.frames).filter { $0.hasPrefix("end") }.count == 2)
    }

    @Test func aCallThatComesWhileTheLastFrameWaitsIsRefusedAndNotRun() throws {
        let harness = try Harness()
        _ = try harness.open("/test.Echo/Wait", body: Harness.envelope([1]))
        try harness.exchange()
        _ = harness.loop.shutDown()
        harness.eventLoop.run()
        harness.collect()
        // The client answers the ping, and for now takes no more bytes.
        harness.channel.isWritable = false
        harness.channel.pipeline.fireChannelWritabilityChanged()
        try harness.feed(Frame(.ping, flags: 1, payload: [UInt8](repeating: 0, count: 8)).bytes)
        try harness.feed(
            Frame.headers(3, SessionPair.request("/test.Echo/Collect"), end: false).bytes
                + Frame.data(3, Harness.envelope([1]), end: true).bytes)
        #expect(harness.service.notes.isEmpty, "it learned that nothing after the first call ran")
        harness.channel.isWritable = true
        harness.channel.pipeline.fireChannelWritabilityChanged()
        harness.collect()
        let words = Self.words(harness.frames)
        #expect(words.contains("goaway 0 after 1"))
        #expect(words.contains("reset 3 \(ErrorCode.refusedStream.rawValue)"))
    }

    @Test func aClientThatHasNotBegunLearnsThatNothingOfItRan() throws {
        let harness = try Harness()
        _ = harness.loop.shutDown()
        harness.eventLoop.run()
        harness.collect()
        #expect(Self.words(harness.frames) == ["goaway 0 after 0"])
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func aCallOfAClientThatHasJustBegunIsAnswered() throws {
        let harness = try Harness()
        // The settings of the server are not acknowledged yet.
        let head = Frame.headers(1, SessionPair.request("/test.Echo/Wait"), end: false)
        let body = Frame.data(1, Harness.envelope([1]), end: true)
        try harness.feed(Frame.preface + head.bytes + body.bytes)
        _ = harness.loop.shutDown()
        #expect(harness.loop.connectionCount == 1)
        try harness.feed(
            Frame(.settings, flags: Frame.acknowledgement).bytes
                + Frame(.ping, flags: 1, payload: [UInt8](repeating: 0, count: 8)).bytes)
        let handle = try #require(harness.service.waiting.withLock { $0.popLast() })
        handle.resume { call in call.respond { $0.append([9]) } }
        harness.eventLoop.run()
        harness.collect()
        #expect(Self.words(harness.frames).suffix(3) == ["goaway 0 after 1", "head 1", "end 1"])
        #expect(harness.loop.connectionCount == 0)
    }

    @Test(arguments: [true, false])
    func aClientThatAnswersNoPingHoldsUpAStopOnlyForItsCalls(isWritable: Bool) throws {
        let idle = try Harness()
        try idle.exchange()
        idle.channel.isWritable = isWritable
        idle.channel.pipeline.fireChannelWritabilityChanged()
        _ = idle.loop.shutDown()
        idle.eventLoop.advanceTime(by: .seconds(CallLimits.warningSeconds - 1))
        #expect(idle.loop.connectionCount == 1)
        idle.eventLoop.advanceTime(by: .seconds(1))
        #expect(idle.loop.connectionCount == 0)
        idle.collect()
        #expect(!isWritable || Self.words(idle.frames).last == "goaway 0 after 0")
    }

    @Test func aClientThatAnswersNoPingGetsItsAnswers() throws {
        let harness = try Harness()
        _ = try harness.open("/test.Echo/Wait", body: Harness.envelope([1]))
        try harness.exchange()
        _ = harness.loop.shutDown()
        harness.eventLoop.advanceTime(by: .seconds(CallLimits.warningSeconds))
        harness.collect()
        #expect(Self.words(harness.frames).last == "goaway 0 after 1")
        #expect(harness.loop.connectionCount == 1)
        let handle = try #require(harness.service.waiting.withLock { $0.popLast() })
        handle.resume { call in call.respond { $0.append([9]) } }
        harness.eventLoop.run()
        harness.collect()
        #expect(Self.words(harness.frames).last == "end 1")
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func whatIsCutOffHasAStatus() throws {
        let harness = try Harness()
        let unary = try harness.open("/test.Echo/Wait", body: Harness.envelope([1]))
        let chat = try harness.open(
            "/test.Echo/Chat", body: Harness.envelope([1]), end: false)
        let ids = [unary.pointee.id, chat.pointee.id]
        try harness.exchange()
        _ = harness.loop.shutDown()
        #expect(harness.loop.closeAll() == 2)
        try harness.exchange()
        for id in ids {
            #expect(harness.answer(id).code == "14")
            #expect(harness.answer(id).message == "the server is stopping")
        }
        #expect(Self.words(harness.frames).last == "goaway 0 after \(ids[1])")
        #expect(harness.service.notes == ["cancelled"])
        #expect(harness.loop.connectionCount == 0)
    }

    @Test(.endsWhenHung) func aClientThatReadsNothingIsGivenUpWithAllThatItHeld() throws {
        let harness = try Harness()
        let stream = try harness.open(
            "/test.Echo/Expand", body: Harness.envelope([100, 1, 0, 0]))
        _ = try harness.open("/test.Echo/Wait", body: Harness.envelope([1]))
        harness.channel.isWritable = false
        harness.channel.pipeline.fireChannelWritabilityChanged()
        try harness.feed(try harness.client.output())
        try harness.feed(
            Frame(.settings, flags: Frame.acknowledgement).bytes)
        let done = harness.loop.shutDown()
        harness.eventLoop.run()
        #expect(harness.loop.connectionCount == 1)
        #expect(harness.loop.closeAll() == 2)
        #expect(harness.loop.connectionCount == 0)
        #expect(harness.loop.calls.allSatisfy { !$0.isInUse })
        harness.eventLoop.run()
        try done.wait()
        #expect(harness.service.notes == ["cancelled"])
        #expect(stream.pointee.id == 1)
    }
}
