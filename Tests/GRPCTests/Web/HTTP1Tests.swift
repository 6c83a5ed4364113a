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

/// A client of HTTP/1.1, as far as a clock and single bytes matter; `Tests/Python/test_http1.py`
/// has the rest.
struct HTTP1Tests {
    /// An answer of HTTP/1.1 with a length.
    private struct Answer: Equatable {
        var status = ""
        var fields: [String] = []
        var body: [UInt8] = []
    }

    private static let gone = "connection: close"

    private func request(
        _ path: String = "/test.Echo/Unary", _ body: [UInt8] = [1, 2, 3], _ more: String = ""
    ) -> [UInt8] {
        let head = """
            POST \(path) HTTP/1.1\r
            host: test\r
            content-type: application/proto\r
            content-length: \(body.count)\r
            \(more)\r

            """
        return Array(head.utf8) + body
    }

    /// Feeds bytes and returns the answers that are whole by then.
    private func answers(_ harness: Harness, _ bytes: [UInt8]) throws -> [Answer] {
        let start = harness.sent.count
        try harness.feed(bytes)
        harness.eventLoop.run()
        harness.collect()
        return Self.parse(Array(harness.sent[start...]))
    }

    private static func parse(_ bytes: [UInt8]) -> [Answer] {
        var answers: [Answer] = []
        var rest = bytes[...]
        while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
            let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
                .components("\r\n")
            let length = lines.first { $0.hasPrefix("content-length: ") }
                .flatMap { Int($0.dropFirst("content-length: ".count)) }
            rest = rest[end.upperBound...]
            let body = rest.prefix(length ?? 0)
            rest = rest.dropFirst(body.count)
            answers.append(
                Answer(
                    status: lines[0], fields: Array(lines.dropFirst()), body: Array(body)))
        }
        return answers
    }

    @Test func row70ACallIsAnsweredOverHTTP1AndTheConnectionGoesOn() throws {
        let harness = try Harness()
        for number in [1, 2, 3] as [UInt8] {
            let answer = try answers(harness, request("/test.Echo/Unary", [number])).first
            #expect(answer?.status == "HTTP/1.1 200 OK")
            #expect(answer?.body == [number])
            #expect(answer?.fields.contains("content-type: application/proto") == true)
        }
        #expect(harness.loop.connectionCount == 1)
    }

    /// A head that comes again is known by its bytes, whatever the length of its body.
    @Test func row70AHeaderSectionThatComesAgainHasItsOwnBody() throws {
        let harness = try Harness()
        for length in [3, 3, 3, 12, 1, 0, 200, 12] {
            let body = (0..<length).map { UInt8($0) }
            let answer = try answers(harness, request("/test.Echo/Unary", body)).first
            #expect(answer?.status == "HTTP/1.1 200 OK")
            #expect(answer?.body == body)
        }
        // A part of such a head is waited for, and one that goes on otherwise is read as it is.
        let whole = request("/test.Echo/Unary", [7])
        #expect(try answers(harness, Array(whole[..<20])).isEmpty)
        #expect(try answers(harness, Array(whole[20...])).map(\.body) == [[7]])
        let other = try answers(harness, request("/test.Echo/Unary", [8], "x: y\r\n")).first
        #expect(other?.body == [8])
        let last = try answers(harness, request("/test.Echo/Unary", [9], Self.gone + "\r\n")).first
        #expect(last?.body == [9] && last?.fields.contains(Self.gone) == true)
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func row70ACachedHeaderBlockMayEndTheConnection() throws {
        for _ in 0..<2 {
            let harness = try Harness()
            let plain = request("/test.Echo/Unary", [1])
            let last = request("/test.Echo/Unary", [2], Self.gone + "\r\n")
            for bytes in [plain, plain, plain] {
                let answer = try answers(harness, bytes).first
                #expect(answer?.fields.contains(Self.gone) == false)
            }
            #expect(try answers(harness, last + plain).map(\.body) == [[2]])
            #expect(harness.loop.connectionCount == 0)
        }
    }

    /// A head that is known must not be taken for another one with more digits, or none.
    @Test(arguments: ["", "-1", "1234567890123456789", "1x", "x", "+1", "1,1"])
    func row76TheLengthOfACachedHeaderBlockIsChecked(length: String) throws {
        let harness = try Harness()
        for _ in 0..<3 { #expect(try answers(harness, request()).count == 1) }
        let text = String(decoding: request("/test.Echo/Unary", []), as: UTF8.self)
        let bad = text.components("length: 0").joined(separator: "length: \(length)")
        #expect(
            try answers(harness, Array(bad.utf8)).map(\.status) == ["HTTP/1.1 400 Bad Request"])
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func row70EachHeaderSectionMayHaveAnotherTrace() throws {
        let harness = try Harness()
        for number in 1...9 as ClosedRange<UInt8> {
            let trace = "00-0af7651916cd43dd8448eb211c80319\(number)-b7ad6b7169203331-00"
            let answer = try answers(
                harness, request("/test.Echo/Unary", [number], "traceparent: \(trace)\r\n"))
            #expect(answer.map(\.body) == [[number]])
        }
    }

    @Test(arguments: ["", "a/b", "a b", "a\u{e9}", "<a>"])
    func row77AHostThatNoneCanHaveIsRefused(host: String) throws {
        let harness = try Harness()
        let head = "POST /test.Echo/Unary HTTP/1.1\r\nhost: \(host)\r\ncontent-length: 0\r\n\r\n"
        let answer = try answers(harness, Array(head.utf8))
        #expect(answer.map(\.status) == ["HTTP/1.1 400 Bad Request"])
        #expect(harness.loop.connectionCount == 0)
    }

    @Test(arguments: ["CONNECT /x", "POST *"])
    func row77AMethodWithoutItsTargetIsRefused(line: String) throws {
        let harness = try Harness()
        let head = "\(line) HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n"
        let answer = try answers(harness, Array(head.utf8))
        #expect(answer.map(\.status) == ["HTTP/1.1 400 Bad Request"])
    }

    @Test func row70BytesMayArriveOneByOne() throws {
        let harness = try Harness()
        var found: [Answer] = []
        for byte in request() { found += try answers(harness, [byte]) }
        #expect(found.map(\.body) == [[1, 2, 3]])
    }

    @Test func row71RequestsInARowAreAnsweredInTheirOrder() throws {
        let harness = try Harness()
        let all = (1...50).map { UInt8($0) }.flatMap { request("/test.Echo/Unary", [$0]) }
        #expect(try answers(harness, all).map(\.body) == (1...50).map { [UInt8($0)] })
    }

    @Test func row72ASlowHeaderSectionEndsTheConnection() throws {
        let harness = try Harness()
        #expect(try answers(harness, Array("POST /x HTTP/1.1\r\nhost: ".utf8)).isEmpty)
        let limit = CallLimits.headerSeconds
        harness.eventLoop.advanceTime(by: .seconds(limit - 1))
        #expect(harness.loop.connectionCount == 1)
        harness.eventLoop.advanceTime(by: .seconds(2 * CallLimits.sweepSeconds))
        let answer = Self.parse(harness.collect()).first
        #expect(answer?.status == "HTTP/1.1 408 Request Timeout")
        #expect(answer?.fields.contains(Self.gone) == true)
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func row72AChunkLineThatIsSlowEndsTheConnection() throws {
        let harness = try Harness()
        let head =
            "POST /test.Echo/Unary HTTP/1.1\r\nhost: x\r\ncontent-type: application/proto\r\n"
        _ = try answers(harness, Array("\(head)transfer-encoding: chunked\r\n\r\n".utf8))
        _ = try answers(harness, Array("5;a".utf8))
        harness.eventLoop.advanceTime(
            by: .seconds(CallLimits.headerSeconds + CallLimits.sweepSeconds))
        #expect(Self.parse(harness.collect()).first?.status == "HTTP/1.1 408 Request Timeout")
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func row73AConnectionWithoutRequestsIsClosed() throws {
        let harness = try Harness()
        #expect(try answers(harness, request()).count == 1)
        harness.eventLoop.advanceTime(
            by: .seconds(CallLimits.http1IdleSeconds - CallLimits.sweepSeconds))
        harness.eventLoop.run()
        #expect(harness.loop.connectionCount == 1)
        harness.eventLoop.advanceTime(by: .seconds(2 * CallLimits.sweepSeconds))
        #expect(harness.loop.connectionCount == 0)
        #expect(harness.collect().isEmpty)
    }

    @Test func row73ARequestThatIsBeingAnsweredIsNotIdle() throws {
        let harness = try Harness()
        _ = try answers(harness, request("/test.Echo/Wait"))
        harness.eventLoop.advanceTime(by: .seconds(3 * CallLimits.http1IdleSeconds))
        harness.eventLoop.run()
        #expect(harness.loop.connectionCount == 1)
        // Nor is the connection when the answer has just been sent.
        let waiting = harness.service.waiting.withLock { $0 }
        for handle in waiting { handle.resume { $0.respond { $0.append([9]) } } }
        harness.eventLoop.run()
        #expect(Self.parse(harness.collect()).map(\.body) == [[9]])
        harness.eventLoop.advanceTime(
            by: .seconds(CallLimits.http1IdleSeconds - CallLimits.sweepSeconds))
        #expect(harness.loop.connectionCount == 1)
    }

    @Test(arguments: [0, 1])
    func row74AHeaderSectionIsBounded(above: Int) throws {
        let harness = try Harness()
        // Each field counts 32 bytes more than its letters, and four fields are made of the line.
        let fixed = [
            (":method", "POST"), (":scheme", "http"), (":path", "/test.Echo/Unary"),
            (":authority", "test"), ("content-type", "application/proto"),
            ("content-length", "3"), ("x-long", ""),
        ]
        let taken = fixed.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + 32 }
        let long = String(repeating: "a", count: SessionLimits.headerListBytes - taken + above)
        let answer = try answers(
            harness, request("/test.Echo/Unary", [1, 2, 3], "x-long: \(long)\r\n"))
        let isWithin = above == 0
        #expect(
            answer.first?.status
                == (isWithin
                    ? "HTTP/1.1 200 OK" : "HTTP/1.1 431 Request Header Fields Too Large"))
        #expect(harness.loop.connectionCount == (isWithin ? 1 : 0))
    }

    @Test func row74AHeaderSectionWithoutEndIsCutOffAtItsBound() throws {
        let harness = try Harness()
        var fed = 0
        var found: [Answer] = []
        found += try answers(harness, Array("POST / HTTP/1.1\r\nx: ".utf8))
        while found.isEmpty, fed < 10 * SessionLimits.headerListBytes {
            found += try answers(harness, [UInt8](repeating: 0x61, count: 1_024))
            fed += 1_024
        }
        #expect(found.first?.status == "HTTP/1.1 431 Request Header Fields Too Large")
        #expect(fed <= SessionLimits.headerListBytes + 1_024)
        #expect(harness.loop.connectionCount == 0)
    }

    @Test(arguments: [
        "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n",
        "connection: upgrade\r\nupgrade: websocket\r\n",
    ])
    func row84AClientThatAsksForAnotherProtocolGoesOn(fields: String) throws {
        let harness = try Harness()
        for number in [1, 2, 3] as [UInt8] {
            let answer = try answers(harness, request("/test.Echo/Unary", [number], fields)).first
            #expect(answer?.status == "HTTP/1.1 200 OK")
            #expect(answer?.body == [number])
        }
    }

    @Test(arguments: ["0\r\n", "0\r\nx: y\r\n", "1\r\na", "1;x"])
    func row72TrailersAndChunksThatAreSlowEndTheConnection(body: String) throws {
        let harness = try Harness()
        let head =
            "POST /test.Echo/Unary HTTP/1.1\r\nhost: x\r\ncontent-type: application/proto\r\n"
        _ = try answers(harness, Array("\(head)transfer-encoding: chunked\r\n\r\n\(body)".utf8))
        harness.eventLoop.advanceTime(
            by: .seconds(CallLimits.headerSeconds + CallLimits.sweepSeconds))
        #expect(Self.parse(harness.collect()).first?.status == "HTTP/1.1 408 Request Timeout")
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func row86AnswersTellTheirTime() throws {
        let harness = try Harness { $0.clock = { 784_111_777_000 } }
        let answer = try answers(harness, request()).first
        #expect(answer?.fields.contains("date: Sun, 06 Nov 1994 08:49:37 GMT") == true)
        #expect(answer?.fields.contains("cache-control: no-store") == true)
    }

    @Test func row75AStopTellsTheClientWithItsLastAnswer() throws {
        let harness = try Harness()
        let first = try answers(harness, request("/test.Echo/Wait"))
        #expect(first.isEmpty)
        _ = harness.loop.shutDown()
        harness.eventLoop.run()
        let waiting = harness.service.waiting.withLock { $0 }
        for handle in waiting { handle.resume { $0.respond { $0.append([9]) } } }
        harness.eventLoop.run()
        let last = Self.parse(harness.collect())
        #expect(last.map(\.status) == ["HTTP/1.1 200 OK"])
        #expect(last.first?.fields.contains(Self.gone) == true)
        #expect(harness.loop.connectionCount == 0)
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [String] {
        var parts: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return parts + [String(rest)]
    }
}
