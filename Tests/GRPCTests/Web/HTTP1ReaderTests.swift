import NIOCore
import NIOHTTP1
import Testing

@testable import GRPC

/// How bytes of HTTP/1.1 are read: the letter of RFC 9112.
struct HTTP1ReaderTests {
    /// The parts of `text`, and the error after them; bytes come in pieces of that size.
    private static func read(
        _ text: String, pieces: Int = .max, headBytes: Int = 200
    ) -> (parts: [String], failure: HTTP1Error?) {
        var reader = HTTP1Reader(headBytes: headBytes)
        var parts: [String] = []
        var buffer = ByteBuffer()
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            buffer.writeBytes(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            do throws(HTTP1Error) {
                while let part = try reader.next(&buffer) { add(part, to: &parts) }
            } catch {
                return (parts, error)
            }
        }
        return (parts, nil)
    }

    private static func add(_ part: HTTPServerRequestPart, to parts: inout [String]) {
        switch part {
        case .head(let head):
            let fields = head.headers.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
            parts.append("\(head.method) \(head.uri) \(fields)")
        case .body(let bytes):
            let text = String(buffer: bytes)
            if let last = parts.last, last.hasPrefix("+") {
                parts[parts.count - 1] = last + text
            } else {
                parts.append("+" + text)
            }
        case .end: parts.append(".")
        }
    }

    private static let good: [(String, [String])] = [
        ("GET / HTTP/1.1\r\nhost: a\r\n\r\n", ["GET / host=a", "."]),
        ("GET / HTTP/1.0\r\n\r\n", ["GET / ", "."]),
        ("\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n", ["GET / host=a", "."]),
        (
            "PUT /x?y HTTP/1.1\r\nhost:a\r\nx: \t y z\t \r\nc:\r\n\r\n",
            ["PUT /x?y host=a&x=y z&c=", "."]
        ),
        (
            "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3 \r\n\r\nabcGET / HTTP/1.0\r\n\r\n",
            ["POST / host=a&content-length=3", "+abc", ".", "GET / ", "."]
        ),
        (
            """
            POST / HTTP/1.1\r\nhost: a\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n\
            0A ;x="y z";z\r\n0123456789\r\n00\r\nx: y\r\n\r\n
            """,
            ["POST / host=a&Transfer-Encoding=Chunked", "+abc0123456789", "."]
        ),
        ("GET http://b:1/x HTTP/1.1\r\nhost: a\r\n\r\n", ["GET /x host=b:1", "."]),
        ("GET HTTPS://b?x HTTP/1.1\r\nhost: a\r\n\r\n", ["GET /?x host=b", "."]),
        ("OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n", ["OPTIONS * host=a", "."]),
        (
            "GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n"
                + "GET / HTTP/1.0\r\n\r\n",
            ["GET / host=a&connection=upgrade&upgrade=h2c", ".", "GET / ", "."]
        ),
    ]

    @Test(arguments: good)
    func row76WhatIsRightIsReadHoweverItIsCut(text: String, parts: [String]) {
        for pieces in [1, 2, 3, 7, .max] {
            let found = Self.read(text, pieces: pieces)
            #expect(found.parts == parts)
            #expect(found.failure == nil)
        }
    }

    private static let chunked = "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n"
    private static let host = "GET / HTTP/1.1\r\nhost: a\r\n"

    @Test(arguments: [
        "GET  / HTTP/1.1\r\n", "GET /  HTTP/1.1\r\n", " GET / HTTP/1.1\r\n", "GET / HTTP/1.1 \r\n",
        "GET /\r\n", "GET\t/ HTTP/1.1\r\n", "GET / HTTP/1.2\r\n", "GET / HTTP/2.0\r\n",
        "GET / http/1.1\r\n", "GET / HTTP/1.1\n", "G(T / HTTP/1.1\r\n", "\r\n\r\n",
        "GET x HTTP/1.1\r\n", "CONNECT a:1 HTTP/1.1\r\n", "CONNECT http://a/ HTTP/1.1\r\n",
        "GET http:///x HTTP/1.1\r\n", "GET http://a@b/ HTTP/1.1\r\n", "GET ftp://a/ HTTP/1.1\r\n",
        "GET /\u{7F} HTTP/1.1\r\n", "GET / HTTP/1.1\r\n\r\n", host + "host: a\r\n\r\n",
        host + "x y: z\r\n", host + "x : z\r\n", host + ": z\r\n", host + "x\r\n",
        host + " z\r\n", host + "\tz\r\n", host + "x: \u{0}\r\n", host + "x: a\rb\r\n",
        host + "x: \u{7F}\r\n", host + "x: y\n", host + "content-length: \r\n\r\n",
        host + "content-length: +1\r\n\r\n", host + "content-length: 1,1\r\n\r\n",
        host + "content-length: 1\r\ncontent-length: 1\r\n\r\n",
        host + "content-length: 0x1\r\n\r\n", host + "content-length: 9999999999999999999\r\n\r\n",
        host + "content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
        "POST / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n",
        chunked + "\r\n", chunked + "+1\r\n", chunked + "1 1\r\n", chunked + "1 \r\n",
        chunked + "0x1\r\n", chunked + ";x\r\n", chunked + "1000000000000000\r\n",
        chunked + "1;\u{1}\r\n", chunked + "1\n", chunked + "1\r\nab\r\n", chunked + "1\r\na\n",
        chunked + "0\r\nx\r\n", chunked + "0\r\n x: y\r\n", chunked + "0\r\n\n",
    ])
    func row76WhatIsWrongIsRefusedHoweverItIsCut(text: String) {
        for pieces in [1, 2, 3, 7, .max] {
            let found = Self.read(text + "GET / HTTP/1.0\r\n\r\n", pieces: pieces)
            #expect(found.failure?.status == .badRequest)
            #expect(!found.parts.contains { $0.hasPrefix("GET / ") && $0 != "GET / host=a" })
        }
    }

    @Test(arguments: [
        "gzip, chunked", "chunked, gzip", "identity", "xchunked", "chunked\r\ntransfer-encoding: x",
        "",
    ])
    func row76AnotherCodingIsNotServed(coding: String) {
        let text = "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: \(coding)\r\n\r\n"
        #expect(Self.read(text).failure?.status == .notImplemented)
    }

    @Test(arguments: [0, 1])
    func row74HeaderSectionsLinesAndTrailersHaveOneBound(above: Int) {
        let fields = "x: " + String(repeating: "y", count: 200 - 32 + above) + "\r\n\r\n"
        let head = Self.read("GET / HTTP/1.1\r\nhost: a\r\n" + fields)
        #expect(head.failure?.status == (above == 0 ? nil : .requestHeaderFieldsTooLarge))
        let long = String(repeating: "y", count: 200 - 4 + above)
        #expect((Self.read(Self.chunked + "1;" + long + "\r\n").failure == nil) == (above == 0))
        // The last chunk's line is counted for itself.
        let trailers = "0\r\nx: " + String(repeating: "y", count: 200 - 7 + above) + "\r\n\r\n"
        let found = Self.read(Self.chunked + trailers).failure
        #expect(found?.status == (above == 0 ? nil : .requestHeaderFieldsTooLarge))
    }
}
