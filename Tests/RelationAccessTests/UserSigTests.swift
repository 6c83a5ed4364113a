import Compression
import Crypto
import RelationModel
import Testing

@testable import RelationAccess

/// Users' signatures: those of the vendor's generator are read, and nothing that is not whole,
/// genuine and of its time is good.
struct UserSigTests {
    private static let secret =
        "5bd2850fff3ecb11d7c805251c51ee463a25727bddc2385f3fa8bfee1bb93b5e"
    /// When the vendor's generator in Python made the two below.
    private static let made = Timestamp(milliseconds: 1_700_000_000_000)
    private static let plain =
        "eJyrVgrxCdYrSy1SslJQMtIzUNJRAItkpqTmlWSmZUIkKjIT87NK82CSxSnZiQUFmSlAKUMTAyiAyqVWFGQW"
        + "pYJkTE1NjRDiJZm5YFFzNPXFmekgG3zKHM1T9D3LzdODi-OKs8vCqpxcAvydnV2SSv2cy03cPcpDnA2SMgu0"
        + "nUxslWoBHdYzUg__"
    private static let withUserbuf =
        "eJyrVgrxCdYrSy1SslJQMtIzUNJRAItkpqTmlWSmZUIkKjIT87NK82CSxSnZiQUFmSlAKUMTAyiAyqVWFGQW"
        + "pQJlLMxM4IIlmbkgIUNzNMWlxalFSaVpICsiw72y4OZnpoOE-BOTjMsi0nMiTUwDkiuqtIODszJSKpzCSzNC"
        + "HCvCMioifdLKwrLcM-y9DGyVagF2rTqB"

    private static func read(_ token: [UInt8]) throws(CredentialFault) -> UserSig {
        let result: Result<UserSig, CredentialFault> = token.withUnsafeBytes { token in
            do throws(CredentialFault) {
                return .success(try UserSig(reading: token, Inflater()))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func read(_ token: String) throws(CredentialFault) -> UserSig {
        try read(Array(token.utf8))
    }

    /// The signature's text of a JSON object.
    private static func packed(_ json: String) throws -> String {
        let deflater = try #require(Deflater(.zlib))
        // Blanks, so that what is short gets shorter too.
        let bytes = Array((json + String(repeating: " ", count: 200)).utf8)
        let packed = try #require(bytes.withUnsafeBytes { deflater.deflate($0).map { Array($0) } })
        let text = Base64.encode(packed).map { digit in
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
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(claims.utf8), using: SymmetricKey(data: Array(secret.utf8)))
        let signature = String(decoding: Base64.encode(code), as: UTF8.self)
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
        #expect(throws: CredentialFault.expired) {
            try claim.check(at: Self.made.advanced(byMilliseconds: 60_001))
        }
        #expect(throws: CredentialFault.invalid) {
            try claim.check(at: Self.made.advanced(byMilliseconds: -skew - 1))
        }
    }

    @Test func aLifetimeBeyondTheEndOfTimeDoesNotOverflow() throws {
        let longest = try Self.read(try Self.signed(expire: "\(Int64.max)"))
        #expect(longest.expiresMs == .max)
        let future = try Self.read(try Self.signed(time: "\(Int64.max)", expire: "\(Int64.max)"))
        #expect(throws: CredentialFault.invalid) { try future.check(at: Self.made) }
        let past = try Self.read(try Self.signed(time: "\(Int64.min)", expire: "\(Int64.min)"))
        #expect(throws: CredentialFault.expired) { try past.check(at: Self.made) }
    }

    @Test func everyTruncationIsInvalid() throws {
        let token = Array(Self.plain.utf8)
        for length in 0..<token.count {
            #expect(throws: CredentialFault.invalid) { try Self.read(Array(token[..<length])) }
        }
    }

    @Test func noOtherByteAnywhereMakesAGenuineSignature() throws {
        var token = Array(Self.plain.utf8)
        for place in token.indices {
            let old = token[place]
            for new in [old ^ 1, UInt8(ascii: "A"), UInt8(ascii: "_"), 0] where new != old {
                token[place] = new
                do throws(CredentialFault) {
                    let claim = try Self.read(token)
                    #expect(!claim.isSigned(with: Self.secret), "byte \(place) as \(new)")
                } catch {
                    #expect(error == .invalid)
                }
            }
            token[place] = old
        }
    }

    @Test func aClaimThatWasChangedIsNotSigned() throws {
        let genuine = try Self.read(try Self.signed())
        #expect(genuine.isSigned(with: Self.secret))
        // The signature of the one before, under other claims.
        let claims = "TLS.identifier:ann\nTLS.sdkappid:7\nTLS.time:1700000000\nTLS.expire:60\n"
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(claims.utf8), using: SymmetricKey(data: Array(Self.secret.utf8)))
        let signature = String(decoding: Base64.encode(code), as: UTF8.self)
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
        #expect(throws: CredentialFault.invalid) { try Self.read(token) }
    }

    @Test func aSignatureThatExpandsBeyondTheLimitIsInvalid() throws {
        let short = try Self.signed(extra: String(repeating: " ", count: 2_000))
        #expect(throws: Never.self) { try Self.read(short) }
        let long = try Self.signed(
            extra: String(repeating: " ", count: AccessLimits.expandedSignatureBytes))
        #expect(long.utf8.count < 1_000)
        #expect(throws: CredentialFault.invalid) { try Self.read(long) }
    }

    @Test func aCredentialBeyondTheLimitIsInvalid() throws {
        let long = [UInt8](repeating: UInt8(ascii: "A"), count: AccessLimits.credentialBytes + 4)
        #expect(throws: CredentialFault.invalid) { try Self.read(long) }
    }
}
