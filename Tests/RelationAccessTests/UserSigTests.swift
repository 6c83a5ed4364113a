import Compression
import Digests
import Memory
import Protobuf
import RelationModel
import Testing

@testable import RelationAccess

/// Users' signatures: those of the vendor's generator are read, and only a signature that is whole,
/// genuine and not out of its time is good.
struct UserSigTests {
    private static let secret =
        "5bd2850fff3ecb11d7c805251c51ee463a25727bddc2385f3fa8bfee1bb93b5e"
    /// The time at which the vendor's generator in Python made the two signatures below.
    private static let made = Timestamp(milliseconds: 1_700_000_000_000)
    private static let plain =
        "eJyrVgrxCdYrSy1SslJQMtIzUNJRAItkpqTmlWSmZUIkKjIT87NK82CSxSnZiQUFmSlAKUMTAyiAyqVWFGQW"
        + "pYJkTE1NjRDiJZm5YFFzNPXFmekgG3zKHM1T9D3LzdODi-OKs8vCqpxcAvydnV2SSv2cy03cPcpDnA2SMgu0"
        + "nUxslWoBHdYzUg__"
    private static let withUserbuf =
        "eJyrVgrxCdYrSy1SslJQMtIzUNJRAItkpqTmlWSmZUIkKjIT87NK82CSxSnZiQUFmSlAKUMTAyiAyqVWFGQW"
        + "pQJlLMxM4IIlmbkgIUNzNMWlxalFSaVpICsiw72y4OZnpoOE-BOTjMsi0nMiTUwDkiuqtIODszJSKpzCSzNC"
        + "HCvCMioifdLKwrLcM-y9DGyVagF2rTqB"

    private static func read(_ token: [UInt8]) throws(CredentialError) -> UserSig {
        let result: Result<UserSig, CredentialError> = token.withUnsafeBytes { token in
            do throws(CredentialError) {
                return .success(try UserSig(reading: token, Inflater()))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func read(_ token: String) throws(CredentialError) -> UserSig {
        try read(Array(token.utf8))
    }

    /// The text of a signature with the JSON object `json`.
    private static func packed(_ json: String) throws -> String {
        let deflater = try #require(Deflater(.zlib))
        // The blanks make sure that short JSON gets shorter too.
        let bytes = Array((json + String(repeating: " ", count: 200)).utf8)
        let packed = try #require(bytes.withUnsafeBytes { deflater.deflate($0).map { Array($0) } })
        return text(packed)
    }

    private static func base64(_ bytes: some Sequence<UInt8>) -> String {
        Array(bytes).withUnsafeBytes { Base64.text($0, padded: true) }
    }

    /// Bytes in the base64 of signatures.
    private static func text(_ packed: [UInt8]) -> String {
        let text = base64(packed).utf8.map { digit in
            switch digit {
            case UInt8(ascii: "+"): UInt8(ascii: "*")
            case UInt8(ascii: "/"): UInt8(ascii: "-")
            case UInt8(ascii: "="): UInt8(ascii: "_")
            default: digit
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func signed(
        _ identifier: String = "ann", app: String = "7", time: String = "1700000000",
        expire: String = "60", version: String = "2.0", extra: String = ""
    ) throws -> String {
        let claims =
            "TLS.identifier:\(identifier)\nTLS.sdkappid:\(app)\n"
            + "TLS.time:\(time)\nTLS.expire:\(expire)\n"
        let code = HMACSHA256.code(of: claims.utf8, key: secret.utf8)
        let signature = base64(code)
        return try packed(
            """
            {"TLS.ver": "\(version)", "TLS.identifier": "\(identifier)", "TLS.sdkappid": \(app),
             "TLS.time": \(time), "TLS.expire": "\(expire)", "TLS.sig": "\(signature)"\(extra)}
            """)
    }

    @Test(arguments: [plain, withUserbuf])
    func aSignatureOfTheVendorsGeneratorIsGenuine(token: String) throws {
        let claim = try Self.read(token)
        #expect(claim.appID == 1_400_000_000)
        #expect(claim.user.text == "xiaojun")
        #expect(claim.isSigned(with: Self.secret))
        #expect(!claim.isSigned(with: Self.secret + "0"))
        #expect(!claim.isSigned(with: ""))
        #expect(throws: Never.self) { try claim.check(at: Self.made) }
    }

    @Test func aSignatureIsGoodFromItsTimeToItsEnd() throws {
        let claim = try Self.read(try Self.signed(expire: "60"))
        #expect(claim.isSigned(with: Self.secret))
        let skew = AccessLimits.clockSkewMilliseconds
        for offset in [-skew, 0, 60_000] {
            #expect(throws: Never.self) {
                try claim.check(at: Self.made.advanced(byMilliseconds: offset))
            }
        }
        #expect(throws: CredentialError.expired) {
            try claim.check(at: Self.made.advanced(byMilliseconds: 60_001))
        }
        #expect(throws: CredentialError.invalid) {
            try claim.check(at: Self.made.advanced(byMilliseconds: -skew - 1))
        }
    }

    @Test func aLifetimeBeyondTheEndOfTimeDoesNotOverflow() throws {
        let longest = try Self.read(try Self.signed(expire: "\(Int64.max)"))
        #expect(longest.expiresMs == .max)
        let future = try Self.read(try Self.signed(time: "\(Int64.max)", expire: "\(Int64.max)"))
        #expect(throws: CredentialError.invalid) { try future.check(at: Self.made) }
        let past = try Self.read(try Self.signed(time: "\(Int64.min)", expire: "\(Int64.min)"))
        #expect(throws: CredentialError.expired) { try past.check(at: Self.made) }
    }

    @Test func everyTruncationIsInvalid() throws {
        let token = Array(Self.plain.utf8)
        for length in 0..<token.count {
            #expect(throws: CredentialError.invalid) { try Self.read(Array(token[..<length])) }
        }
    }

    @Test func noOtherByteAnywhereMakesAGenuineSignature() throws {
        var token = Array(Self.plain.utf8)
        for index in token.indices {
            let old = token[index]
            for new in [old ^ 1, UInt8(ascii: "A"), UInt8(ascii: "_"), 0] where new != old {
                token[index] = new
                do throws(CredentialError) {
                    let claim = try Self.read(token)
                    #expect(!claim.isSigned(with: Self.secret), "byte \(index) as \(new)")
                } catch {
                    #expect(error == .invalid)
                }
            }
            token[index] = old
        }
    }

    @Test func aClaimThatWasChangedIsNotSigned() throws {
        let genuine = try Self.read(try Self.signed())
        #expect(genuine.isSigned(with: Self.secret))
        // These are other claims with the signature of the example before.
        let claims = "TLS.identifier:ann\nTLS.sdkappid:7\nTLS.time:1700000000\nTLS.expire:60\n"
        let code = HMACSHA256.code(of: claims.utf8, key: Self.secret.utf8)
        let signature = Self.base64(code)
        for (identifier, app, time, expire) in [
            ("bob", 7, 1_700_000_000, 60), ("ann", 8, 1_700_000_000, 60),
            ("ann", 7, 1_700_000_001, 60), ("ann", 7, 1_700_000_000, 61),
        ] {
            let forged = try Self.read(
                try Self.packed(
                    """
                    {"TLS.ver": "2.0", "TLS.identifier": "\(identifier)", "TLS.sdkappid": \(app),
                     "TLS.time": \(time), "TLS.expire": \(expire), "TLS.sig": "\(signature)"}
                    """))
            #expect(!forged.isSigned(with: Self.secret))
        }
        let added = try Self.read(try Self.signed(extra: ", \"TLS.userbuf\": \"YWJj\""))
        #expect(!added.isSigned(with: Self.secret))
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "{\"TLS.ver\": \"2.0\"}",
        "{\"TLS.ver\": \"2.0\", \"TLS.ver\": \"2.0\"}",
        "{\"TLS.ver\": \"2.0\", \"TLS.identifier\": \"a\", \"TLS.sdkappid\": 4294967296}",
        "{\"TLS.ver\": \"2.0\", \"TLS.identifier\": \" a\", \"TLS.sdkappid\": 1}",
        "{\"TLS.ver\": \"2.0\", \"TLS.identifier\": \"a\\nb\", \"TLS.sdkappid\": 1}",
        "{\"TLS.ver\": \"2.0\", \"TLS.identifier\": \"a\", \"TLS.userbuf\": \"a\\nb\"}",
        "{\"TLS.ver\": \"1.0\", \"TLS.identifier\": \"a\", \"TLS.sdkappid\": 1}",
    ])
    func whatIsNoClaimIsInvalid(json: String) throws {
        let token = try Self.packed(json)
        #expect(throws: CredentialError.invalid) { try Self.read(token) }
    }

    /// The members of a genuine signature, with one of them written otherwise and the others
    /// unchanged.
    private static func genuine(
        _ member: String = "", as other: String = "", end: String = "", time: Int = 1_700_000_000
    ) throws -> String {
        let claims =
            "TLS.identifier:ann/b\nTLS.sdkappid:7\nTLS.time:\(time)\nTLS.expire:60\n"
        let code = HMACSHA256.code(of: claims.utf8, key: secret.utf8)
        let signature = base64(code)
        let json = """
            {"TLS.ver": "2.0", "TLS.identifier": "ann/b", "TLS.sdkappid": 7, \
            "TLS.time": \(time), "TLS.expire": 60, "TLS.sig": "\(signature)"\(end)}
            """
        try #require(member.isEmpty || json.contains(member))
        return json.replacing(member, with: other)
    }

    @Test(arguments: [
        ("\"TLS.sdkappid\": 7", "\"TLS.sdkappid\":\"7\""),
        ("\"TLS.time\": 1700000000", "\"TLS.time\":\"1700000000\""),
        ("ann/b", "ann\\/b"), ("ann/b", "\\u0061nn/b"),
        (", ", ","), (": ", ":"), (", ", ",\n    "),
        (
            "\"TLS.ver\": \"2.0\", \"TLS.identifier\": \"ann/b\"",
            "\"TLS.identifier\": \"ann/b\", \"TLS.ver\": \"2.0\""
        ),
    ])
    func whereGeneratorsDifferAnySpellingCounts(_ member: String, _ other: String) throws {
        let claim = try Self.read(try Self.packed(try Self.genuine(member, as: other)))
        #expect(claim.isSigned(with: Self.secret))
    }

    @Test(arguments: [
        // Numbers that are equal when they are read.
        ("\"TLS.sdkappid\": 7", "\"TLS.sdkappid\": 7.0"),
        ("\"TLS.sdkappid\": 7", "\"TLS.sdkappid\": 7e0"),
        ("\"TLS.sdkappid\": 7", "\"TLS.sdkappid\": 70e-1"),
        ("\"TLS.sdkappid\": 7", "\"TLS.sdkappid\": \"07\""),
        ("\"TLS.sdkappid\": 7", "\"TLS.sdkappid\": \"+7\""),
        ("\"TLS.sdkappid\": 7", "\"TLS.sdkappid\": \" 7\""),
        ("\"TLS.sdkappid\": 7", "\"TLS.sdkappid\": \"7 \""),
        ("\"TLS.time\": 1700000000", "\"TLS.time\": 1.7e9"),
        ("\"TLS.expire\": 60", "\"TLS.expire\": 6E1"),
        // A member that is null, unknown or repeated.
        ("\"TLS.expire\": 60", "\"TLS.expire\": 60, \"TLS.userbuf\": null"),
        ("\"TLS.expire\": 60", "\"TLS.expire\": 60, \"extra\": 1"),
        ("\"TLS.expire\": 60", "\"TLS.expire\": 60, \"TLS.expire\": 60"),
        ("\"TLS.expire\": 60", "\"TLS.expire\": 60, \"TLS.e\\u0078pire\": 60"),
        // Characters behind the end, or a comma too many.
        ("\"TLS.expire\": 60, ", "\"TLS.expire\": 60,, "), ("}", "}}"), ("}", "} {}"),
        ("}", "}\u{0}"),
    ])
    func whereTheyDoNotThereIsOneSpelling(_ member: String, _ other: String) throws {
        let token = try Self.packed(try Self.genuine(member, as: other))
        #expect(throws: CredentialError.invalid) { try Self.read(token) }
    }

    @Test func aMemberThatIsZeroMustBeThere() throws {
        let whole = try Self.read(try Self.packed(try Self.genuine(time: 0)))
        #expect(whole.isSigned(with: Self.secret))
        let token = try Self.packed(try Self.genuine("\"TLS.time\": 0, ", as: "", time: 0))
        #expect(throws: CredentialError.invalid) { try Self.read(token) }
    }

    @Test func whatIsNotUTF8IsInvalid() throws {
        let deflater = try #require(Deflater(.zlib))
        let text = try Self.genuine() + String(repeating: " ", count: 200)
        for broken: [UInt8] in [[0xFF], [0xC0, 0xA0], [0xED, 0xA0, 0x80]] {
            let start = try #require(text.firstRange(of: "\"TLS.sig\": \"")).upperBound
            let bytes = Array(text.utf8[..<start]) + broken + Array(text.utf8[start...])
            let token = Self.text(
                try #require(bytes.withUnsafeBytes { deflater.deflate($0).map { Array($0) } }))
            #expect(throws: CredentialError.invalid) { try Self.read(token) }
        }
    }

    /// The bytes of the genuine token above, in zlib that does not compress.
    ///
    /// They are another spelling of the same token, since libraries compress the same bytes
    /// differently.
    @Test func howWellZlibCompressesIsFree() throws {
        let json = Array(try Self.genuine().utf8)
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in json {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        let count = UInt16(json.count)
        let lengths = [count, ~count].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let head: [UInt8] = [0x78, 0x01, 1] + lengths
        let check = (high << 16 | low).bigEndian
        let stored = head + json + withUnsafeBytes(of: check) { Array($0) }
        #expect(try Self.read(Self.text(stored)).isSigned(with: Self.secret))
        for rest: [UInt8] in [[0], [0x78], stored] {
            #expect(throws: CredentialError.invalid) { try Self.read(Self.text(stored + rest)) }
        }
    }

    @Test func base64HasOneSpelling() throws {
        // The text has two places of padding, one of which has loose bits.
        var spelling = Array(Self.plain.utf8)
        try #require(spelling.suffix(2) == Array("__".utf8))
        let last = spelling.count - 3
        let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-"
        for digit in digits.utf8
        where digit != Array(Self.plain.utf8)[last] {
            spelling[last] = digit
            do throws(CredentialError) {
                let claim = try Self.read(spelling)
                #expect(!claim.isSigned(with: Self.secret))
            } catch {
                #expect(error == .invalid)
            }
        }
        let bare = String(Self.plain.dropLast(2))
        let wide = Self.plain.replacing("*", with: "+").replacing("-", with: "/")
        for other in [
            bare, bare + "_", bare + "___", bare + "==", Self.plain + "____", " " + Self.plain,
            Self.plain + " ", Self.plain + "\n", bare + "_ _",
            bare.prefix(100) + "\n" + bare.dropFirst(100) + "__",
            bare.prefix(96) + "    " + bare.dropFirst(96) + "__",
        ] {
            #expect(throws: CredentialError.invalid) { try Self.read(other) }
        }
        if wide != Self.plain {
            #expect(throws: CredentialError.invalid) { try Self.read(wide) }
        }
    }

    @Test func aDigitThatHoldsNoByteIsNoSecondSpelling() throws {
        let all = try (0..<100).map { try Self.signed(expire: "\(60 + $0 * 7_919)") }
        let whole = try #require(all.first { !$0.hasSuffix("_") })
        #expect(try Self.read(whole).isSigned(with: Self.secret))
        #expect(throws: CredentialError.invalid) { try Self.read(whole + "A___") }
    }

    @Test func aSignatureThatExpandsBeyondTheLimitIsInvalid() throws {
        let short = try Self.signed(extra: String(repeating: " ", count: 2_000))
        #expect(throws: Never.self) { try Self.read(short) }
        let long = try Self.signed(
            extra: String(repeating: " ", count: AccessLimits.expandedSignatureBytes))
        #expect(long.utf8.count < 1_000)
        #expect(throws: CredentialError.invalid) { try Self.read(long) }
    }

    @Test func aCredentialBeyondTheLimitIsInvalid() throws {
        let long = [UInt8](repeating: UInt8(ascii: "A"), count: AccessLimits.credentialBytes + 4)
        #expect(throws: CredentialError.invalid) { try Self.read(long) }
    }
}
