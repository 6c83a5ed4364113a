import Compression
import EchoSupport
import NIOCore
import NIOEmbedded
import PeerSupport
import RPC
import Testing

@testable import GRPC
@testable import GRPCClient
@testable import GRPCWire

/// Compressed messages, in either direction.
struct PackingTests {
    private static func packed(
        _ message: [UInt8], _ format: CompressionFormat = .gzip
    ) throws -> [UInt8] {
        let deflater = try #require(Deflater(format))
        // The result of `deflate` is valid only as long as the deflater lives.
        return try withExtendedLifetime(deflater) {
            try message.withUnsafeBytes { Array(try #require(deflater.deflate($0))) }
        }
    }

    private static func envelope(_ packed: [UInt8]) -> [UInt8] {
        [1] + Frame.bigEndian(UInt32(packed.count)) + packed
    }

    private static func unpacked(
        _ message: [UInt8], _ format: CompressionFormat
    ) throws -> [UInt8] {
        let inflater = Inflater()
        return try withExtendedLifetime(inflater) {
            try message.withUnsafeBytes {
                Array(try inflater.inflate($0, format, limit: CallLimits.messageBytes))
            }
        }
    }

    private static let zeros = [UInt8](repeating: 0, count: 50_000)

    @Test(arguments: [("gzip", CompressionFormat.gzip), ("deflate", .zlib)])
    func whoCompressesIsAnsweredAlike(name: String, format: CompressionFormat) throws {
        let harness = try Harness()
        let answer = try harness.call(
            "/test.Echo/Unary", body: Self.envelope(try Self.packed(Self.zeros, format)),
            extra: [("grpc-encoding", name), ("grpc-accept-encoding", "identity, gzip,deflate")])
        #expect(answer.code == "0")
        #expect(answer.field("grpc-encoding") == name)
        #expect(answer.body.first == 1)
        #expect(try Self.unpacked(answer.messages[0], format) == Self.zeros)
    }

    @Test(arguments: [nil, "identity", "br,zstd"])
    func row29AnAnswerIsCompressedOnlyWithWhatTheClientTakes(accepted: String?) throws {
        let harness = try Harness()
        let answer = try harness.call(
            "/test.Echo/Unary", body: Self.envelope(try Self.packed(Self.zeros)),
            extra: [("grpc-encoding", "gzip")]
                + (accepted.map { [("grpc-accept-encoding", $0)] } ?? []))
        #expect(answer.field("grpc-encoding") == nil)
        #expect(answer.messages == [Self.zeros])
        #expect(answer.body.first == 0)
    }

    @Test func aCallMayCompressForAClientThatDoesNot() throws {
        let harness = try Harness()
        let extra = [("grpc-accept-encoding", "identity,deflate,gzip"), ("x-pack", "1")]
        let answer = try harness.call(
            "/test.Echo/Chat",
            body: Harness.envelope(Self.zeros) + Harness.envelope([1]), extra: extra)
        #expect(answer.field("grpc-encoding") == "gzip")
        #expect(answer.body.first == 1)
        #expect(try Self.unpacked(answer.messages[0], .gzip) == Self.zeros)
        #expect(answer.messages[1] == [1], "what is short goes as it is")
        // The next call of the same object is not compressed.
        let next = try harness.call(
            "/test.Echo/Unary", body: Harness.envelope(Self.zeros), extra: [extra[0]])
        #expect(next.messages == [Self.zeros])
    }

    @Test func eachMessageSaysForItselfWhetherItIsCompressed() throws {
        let harness = try Harness()
        let body =
            Self.envelope(try Self.packed(Self.zeros)) + Harness.envelope([1, 2])
            + Self.envelope(try Self.packed(Self.zeros + [1]))
        let answer = try harness.call(
            "/test.Echo/Collect", body: body, extra: [("grpc-encoding", "gzip")])
        #expect(answer.messages == [Array("100003".utf8)])
    }

    @Test func row18ACompressedMessageNeedsAnEncoding() throws {
        for encoding in [[], [("grpc-encoding", "identity")]] {
            let harness = try Harness()
            let body = Self.envelope(try Self.packed(Self.zeros))
            let answer = try harness.call("/test.Echo/Unary", body: body, extra: encoding)
            #expect(answer.code == "13")
        }
    }

    @Test func row20APlainMessageNeedsNone() throws {
        let harness = try Harness()
        let answer = try harness.call(
            "/test.Echo/Unary", [1, 2], extra: [("grpc-encoding", "gzip")])
        #expect(answer.messages == [[1, 2]])
    }

    @Test func row21WhatIsNotOfTheEncodingIsRefused() throws {
        let good = try Self.packed(Self.zeros)
        let wrong: [[UInt8]] = [
            [], [1, 2, 3], Array(good.dropLast()), good + [0], try Self.packed(Self.zeros, .zlib),
        ]
        for packed in wrong {
            for path in ["/test.Echo/Unary", "/test.Echo/Collect"] {
                let harness = try Harness()
                let answer = try harness.call(
                    path, body: Self.envelope(packed), extra: [("grpc-encoding", "gzip")])
                #expect(answer.code == "13")
                #expect(answer.message == "a message is not valid gzip")
                #expect(harness.service.notes.filter { $0 != "cancelled" }.isEmpty)
            }
        }
    }

    @Test func row22TheLimitIsOfTheExpandedMessage() throws {
        let harness = try Harness { $0.maxReceivedMessageBytes = 100_000 }
        let extra = [("grpc-encoding", "gzip")]
        for (count, code) in [(100_000, "0"), (100_001, "8"), (50_000_000, "8")] {
            let bomb = try Self.packed([UInt8](repeating: 0, count: count))
            let answer = try harness.call(
                "/test.Echo/Unary", body: Self.envelope(bomb), extra: extra)
            #expect(answer.code == code, "\(count)")
        }
    }

    @Test func bombsOneAfterAnotherAreRefusedBeforeTheyAreExpanded() throws {
        let harness = try Harness()
        let extra = [("grpc-encoding", "gzip")]
        // An address that is alone has half of what the loop expands in a second.
        let most = CallLimits.expandedBytesPerSecond / 2 / CallLimits.messageBytes
        let large = [UInt8](repeating: 0, count: CallLimits.messageBytes)
        let body = Self.envelope(try Self.packed(large))
        func send() throws -> String? {
            try harness.call("/test.Echo/Collect", body: body, extra: extra).code
        }
        for _ in 0..<most { #expect(try send() == "0") }
        #expect(try send() == "8")
        #expect(harness.service.notes.count { $0.hasPrefix("received") } == most)
        // Plain messages are still answered, and a new second brings a new budget.
        #expect(try harness.call("/test.Echo/Unary", [1]).code == "0")
        harness.eventLoop.advanceTime(by: .seconds(1))
        for _ in 0..<most { #expect(try send() == "0") }
        #expect(try send() == "8")
        // Messages that turn out to be malformed gzip count with the bytes that they expanded to.
        harness.eventLoop.advanceTime(by: .seconds(1))
        let broken = Self.envelope(try Self.packed(large).dropLast())
        for _ in 0..<most {
            #expect(try harness.call("/test.Echo/Unary", body: broken, extra: extra).code == "13")
        }
        #expect(try send() == "8")
    }

    @Test func whatExpandsForUnauthenticatedCallersInASecondStaysBelowItsBound() throws {
        let harness = try Harness()
        let extra = [("grpc-encoding", "gzip")]
        // The message expands two hundredfold; compressed, it is within the limit for messages.
        let large = [UInt8](repeating: 0, count: 1 << 18)
        let bomb = Self.envelope(try Self.packed(large))
        try #require(bomb.count < CallLimits.unauthenticatedMessageBytes)
        for _ in 0..<2_000 {
            let answer = try harness.call("/grpc.health.v1.Health/Check", body: bomb, extra: extra)
            #expect(answer.code == "8")
        }
        let used = harness.loop.expansion.used
        // Half of the budget is used, because all messages came from one address; the last one may
        // exceed it.
        let most =
            CallLimits.unauthenticatedBytesPerSecond / 2 + CallLimits.unauthenticatedMessageBytes
        #expect((1...most).contains(used.unauthenticated))
        #expect(used.callers == 0)
        // The budget of callers with a credential is untouched.
        let body = Self.envelope(try Self.packed(Self.zeros))
        #expect(try harness.call("/test.Echo/Unary", body: body, extra: extra).code == "0")
    }

    @Test func aNameThatIsPackedIsUnderstood() throws {
        let harness = try Harness()
        let name = [UInt8](repeating: UInt8(ascii: "n"), count: CallLimits.serviceNameBytes)
        // Field 1, with a length that takes two bytes.
        let request = [10, 0x80, 8] + name
        let answer = try harness.call(
            "/grpc.health.v1.Health/Check", body: Self.envelope(try Self.packed(request)),
            extra: [("grpc-encoding", "gzip")])
        #expect(answer.code == "5")
    }

    @Test func aTurnEndsWithALargeExpansion() throws {
        let harness = try Harness()
        let extra = [("grpc-encoding", "gzip")]
        let large = [UInt8](repeating: 0, count: CallLimits.largeExpansionBytes)
        let body = Self.envelope(try Self.packed(large))
        try harness.exchange()
        for _ in 0..<2 { _ = try harness.open("/test.Echo/Unary", body: body, extra: extra) }
        // Three messages of one stream have a turn each, too.
        _ = try harness.open("/test.Echo/Collect", body: body + body + body, extra: extra)
        try harness.feed(try harness.client.output())
        func received() -> Int { harness.service.notes.count { $0.hasPrefix("received") } }
        // Each call is answered before the next message is expanded.
        let written = harness.writes
        #expect(harness.loop.expansion.used.callers == large.count)
        harness.eventLoop.advanceTime(by: .microseconds(CallLimits.sliceGapMicroseconds))
        harness.collect()
        #expect(harness.writes > written)
        #expect(harness.loop.expansion.used.callers == 2 * large.count)
        #expect(received() == 0)
        harness.eventLoop.advanceTime(by: .microseconds(CallLimits.sliceGapMicroseconds))
        for message in 1...3 {
            #expect(received() == message)
            harness.eventLoop.advanceTime(by: .microseconds(CallLimits.sliceGapMicroseconds))
        }
        #expect(received() == 3)
        #expect(harness.loop.expansion.used.callers == 5 * large.count)
    }

    /// A client's connection on the loop of a harness.
    private func connection(on harness: Harness) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(
            handler: try ServerConnection(loop: harness.loop) {}, loop: harness.eventLoop)
        let acknowledgement = Frame(.settings, flags: Frame.acknowledgement)
        let beginning = Frame.preface + acknowledgement.bytes
        try channel.writeInbound(ByteBuffer(bytes: beginning))
        return channel
    }

    private func call(
        _ stream: UInt32, _ envelope: [UInt8], _ channel: EmbeddedChannel, isPacked: Bool = true
    ) throws {
        let fields = isPacked ? [("grpc-encoding", "gzip")] : []
        let bytes =
            Frame.headers(
                stream, SessionPair.request("/test.Echo/Collect") + fields, end: false
            ).bytes + Frame.data(stream, envelope, end: true).bytes
        try channel.writeInbound(ByteBuffer(bytes: bytes))
    }

    /// A loop expands so much before it looks at its sockets again, for all connections together,
    /// be the messages large or small; other calls do not wait.
    @Test(arguments: [CallLimits.largeExpansionBytes, CallLimits.largeExpansionBytes / 4])
    func connectionsThatAreReadableAtOnceTakeTurnsToExpand(_ bytes: Int) throws {
        let harness = try Harness()
        let body = Self.envelope(try Self.packed([UInt8](repeating: 0, count: bytes)))
        let perSlice = CallLimits.largeExpansionBytes / bytes
        let channels = try (0..<(5 * perSlice)).map { _ in try connection(on: harness) }
        let other = try connection(on: harness)
        defer { for channel in channels + [other] { _ = try? channel.finish() } }
        func received(_ count: Int) -> Int {
            harness.service.notes.count { $0 == "received \(count)" }
        }
        for channel in channels { try call(1, body, channel) }
        #expect(received(bytes) == perSlice)
        try call(1, Harness.envelope([1]), other, isPacked: false)
        #expect(received(1) == 1)
        // Every one comes to its turn, one connection in each.
        for waiting in 1...(4 * perSlice) {
            harness.eventLoop.advanceTime(by: .microseconds(CallLimits.sliceGapMicroseconds))
            #expect(received(bytes) == perSlice + waiting)
        }
        #expect(!harness.loop.hasUnfinished)
        // A later message waits for nothing.
        harness.eventLoop.advanceTime(by: .microseconds(CallLimits.sliceGapMicroseconds))
        try call(3, body, channels[0])
        #expect(received(bytes) == 5 * perSlice + 1)
    }

    @Test(arguments: [CallLimits.compressibleBytes - 1, CallLimits.compressibleBytes])
    func onlyMessagesOfALengthAreCompressed(count: Int) throws {
        let harness = try Harness()
        let answer = try harness.call(
            "/test.Echo/Unary", [UInt8](repeating: 5, count: count),
            extra: [("grpc-encoding", "gzip"), ("grpc-accept-encoding", "gzip")])
        #expect(answer.body.first == (count < CallLimits.compressibleBytes ? 0 : 1))
        #expect(answer.field("grpc-encoding") == "gzip")
    }

    @Test func aHandlerSeesWhetherItsMessageWasCompressed() throws {
        let harness = try Harness()
        let body = Self.envelope(try Self.packed(Self.zeros)) + Harness.envelope([1])
        _ = try harness.call(
            "/test.Echo/Chat", body: body,
            extra: [("grpc-encoding", "gzip"), ("x-note", "1")])
        #expect(harness.service.notes == ["compressed", "plain"])
    }

    @Test(.endsWhenHung, arguments: [MessageEncoding.gzip, .deflate])
    func ourClientCompressesAndIsAnsweredAlike(encoding: MessageEncoding) async throws {
        try await LiveServer.run { (_, address, service) async throws in
            var configuration = ClientConfiguration(host: address.host, port: address.port)
            configuration.encoding = encoding
            let channel = Channel(configuration)
            let message = Self.zeros
            #expect(try await channel.unary("/test.Echo/Unary", message) == message)
            let stream = channel.bidirectional(
                "/test.Echo/Chat", metadata: [("x-note", .text("1"))])
            for (sent, compressed) in [(message, true), (message, false), ([1], true)] {
                try await stream.send(sent, compressed: compressed)
                #expect(try await stream.next() == sent)
            }
            stream.finishSending()
            #expect(try await stream.next() == nil)
            #expect(await stream.compressedMessages() == 2)
            #expect(service.notes == ["compressed", "plain", "plain"])
            await channel.close()
        }
    }
}
