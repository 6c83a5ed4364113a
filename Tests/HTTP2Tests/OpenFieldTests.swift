import PeerSupport
import Testing

@testable import HTTP2

/// Fields whose values differ in each call, in compressed blocks that come again otherwise.
struct OpenFieldTests {
    private typealias Server = RepeatingServer

    @Test func anOpenFieldComesWithTheBlock() throws {
        var server = try Server()
        func block(_ timeout: String) -> [UInt8] {
            RepeatingServer.beginning + RepeatingServer.literal("grpc-timeout", timeout)
        }
        let first = try server.learn(block("1S"))
        for _ in 0..<2 {
            let stream = try server.send(block("1S"))
            #expect(stream.pointee.headers.pairs == [["grpc-timeout", "1S"]])
        }
        // It is the same header block, and another block.
        let other = try server.send(block("2S"))
        #expect(other.pointee.known?.takeUnretainedValue() === first)
        #expect(other.pointee.headers.pairs == [["grpc-timeout", "2S"]])
        #expect(try server.send(block("2S")).pointee.headers.pairs == [["grpc-timeout", "2S"]])
        #expect(try server.send(block("1S")).pointee.headers.pairs == [["grpc-timeout", "1S"]])
    }

    /// A header block with an open field in its middle, whose value is written as text.
    private static func block(timeout: [UInt8], last: String = "z") -> [UInt8] {
        RepeatingServer.beginning + [0x10] + RepeatingServer.text("grpc-timeout") + timeout
            + RepeatingServer.literal("last", last)
    }

    /// Whether the block is the known one but for the value of its open field.
    private static func isOpen(_ block: [UInt8], _ known: CachedHeaders, _ server: Server) -> Bool {
        block.withUnsafeBytes {
            known.isOpen(to: $0, server.session.walk.tableVersion)
        }
    }

    @Test func onlyTheOpenFieldIsDecodedWhereItsValueDiffers() throws {
        var server = try Server()
        let known = try server.learn(Self.block(timeout: RepeatingServer.text("1S")))
        // The last one is `1` and `2`, packed (RFC 7541, appendix B).
        let packed: [UInt8] = [0x82, 0x08, 0xBF]
        let values =
            ["2S", "100m", "99999999u", ""].map { ($0, RepeatingServer.text($0)) } + [
                ("12", packed)
            ]
        for (value, encoded) in values + values {
            let block = Self.block(timeout: encoded)
            #expect(Self.isOpen(block, known, server), "\(value)")
            let stream = try server.send(block)
            #expect(stream.pointee.known?.takeUnretainedValue() === known)
            #expect(stream.pointee.headers.pairs == [["grpc-timeout", value]])
            #expect(RepeatingServer.field("last", stream) == "z")
        }
    }

    @Test func aHeaderBlockThatDiffersElsewhereIsAnother() throws {
        var server = try Server()
        let known = try server.learn(Self.block(timeout: RepeatingServer.text("1S")))
        var other = Self.block(timeout: RepeatingServer.text("2S"))
        // A letter of the path.
        other[5] ^= 1
        let blocks = [
            Self.block(timeout: RepeatingServer.text("2S"), last: "y"), other,
            Self.block(timeout: RepeatingServer.text("2S")) + RepeatingServer.literal("x", "1"),
            Array(Self.block(timeout: RepeatingServer.text("2S")).dropLast(8)),
        ]
        for block in blocks {
            #expect(!Self.isOpen(block, known, server))
            let stream = try server.send(block)
            #expect(stream.pointee.known?.takeUnretainedValue() !== known)
            #expect(RepeatingServer.field("grpc-timeout", stream) == "2S")
        }
    }

    @Test func anOpenValueThatIsLongIsDecodedWithItsHeaderBlock() throws {
        var server = try Server()
        let known = try server.learn(Self.block(timeout: RepeatingServer.text("1S")))
        let most = SessionLimits.openFieldBytes
        for count in [most, most + 1] {
            let value = String(repeating: "1", count: count)
            let length: [UInt8] = count < 127 ? [UInt8(count)] : [127, UInt8(count - 127)]
            let block = Self.block(timeout: length + Array(value.utf8))
            #expect(Self.isOpen(block, known, server) == (count == most))
            let stream = try server.send(block)
            #expect((stream.pointee.known?.takeUnretainedValue() === known) == (count == most))
            #expect(stream.pointee.headers.pairs.contains(["grpc-timeout", value]))
            #expect(RepeatingServer.field("last", stream) == "z")
        }
    }

    @Test func aPackedValueThatMayBeLongIsDecodedWithItsHeaderBlock() throws {
        var server = try Server()
        let known = try server.learn(Self.block(timeout: RepeatingServer.text("1S")))
        // Eight characters `1` are five bytes, packed.
        let most = SessionLimits.openFieldBytes / 8
        for groups in [most, most + 1] {
            let code: [UInt8] = [0x08, 0x42, 0x10, 0x84, 0x21]
            let text = (0..<groups).flatMap { _ in code }
            let block = Self.block(timeout: [0x80 | UInt8(text.count)] + text)
            #expect(Self.isOpen(block, known, server) == (groups == most))
            let value = String(repeating: "1", count: 8 * groups)
            #expect(try server.send(block).pointee.headers.pairs.contains(["grpc-timeout", value]))
        }
    }

    @Test func thereIsRoomForTheLongestWrittenForm() throws {
        var server = try Server()
        func block(_ value: [UInt8]) -> [UInt8] {
            (0..<SessionLimits.openFields).reduce(RepeatingServer.beginning) { block, _ in
                block + [0] + RepeatingServer.text("traceparent") + value
            }
        }
        let known = try server.learn(block(RepeatingServer.text("t")))
        // A tab makes nghttp2 decode the value, and the length has a byte more than it needs.
        let value = "\t" + String(repeating: "v", count: SessionLimits.openFieldBytes - 1)
        let rest = UInt8(SessionLimits.openFieldBytes - 127)
        let long = block([127, 0x80 | rest, 0] + Array(value.utf8))
        for _ in 0..<2 {
            #expect(Self.isOpen(long, known, server))
            let stream = try server.send(long)
            #expect(stream.pointee.known?.takeUnretainedValue() === known)
            #expect(stream.pointee.headers.pairs.allSatisfy { $0[1] == value })
            #expect(stream.pointee.headers.count == SessionLimits.openFields)
            let short = try server.send(block(RepeatingServer.text("t")))
            #expect(short.pointee.known?.takeUnretainedValue() === known)
            #expect(short.pointee.headers.pairs.allSatisfy { $0[1] == "t" })
        }
    }

    @Test func severalOpenFieldsAreDecodedWithTheirHeaderBlock() throws {
        var server = try Server()
        func block(_ first: String, _ second: String) -> [UInt8] {
            RepeatingServer.beginning + RepeatingServer.literal("grpc-timeout", first)
                + RepeatingServer.literal("grpc-timeout", second)
        }
        let known = try server.learn(block("1S", "2S"))
        for values in [["1S", "3S"], ["4S", "2S"], ["", "123456S"]] {
            #expect(Self.isOpen(block(values[0], values[1]), known, server))
            let stream = try server.send(block(values[0], values[1]))
            #expect(stream.pointee.known?.takeUnretainedValue() === known)
            #expect(stream.pointee.headers.pairs.map { $0[1] } == values)
        }
    }

    @Test func openFieldsOfSeveralNamesKeepTheirOrder() throws {
        var server = try Server()
        func block(_ trace: [UInt8], _ timeout: [UInt8]) -> [UInt8] {
            RepeatingServer.beginning + [0] + RepeatingServer.text("traceparent") + trace
                + RepeatingServer.literal("x", "1") + [0]
                + RepeatingServer.text("grpc-timeout") + timeout
        }
        let known = try server.learn(block(RepeatingServer.text("t"), RepeatingServer.text("1S")))
        // The packed one is `12`; a value that is not a plain text is nghttp2's to judge.
        let packed: [UInt8] = [0x82, 0x08, 0xBF]
        let cases: [([UInt8], String)] = [
            (RepeatingServer.text("u"), "u"), (packed, "12"),
            (RepeatingServer.text("a\tb"), "a\tb"),
            (RepeatingServer.text(" c "), " c "),
        ]
        for (trace, value) in cases {
            let stream = try server.send(block(trace, RepeatingServer.text("2S")))
            #expect(stream.pointee.known?.takeUnretainedValue() === known)
            #expect(
                stream.pointee.headers.pairs == [["traceparent", value], ["grpc-timeout", "2S"]])
            #expect(RepeatingServer.field("x", stream) == "1")
            #expect(RepeatingServer.field("traceparent", stream) == value)
        }
    }

    @Test func anOpenFieldInTheTableComesWithOneThatIsWritten() throws {
        var server = try Server()
        _ = try server.send(RepeatingServer.beginning + RepeatingServer.added("grpc-timeout", "9S"))
        func block(_ trace: String) -> [UInt8] {
            RepeatingServer.beginning + [RepeatingServer.newest]
                + RepeatingServer.literal("traceparent", trace)
        }
        let known = try server.learn(block("1"))
        for trace in ["1", "22", "333"] {
            #expect(trace == "1" || Self.isOpen(block(trace), known, server))
            let stream = try server.send(block(trace))
            #expect(stream.pointee.known?.takeUnretainedValue() === known)
            #expect(
                stream.pointee.headers.pairs == [["grpc-timeout", "9S"], ["traceparent", trace]])
        }
    }

    @Test(arguments: [0, 1]) func noneOfTooManyOpenFieldsIsOpen(more: Int) throws {
        var server = try Server()
        let count = SessionLimits.openFields + more
        func block(_ value: String) -> [UInt8] {
            (0..<count).reduce(RepeatingServer.beginning) { block, _ in
                block + RepeatingServer.literal("traceparent", value)
            }
        }
        let known = try server.learn(block("1"))
        #expect(known.openCount == (more == 0 ? count : 0))
        #expect((try server.send(block("2")).pointee.known != nil) == (more == 0))
        let stream = try server.send(block("2"))
        #expect(stream.pointee.known != nil)
        #expect(stream.hasSeveralFields("traceparent"))
        #expect(RepeatingServer.field("traceparent", stream) == "2")
        #expect(stream.joined("traceparent", atMost: 100)?.count == 2 * count - 1)
    }

    @Test func aMalformedOpenValueIsRefusedAsInAnyHeaderBlock() throws {
        func answers(_ remembering: [StaticString]?) throws -> [Frame] {
            var server = try Server(remembering: remembering)
            let block = RepeatingServer.beginning + RepeatingServer.literal("traceparent", "t")
            _ = try server.send(block)
            _ = try server.send(block)
            _ = try server.session.output()
            let malformed =
                RepeatingServer.beginning + [0] + RepeatingServer.text("traceparent") + [1, 0]
            let id = server.skipStream()
            try server.session.receive(
                Frame(.headers, flags: Frame.endHeaders | 1, stream: id, payload: malformed).bytes)
            return Frame.read(try server.session.output())
        }
        #expect(try answers(RepeatingServer.open) == answers(nil))
    }
}
