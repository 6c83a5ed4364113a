import EchoSupport
import HTTP2
import NIOCore
import NIOEmbedded
import PeerSupport
import Testing

@testable import GRPC
@testable import GRPCWire

/// Clients that do not take the answers that they asked for, and connections that get old.
struct StallTests {
    private static let acknowledgement = Frame(.settings, flags: Frame.acknowledgement)

    /// A client whose windows for streams are as small as the test wants.
    private func begin(_ harness: Harness, window: UInt32) throws {
        try harness.feed(
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
                + Frame(.settings, payload: [0, 4] + Frame.bigEndian(window)).bytes
                + Self.acknowledgement.bytes)
    }

    private func ask(_ harness: Harness, _ id: UInt32, _ path: String, _ body: [UInt8]) throws {
        try harness.feed(
            Frame.headers(id, SessionPair.request(path), end: false).bytes
                + Frame.data(id, Harness.envelope(body), end: true).bytes)
    }

    /// Lets time pass; the client shows on each sweep that it is there.
    private func pass(_ harness: Harness, seconds: Int64, _ each: [UInt8] = []) throws {
        for _ in 0..<(seconds / CallLimits.sweepSeconds) {
            harness.eventLoop.advanceTime(by: .seconds(CallLimits.sweepSeconds))
            try harness.feed(Frame(.windowUpdate, payload: [0, 0, 0, 1]).bytes + each)
        }
    }

    private func resets(_ harness: Harness) -> [UInt32] {
        harness.frames.filter { $0.kind == .resetStream }.map(\.stream)
    }

    @Test func row53AWindowThatStaysClosedEndsItsStreamAlone() throws {
        let harness = try Harness()
        try begin(harness, window: 0)
        try ask(harness, 1, "/test.Echo/Expand", [200, 1, 0, 0])
        try ask(harness, 3, "/test.Echo/Collect", [1])
        try pass(harness, seconds: CallLimits.streamStalledSeconds - CallLimits.sweepSeconds)
        #expect(resets(harness).isEmpty)
        try pass(harness, seconds: CallLimits.sweepSeconds)
        #expect(resets(harness).sorted() == [1, 3])
        let reset = harness.frames.last { $0.kind == .resetStream }
        #expect(reset?.errorCode == ErrorCode.enhanceYourCalm.rawValue)
        #expect(harness.service.notes.contains("cancelled"))
        #expect(harness.connection.session.openStreams == 0)
        #expect(harness.lastGoAway == nil)
    }

    @Test func row53AWindowOpenedByteByByteDoesNotHelp() throws {
        let harness = try Harness()
        try begin(harness, window: 0)
        try ask(harness, 1, "/test.Echo/Expand", [200, 1, 0, 0])
        let more = Frame(.windowUpdate, stream: 1, payload: [0, 0, 0, 1]).bytes
        try pass(harness, seconds: CallLimits.streamStalledSeconds, more)
        #expect(resets(harness) == [1])
    }

    @Test func row53ASlowReaderIsLeftAlone() throws {
        let harness = try Harness()
        try begin(harness, window: 0)
        try ask(harness, 1, "/test.Echo/Expand", [200, 1, 0, 0])
        let looks = CallLimits.streamStalledSeconds / CallLimits.sweepSeconds
        let pace = UInt32(CallLimits.streamStalledBytes / Int(looks - 1) + 1)
        let more = Frame(.windowUpdate, stream: 1, payload: Frame.bigEndian(pace)).bytes
        try pass(harness, seconds: 5 * CallLimits.streamStalledSeconds, more)
        #expect(resets(harness).isEmpty)
    }

    @Test func row53AStreamWithNothingToSendMayLast() throws {
        let harness = try Harness()
        try begin(harness, window: 0)
        try harness.feed(Frame.headers(1, SessionPair.request("/test.Echo/Chat"), end: false).bytes)
        try pass(harness, seconds: 5 * CallLimits.streamStalledSeconds)
        #expect(resets(harness).isEmpty)
        #expect(harness.connection.session.openStreams == 1)
    }

    /// A message that comes in single bytes ends its call; a whole one is answered.
    @Test(arguments: ["/test.Echo/Unary", "/test.Echo/Collect"])
    func aMessageThatDoesNotBecomeWholeEndsItsCall(path: String) throws {
        let harness = try Harness()
        let slow = try harness.open(path, body: [0, 0, 0, 1, 0], end: false)
        let id = slow.pointee.id
        try harness.exchange()
        for _ in 0..<(CallLimits.messageSeconds / CallLimits.sweepSeconds) {
            harness.eventLoop.advanceTime(by: .seconds(CallLimits.sweepSeconds))
            try harness.send(slow, [1])
        }
        #expect(harness.answer(id).code == nil)
        harness.eventLoop.advanceTime(by: .seconds(CallLimits.sweepSeconds))
        try harness.exchange()
        #expect(harness.answer(id).code == "4")
        #expect(harness.answer(id).closeCode == .noError)
        #expect(try harness.call("/test.Echo/Unary", [5]).messages == [[5]])
    }

    @Test func aCallOfOneMessageMustSendItAndAStreamMayWait() throws {
        let harness = try Harness()
        let unary = try harness.open("/test.Echo/Unary", end: false).pointee.id
        let stream = try harness.open("/test.Echo/Collect", body: Harness.envelope([1]), end: false)
        let id = stream.pointee.id
        let waiting = try harness.open("/test.Echo/Wait", body: Harness.envelope([])).pointee.id
        try harness.exchange()
        for _ in 0...(CallLimits.messageSeconds / CallLimits.sweepSeconds) {
            harness.eventLoop.advanceTime(by: .seconds(CallLimits.sweepSeconds))
            try harness.exchange()
        }
        #expect(harness.answer(unary).code == "4")
        #expect(harness.answer(waiting).code == nil, "the server takes its time")
        try harness.send(stream, Harness.envelope([1, 2]), end: true)
        #expect(harness.answer(id).messages == [Array("3".utf8)])
    }

    @Test func theAnswersThatWaitOnOneConnectionAreBounded() throws {
        let harness = try Harness()
        try begin(harness, window: 0)
        let size = 4_000_000
        let fitting = CallLimits.connectionQueuedBytes / (size + Envelope.prefixBytes)
        for number in 0...fitting {
            let length = Array(Frame.bigEndian(UInt32(size)).dropFirst())
            try ask(harness, UInt32(number * 2 + 1), "/test.Echo/Large", length)
        }
        #expect(harness.connection.session.queuedBytes <= CallLimits.connectionQueuedBytes)
        // The last call ends with a status, and no answer is half sent; the others still wait.
        let heads = harness.frames.filter { $0.kind == .headers }
        #expect(heads.count == fitting + 1)
        #expect(heads.last?.stream == UInt32(fitting * 2 + 1))
        #expect(heads.count { $0.flags & Frame.endStream != 0 } == 1)
        // Short answers still come.
        try harness.feed(Frame(.settings, payload: [0, 4, 0, 0, 0, 100]).bytes)
        try ask(harness, 1_001, "/test.Echo/Unary", [1])
        #expect(harness.frames.contains { $0.kind == .data && $0.stream == 1_001 })
    }

    @Test func aConnectionWhoseCallIsRefusedIsReadALittleLater() throws {
        let harness = try Harness()
        let reads = ReadCounter()
        try harness.channel.pipeline.syncOperations.addHandler(reads, position: .first)
        _ = try harness.call("/test.Echo/Unary", [1])
        harness.channel.read()
        #expect(reads.count == 1)
        // Reading goes on at the next moment that is the same for all connections, not after a time
        // of the connection's own.
        let early = TimeAmount.milliseconds(CallLimits.refusedReadMilliseconds / 4)
        harness.eventLoop.advanceTime(by: early)
        #expect(try harness.call("/test.Echo/Fail", [8]).code == "8")
        harness.channel.read()
        harness.eventLoop.advanceTime(
            by: .milliseconds(CallLimits.refusedReadMilliseconds) - early - .nanoseconds(1))
        #expect(reads.count == 1)
        harness.eventLoop.advanceTime(by: .nanoseconds(1))
        #expect(reads.count == 2)
        harness.channel.read()
        #expect(reads.count == 3, "it waits once")
        // If more bytes have come than one read takes, calls have come together already, so reading
        // goes on at once.
        var calls: [UInt8] = []
        for number in 0..<200 {
            calls +=
                Frame.headers(
                    UInt32(2 * number + 1_001), SessionPair.request("/test.Echo/Fail"), end: false
                ).bytes
            calls +=
                Frame.data(
                    UInt32(2 * number + 1_001), Harness.envelope([8]), end: true
                ).bytes
        }
        #expect(calls.count >= CallLimits.bytesPerSlice)
        try harness.feed(calls)
        harness.channel.read()
        #expect(reads.count == 4)
    }

    @Test func row45AnOldConnectionIsAskedToGoAndItsCallsFinish() throws {
        let harness = try Harness { $0.connectionAgeSeconds = 100 }
        let call = try harness.open("/test.Echo/Collect", body: Harness.envelope([1]), end: false)
        let id = call.pointee.id
        try harness.exchange()
        harness.eventLoop.advanceTime(by: .seconds(85))
        try harness.exchange()
        #expect(harness.lastGoAway == nil)
        // The age ends by chance up to a tenth earlier; look before the warning ends too.
        for _ in 0..<3 where harness.lastGoAway == nil {
            harness.eventLoop.advanceTime(by: .seconds(CallLimits.sweepSeconds))
            harness.collect()
        }
        #expect(harness.lastGoAway?.lastStream == UInt32(Int32.max))
        #expect(harness.lastGoAway?.errorCode == ErrorCode.noError.rawValue)
        // The answer to the ping shows that the client has seen the warning; then the frame with
        // the true last stream is sent.
        try harness.feed(Frame(.ping, flags: 1, payload: [0, 0, 0, 0, 0, 0, 0, 0]).bytes)
        #expect(harness.lastGoAway?.lastStream == UInt32(id))
        #expect(harness.loop.connectionCount == 1)
        try harness.feed(Frame.data(UInt32(id), [], end: true).bytes)
        #expect(harness.service.notes == ["received 1", "end"])
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func row45AStreamWithoutEndEndsWhenTheClientOfAnOldConnectionWasWarned() throws {
        let harness = try Harness { $0.connectionAgeSeconds = 100 }
        let path = "/grpc.health.v1.Health/Watch"
        let watch = try harness.open(path, body: Harness.envelope([])).pointee.id
        let call = try harness.open("/test.Echo/Collect", body: Harness.envelope([1]), end: false)
        let id = call.pointee.id
        try harness.exchange()
        // The age ends by chance up to a tenth earlier; stop before the warning ends too.
        harness.eventLoop.advanceTime(by: .seconds(85))
        for _ in 0..<3 where harness.lastGoAway == nil {
            harness.eventLoop.advanceTime(by: .seconds(CallLimits.sweepSeconds))
            harness.collect()
        }
        // This call was on its way when the client was warned.
        let late = try harness.open(path, body: Harness.envelope([])).pointee.id
        try harness.feed(try harness.client.output())
        let ended = harness.frames.filter { $0.kind == .headers && $0.flags & 1 != 0 }
        #expect(ended.map(\.stream) == [UInt32(watch), UInt32(late)])
        let kinds = harness.frames.map(\.kind)
        let warned = try #require(kinds.firstIndex(of: .goAway))
        #expect(warned < kinds.lastIndex(of: .headers)!, "whoever goes on does it elsewhere")
        try harness.client.receive(harness.sent)
        for (stream, _) in harness.client.allReady() where stream.pointee.id == watch {
            #expect(stream.pointee.trailers.text("grpc-status") == "14")
            let message = stream.pointee.trailers.text("grpc-message")
            #expect(message == "the time of the connection is over")
        }
        #expect(harness.connection.session.openStreams == 1, "call \(id) goes on")
    }

    @Test func row45WhatOutlivesTheGraceOfAnOldConnectionIsEnded() throws {
        let harness = try Harness { $0.connectionAgeSeconds = 100 }
        _ = try harness.open("/test.Echo/Collect", body: Harness.envelope([1]), end: false)
        try harness.exchange()
        harness.eventLoop.advanceTime(by: .seconds(100))
        harness.collect()
        #expect(harness.loop.connectionCount == 1)
        harness.eventLoop.advanceTime(by: .seconds(CallLimits.graceSeconds))
        harness.collect()
        #expect(harness.loop.connectionCount == 0)
        #expect(harness.service.notes == ["received 1", "cancelled"])
    }

    @Test func row53AHeaderBlockThatComesByTheByteEndsItsConnection() throws {
        let harness = try Harness()
        try begin(harness, window: 100_000)
        let head = Frame.headers(1, SessionPair.request()).bytes
        // The frame has begun, and each sweep finds one byte more.
        try harness.feed(Array(head.prefix(12)))
        var offset = 12
        for _ in 0..<(CallLimits.headerSeconds / CallLimits.sweepSeconds - 1) {
            harness.eventLoop.advanceTime(by: .seconds(CallLimits.sweepSeconds))
            try harness.feed([head[offset]])
            offset += 1
        }
        #expect(harness.lastGoAway == nil)
        harness.eventLoop.advanceTime(by: .seconds(CallLimits.sweepSeconds))
        harness.collect()
        #expect(harness.lastGoAway?.errorCode == ErrorCode.enhanceYourCalm.rawValue)
        #expect(harness.connection.session.violation?.description == "slow_head")
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func row53AHeaderBlockThatNeverGoesOnEndsItsConnection() throws {
        let harness = try Harness()
        try begin(harness, window: 100_000)
        // The frame is complete, the block is not.
        let block = Frame.block(SessionPair.request())
        try harness.feed(Frame(.headers, stream: 1, payload: block).bytes)
        harness.eventLoop.advanceTime(by: .seconds(CallLimits.headerSeconds))
        harness.collect()
        #expect(harness.connection.session.violation?.description == "slow_head")
    }

    @Test func row53HeaderBlocksThatFollowEachOtherHaveTimeEach() throws {
        let harness = try Harness()
        try begin(harness, window: 100_000)
        // Each sweep finds the connection within a header block, and each time it is another header
        // block.
        var rest: [UInt8] = []
        for stream in stride(from: 1, to: 41, by: 2) {
            let head = Frame.headers(UInt32(stream), SessionPair.request()).bytes
            try harness.feed(rest + head.prefix(12))
            rest = Array(head.dropFirst(12))
            harness.eventLoop.advanceTime(by: .seconds(CallLimits.sweepSeconds))
        }
        harness.collect()
        #expect(harness.lastGoAway == nil)
    }

    @Test func row53AFrameThatComesByTheByteEndsItsConnection() throws {
        let harness = try Harness()
        try begin(harness, window: 100_000)
        let ping = Frame.ping().bytes
        try harness.feed(Array(ping.prefix(3)))
        let looks = Int(CallLimits.messageSeconds / CallLimits.sweepSeconds)
        for look in 1..<looks {
            harness.eventLoop.advanceTime(by: .seconds(CallLimits.sweepSeconds))
            if look % 6 == 0 { try harness.feed([ping[3 + look / 6 - 1]]) }
        }
        harness.collect()
        #expect(harness.lastGoAway == nil)
        harness.eventLoop.advanceTime(by: .seconds(CallLimits.sweepSeconds))
        harness.collect()
        #expect(harness.connection.session.violation?.description == "slow_frame")
    }
}

/// Counts how often a connection asked for bytes.
private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    private(set) var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }
}
