import Compression
import NIOHTTP1
import Testing

@testable import AdminEndpoints

/// An answer that is kept compressed, as clients of all kinds get it.
struct CompressedAnswerTests {
    private static let text = Array(String(repeating: "words of a page\n", count: 1_000).utf8)

    private static func answer(to encodings: String...) throws -> AdminAnswer {
        let deflater = try #require(Deflater(.gzip))
        let packed = try #require(text.withUnsafeBytes { deflater.deflate($0).map { Array($0) } })
        let answer = AdminAnswer(.html, content: packed, policy: "none", isCompressed: true)
        var request = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
        for encoding in encodings {
            request.headers.add(name: "accept-encoding", value: encoding)
        }
        return answer.accepted(by: request)
    }

    @Test func aClientThatAcceptsItGetsItCompressed() throws {
        for encodings in ["gzip", "deflate, GZIP, br", "x-gzip"] {
            let answer = try Self.answer(to: encodings)
            #expect(answer.isCompressed && answer.content.count < Self.text.count / 10)
        }
        #expect(try Self.answer(to: "br", "gzip").isCompressed)
    }

    @Test func anyOtherClientGetsItWhole() throws {
        for encodings in ["", "br", "identity", "gzip;q=0", "gzipped"] {
            let answer = try Self.answer(to: encodings)
            #expect(!answer.isCompressed && answer.content == Self.text, "\(encodings)")
            #expect(answer.status == 200 && answer.kind == .html && answer.policy == "none")
        }
    }

    @Test func damagedContentIsAnError() {
        let answer = AdminAnswer(.html, content: [1, 2, 3], isCompressed: true)
        #expect(answer.accepted(by: nil).status == 500)
    }

    @Test func anAnswerThatIsNotCompressedStaysAsItIs() {
        let answer = AdminAnswer("plain\n")
        #expect(answer.accepted(by: nil) == answer)
    }

    @Test func longScriptsStylesAndJSONAreCompressedForClientsThatAcceptIt() {
        var request = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
        request.headers.add(name: "accept-encoding", value: "gzip")
        for kind: AdminAnswer.Kind in [.script, .style, .json] {
            let long = AdminAnswer(kind, content: Self.text, policy: "none")
            #expect(long.accepted(by: nil) == long)
            let packed = long.accepted(by: request)
            #expect(packed.isCompressed && packed.content.count < Self.text.count / 10)
            #expect(packed.kind == kind && packed.policy == "none")
            #expect(packed.accepted(by: nil) == long)
            let few = Array(Self.text.prefix(AdminLimits.packedBytes - 1))
            let short = AdminAnswer(kind, content: few)
            #expect(short.accepted(by: request) == short)
        }
        let plain = AdminAnswer(.metrics, content: Self.text)
        #expect(plain.accepted(by: request) == plain)
    }
}
