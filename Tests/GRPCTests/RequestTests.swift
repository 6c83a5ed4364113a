import EchoSupport
import HTTP2
import PeerSupport
import Testing

@testable import GRPC
@testable import GRPCWire

/// How the header block and the messages of a request are judged.
struct RequestTests {
    struct Refused: Sendable {
        var name: String
        var fields: [(String, String)]
        var http = "200"
        var code: String
    }

    /// The fields of a good request with one replaced; nil removes it.
    private static func request(
        _ name: String, _ value: String?, path: String = "/test.Echo/Unary"
    ) -> [(String, String)] {
        var fields = SessionPair.request(path).filter { $0.0 != name }
        if let value { fields.append((name, value)) }
        return fields.sorted { $0.0.hasPrefix(":") && !$1.0.hasPrefix(":") }
    }

    @Test(arguments: [
        Refused(
            name: "no content type", fields: request("content-type", nil), http: "415", code: "3"),
        Refused(
            name: "another content type", fields: request("content-type", "text/plain"),
            http: "415", code: "3"),
        Refused(
            name: "a longer word", fields: request("content-type", "application/grpcx"),
            http: "415", code: "3"),
        Refused(
            name: "a format without a codec",
            fields: request("content-type", "application/grpc+xml"), code: "12"),
        Refused(
            name: "a method without JSON",
            fields: request("content-type", "application/grpc+json"), code: "12"),
        Refused(name: "GET", fields: request(":method", "GET"), http: "405", code: "13"),
        Refused(name: "unknown method", fields: SessionPair.request("/test.Echo/No"), code: "12"),
        Refused(name: "unknown service", fields: SessionPair.request("/test.No/Unary"), code: "12"),
        Refused(name: "half a path", fields: SessionPair.request("/foo"), code: "12"),
        Refused(name: "slashes", fields: SessionPair.request("//"), code: "12"),
        Refused(name: "unknown encoding", fields: request("grpc-encoding", "zstd"), code: "12"),
        Refused(name: "text not printable", fields: request("x-text", "é"), code: "13"),
        Refused(name: "bytes not base64", fields: request("x-data-bin", "%%"), code: "13"),
        Refused(name: "base64 of one digit", fields: request("x-data-bin", "A"), code: "13"),
        Refused(name: "empty timeout", fields: request("grpc-timeout", ""), code: "13"),
        Refused(name: "timeout without unit", fields: request("grpc-timeout", "10"), code: "13"),
        Refused(name: "timeout of a wrong unit", fields: request("grpc-timeout", "1s"), code: "13"),
        Refused(name: "signed timeout", fields: request("grpc-timeout", "+1S"), code: "13"),
        Refused(
            name: "nine digits of timeout", fields: request("grpc-timeout", "123456789S"),
            code: "13"),
        Refused(name: "no time", fields: request("grpc-timeout", "0n"), code: "4"),
    ])
    func aBadHeaderBlockIsRefused(_ row: Refused) throws {
        let harness = try Harness()
        let answer = try harness.call("", body: Harness.envelope([1]), fields: row.fields)
        #expect(answer.httpStatus == row.http, "\(row.name)")
        #expect(answer.code == row.code, "\(row.name)")
        #expect(answer.body.isEmpty)
        #expect(answer.trailers.isEmpty, "an answer without messages is one block")
        #expect(harness.service.notes.isEmpty)
        if row.name == "unknown encoding" {
            #expect(answer.field("grpc-accept-encoding") == "identity,deflate,gzip")
        }
        if row.http == "405" { #expect(answer.field("allow") == "POST") }
        // The connection still works after the refusal.
        #expect(try harness.call("/test.Echo/Unary", [5]).messages == [[5]])
    }

    @Test(arguments: [
        request("content-type", "application/grpc+proto"),
        request("content-type", "application/grpc;charset=utf-8"),
        request("content-type", "application/grpc+proto;a=b"),
        request("te", nil),
        request(":authority", nil) + [("host", "test")],
        request("grpc-encoding", "identity"),
        request("grpc-unknown-thing", "x"),
        request("grpc-timeout", "99999999H"),
        request("grpc-timeout", "1S"),
        request("x-data-bin", "AQ==,AgM"),
        request("x-text", "  spaces around  "),
    ])
    func anUnusualHeaderBlockIsAccepted(fields: [(String, String)]) throws {
        let harness = try Harness()
        let answer = try harness.call("", body: Harness.envelope([1, 2]), fields: fields)
        #expect(answer.httpStatus == "200")
        #expect(answer.field("content-type") == "application/grpc")
        #expect(answer.code == "0")
        #expect(answer.messages == [[1, 2]])
    }

    @Test func fieldsThatDifferInEachCallAreJudgedInEach() throws {
        let harness = try Harness()
        let good = [("grpc-timeout", "9S"), ("traceparent", "a"), ("x-request-id", "b")]
        func call(_ index: Int, _ value: String) throws -> Harness.Answer {
            var fields = good
            fields[index].1 = value
            return try harness.call("/test.Echo/Unary", [7], extra: fields)
        }
        // From the third call on the header block is known, with what was made of it.
        for number in 0..<4 {
            for index in 0..<3 {
                #expect(try call(index, "\(number + 1)S").messages == [[7]])
            }
        }
        let refused = [
            (0, "", "13"), (0, "1s", "13"), (0, "0n", "4"), (1, "é", "13"), (2, "é", "13"),
        ]
        for (index, value, code) in refused + refused {
            let answer = try call(index, value)
            #expect(answer.code == code && answer.messages.isEmpty, "\(index): \(value)")
            let alone = try Harness().call(
                "/test.Echo/Unary", [7], extra: [(good[index].0, value)])
            #expect(answer.message == alone.message)
            #expect(try call(index, "5S").messages == [[7]])
        }
    }

    @Test func theTimeOfGRPCWebIsThatOfEachCall() throws {
        func call(_ harness: Harness, _ timeout: String) throws -> Harness.Answer {
            var fields = Self.request("content-type", "application/grpc-web+proto")
            fields.append(("grpc-timeout", timeout))
            return try harness.call("", body: Harness.envelope([1]), fields: fields)
        }
        let harness = try Harness()
        let good = try call(harness, "9S")
        for timeout in ["8S", "7S", "6S"] { #expect(try call(harness, timeout).body == good.body) }
        for timeout in ["0n", "x"] {
            let answer = try call(harness, timeout)
            let alone = try call(try Harness(), timeout)
            #expect(answer.body != good.body || answer.code != good.code)
            #expect(answer.body == alone.body && answer.code == alone.code)
        }
    }

    @Test(
        arguments: [
            ("flag 2", [2, 0, 0, 0, 0], "13"),
            ("compressed without an encoding", [1, 0, 0, 0, 0], "13"),
            ("half a prefix", [0, 0, 0], "13"),
            ("half a message", [0, 0, 0, 0, 9, 1], "13"),
            ("no message", [], "12"),
            ("two messages", [0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1], "12"),
            ("the longest length", [0, 255, 255, 255, 255, 1], "8"),
            ("a length above the limit", [0, 0, 64, 0, 1, 1], "8"),
        ] as [(String, [UInt8], String)])
    func aBadBodyIsRefused(name: String, body: [UInt8], code: String) throws {
        for path in ["/test.Echo/Unary", "/test.Echo/Expand"] {
            let harness = try Harness()
            let answer = try harness.call(path, body: body)
            #expect(answer.code == code, "\(name) to \(path)")
            #expect(answer.messages.isEmpty)
        }
    }

    @Test func aTooLongMessageIsRefusedBeforeItArrives() throws {
        let harness = try Harness()
        let call = try harness.open("/test.Echo/Unary", body: [0, 0, 64, 0, 1], end: false)
        let id = call.pointee.id
        try harness.exchange()
        #expect(harness.answer(id).code == "8")
        #expect(harness.answer(id).closeCode == .noError)
    }

    @Test func aMessageOfTheLimitIsTakenInBothDirections() throws {
        let harness = try Harness {
            $0.maxReceivedMessageBytes = 300_000
            $0.maxSentMessageBytes = 300_000
        }
        let message = [UInt8](repeating: 3, count: 300_000)
        #expect(try harness.call("/test.Echo/Unary", message).messages == [message])
        #expect(try harness.call("/test.Echo/Unary", message + [3]).code == "8")
        let large = try harness.call("/test.Echo/Large", [4, 0x93, 0xE1])
        #expect(large.code == "8")
        #expect(large.body.isEmpty, "nothing is half sent")
        #expect(
            try harness.call("/test.Echo/Large", [4, 0x93, 0xE0]).messages.first?.count == 300_000)
    }

    @Test func aMessageMayBeLongerOneWayThanTheOther() throws {
        let harness = try Harness {
            $0.maxReceivedMessageBytes = 1_000
            $0.maxSentMessageBytes = 300_000
        }
        let message = [UInt8](repeating: 3, count: 1_000)
        #expect(try harness.call("/test.Echo/Unary", message).messages == [message])
        #expect(try harness.call("/test.Echo/Unary", message + [3]).code == "8")
        let large = try harness.call("/test.Echo/Large", [4, 0x93, 0xE0])
        #expect(large.messages.first?.count == 300_000)
        #expect(try harness.call("/test.Echo/Large", [4, 0x93, 0xE1]).code == "8")
    }

    @Test(arguments: [1, 2, 5, 6, 1_000])
    func messagesMayBeSplitAnywhere(pieceBytes: Int) throws {
        let harness = try Harness()
        let messages: [[UInt8]] = [[], [1], [UInt8](repeating: 2, count: 40), []]
        let body = messages.flatMap(Harness.envelope)
        let call = try harness.open("/test.Echo/Chat", end: false)
        let id = call.pointee.id
        var offset = 0
        while offset < body.count {
            let end = min(body.count, offset + pieceBytes)
            try harness.send(call, Array(body[offset..<end]), end: end == body.count)
            offset = end
        }
        #expect(harness.answer(id).messages == messages)
        #expect(harness.answer(id).code == "0")
    }

    @Test func aHeaderBlockBeyondTheLimitEndsTheCallAlone() throws {
        let harness = try Harness()
        let filler = String(repeating: "x", count: 12_000)
        let answer = try harness.call(
            "/test.Echo/Unary", [1], extra: [("a", filler), ("b", filler)])
        #expect(answer.code == "8")
        #expect(try harness.call("/test.Echo/Unary", [1], extra: [("a", filler)]).code == "0")
    }

    @Test func halfSentMessagesOfAConnectionAreBounded() throws {
        let harness = try Harness()
        let size = CallLimits.messageBytes - 5
        let part = [0] + Frame.bigEndian(UInt32(size)) + [UInt8](repeating: 1, count: size - 1)
        let fitting = CallLimits.assemblingBytes / part.count
        var ids: [Int32] = []
        for _ in 0...fitting {
            let call = try harness.open("/test.Echo/Unary", body: part, end: false)
            ids.append(call.pointee.id)
            try harness.exchange()
        }
        let codes = ids.map { harness.answer($0).code }
        #expect(codes == Array(repeating: nil, count: fitting) + ["8"])
        #expect(harness.connection.assembling <= CallLimits.assemblingBytes)
        #expect(try harness.call("/test.Echo/Unary", [1]).code == "0")
    }

    @Test func row10EveryByteOfAValueIsLookedAtWhereverItStands() {
        for length in [1, 7, 8, 9, 17] {
            for index in 0..<length {
                for byte in UInt8.min ... .max {
                    var value = [UInt8](repeating: UInt8(ascii: "~"), count: length)
                    value[index] = byte
                    var block = HeaderBlock(SessionPair.request())
                    defer { block.free() }
                    value.withUnsafeBytes { block.append("x-text", $0) }
                    let isFine = RequestHeaders(block).refusal() == nil
                    let isAllowed = (0x20...0x7E).contains(byte) || byte == 0x09
                    #expect(isFine == isAllowed, "\(byte) at \(index) of \(length)")
                }
            }
        }
    }
}
