import HTTP2
import Memory
import NIOCore
import PeerSupport
import Protobuf
import RPC
import Testing

@testable import GRPC
@testable import GRPCWire

/// The small grammars: base64, percent-encoding, timeouts, metadata.
struct TextTests {
    private func withBytes<R>(_ text: String, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        Array(text.utf8).withUnsafeBytes(body)
    }

    @Test(arguments: 0...64)
    func base64ComesBack(count: Int) {
        var random = SeededNumbers(seed: UInt64(count))
        let bytes = random.bytes(count)
        var digits: [UInt8] = []
        Base64.encode(bytes, into: &digits)
        #expect(!digits.contains(UInt8(ascii: "=")))
        #expect(digits.withUnsafeBytes { Base64.decode($0, .metadata) } == bytes)
        let padded = digits + [UInt8](repeating: UInt8(ascii: "="), count: -digits.count & 3)
        #expect(padded.withUnsafeBytes { Base64.decode($0, .metadata) } == bytes)
    }

    /// RFC 4648, section 10, without the padding.
    @Test(
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"), ("\u{0}\u{7F}~~?>", "AH9+fj8+"),
        ])
    func base64IsThatOfTheStandard(bytes: String, text: String) {
        var digits = Array("so far ".utf8)
        Base64.encode(Array(bytes.utf8), into: &digits)
        #expect(String(decoding: digits, as: UTF8.self) == "so far " + text)
        #expect(withBytes(bytes) { Base64.text($0) } == text)
    }

    @Test(arguments: ["A", "AA=", "AAA==", "A===", "AA=A", "A-A_", "AAAA=", "AA===", " AA"])
    func whatIsNoBase64IsRefused(text: String) {
        #expect(Base64.decode(text, .metadata) == nil)
    }

    @Test(arguments: [
        ("plain text", "plain text"), ("\t\nteßt %☺.", "%09%0Ate%C3%9Ft %25%E2%98%BA."),
        (" ends ", "%20ends%20"), ("", ""), ("%", "%25"), ("\u{7F}~", "%7F~"),
    ])
    func messagesArePercentEncoded(text: String, encoded: String) {
        let value = PercentCoding.encode(text)
        #expect(String(decoding: value, as: UTF8.self) == encoded)
        #expect(value.withUnsafeBytes { PercentCoding.decode($0) } == text)
    }

    @Test(arguments: [
        ("100%", "100%"), ("%zz%4", "%zz%4"), ("%e2%98%ba", "☺"), ("a%20b", "a b"),
    ])
    func row32BadEscapesStayAsTheyAre(value: String, text: String) {
        #expect(withBytes(value, PercentCoding.decode) == text)
    }

    @Test func longMessagesAreCutBetweenCharacters() {
        let text = "a" + String(repeating: "☺", count: CallLimits.statusMessageBytes)
        let value = PercentCoding.encode(text)
        let back = value.withUnsafeBytes { PercentCoding.decode($0) }
        #expect(text.hasPrefix(back))
        #expect(back.utf8.count <= CallLimits.statusMessageBytes)
        #expect(back.utf8.count > CallLimits.statusMessageBytes - 4)
    }

    @Test(arguments: [
        ("1n", 1), ("1u", 1_000), ("1m", 1_000_000), ("1S", 1_000_000_000),
        ("1M", 60_000_000_000), ("1H", 3_600_000_000_000), ("00000007n", 7),
        ("99999999H", Int64.max), ("0S", 0),
    ])
    func timeoutsAreRead(value: String, nanoseconds: Int64) {
        #expect(withBytes(value, Timeout.parse)?.nanoseconds == nanoseconds)
    }

    @Test(arguments: ["", "1", "S", "-1S", "+1S", "1.5S", "123456789S", "1s", "1h", " 1S", "1S "])
    func whatIsNoTimeoutIsRefused(value: String) {
        #expect(withBytes(value, Timeout.parse) == nil)
    }

    @Test func timeoutsAreWrittenInEightDigits() {
        var random = SeededNumbers(seed: 3)
        for _ in 0..<2_000 {
            let nanoseconds =
                Int64.random(in: 1...Int64.max, using: &random)
                >> Int64.random(in: 0...62, using: &random)
            let text = Timeout.format(.nanoseconds(max(1, nanoseconds)))
            let back = withBytes(text, Timeout.parse)
            #expect(back.map { $0.nanoseconds >= nanoseconds } == true, "\(nanoseconds) \(text)")
        }
        #expect(Timeout.format(.nanoseconds(-5)) == "1n")
    }

    @Test(arguments: [
        "Upper", "a b", "", "grpc-status", ":path", "content-type", "te", "connection",
        "transfer-encoding", "ä",
    ])
    func row35ReservedAndMalformedNamesAreRefused(name: String) {
        var metadata = Metadata()
        metadata.append(name, "x")
        #expect(metadata.problem != nil)
    }

    @Test func valuesMustFitTheirNames() {
        #expect(Metadata(arrayLiteral: ("a-bin", .text("x"))).problem != nil)
        #expect(Metadata(arrayLiteral: ("a", .binary([1]))).problem != nil)
        #expect(Metadata(arrayLiteral: ("a", .text("é"))).problem != nil)
        #expect(Metadata(arrayLiteral: ("a", .text("x")), ("a-bin", .binary([]))).problem == nil)
    }

    @Test func row09MetadataKeepsOrderAndLeavesOutWhatIsReserved() {
        var block = HeaderBlock([
            (":path", "/x"), ("content-type", "y"), ("grpc-timeout", "1S"), ("b", "2"),
            ("a-bin", "AQ,Ag=="), ("b", " 1 "), ("te", "trailers"),
        ])
        defer { block.free() }
        #expect(
            Metadata(block)
                == [
                    ("b", .text("2")), ("a-bin", .binary([1])), ("a-bin", .binary([2])),
                    ("b", .text("1")),
                ])
    }

    @Test func everyCodeHasItsNumber() {
        for code in Status.Code.allCases {
            let digits = code.digits.rawBytes
            #expect(String(decoding: digits, as: UTF8.self) == "\(code.rawValue)")
            #expect(Status.Code(digits: digits) == code)
        }
        for text in ["", "17", "-1", "x", "99999999999999999999"] {
            #expect(withBytes(text, Status.Code.init(digits:)) == .unknown)
        }
    }

    @Test func methodsAreFoundByTheirBytes() {
        final class Many: Dispatcher {
            var methods: [ServedMethod] {
                (0..<300).map { .unary("/pkg.Service/Method\($0)") { _, _ in } }
            }
        }
        let table = MethodTable([Many()])
        for number in 0..<300 {
            let path = "/pkg.Service/Method\(number)"
            #expect(withBytes(path) { table.find($0)?.name } == path)
        }
        for path in [
            "", "/", "/pkg.Service/Method300", "/pkg.Service/Method", "/pkg.service/Method1",
        ] {
            #expect(withBytes(path) { table.find($0)?.name } == nil)
        }
    }
}
