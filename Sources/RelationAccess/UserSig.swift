package import Compression
import Digests
import Memory
import Protobuf
package import RelationModel

/// A user's own credential: claims of its app about it, signed with the app's secret, in TIM's
/// format TLSSigAPIv2.
///
/// The text is base64 of zlib of a JSON object, with `*-_` in the place of `+/=`. Not that text is
/// signed, but five of its values. The vendor's generators differ in how they write the rest. So a
/// signature may differ in these points: how well zlib compresses, the order of the members, blanks
/// between them, escapes in their strings, and numbers in quotes.
///
/// In all else a signature has one spelling:
/// - base64 has its padding and no loose bits;
/// - nothing follows the end of zlib or of the object;
/// - strings are UTF-8;
/// - every known member stands once, and no other member is there;
/// - whole numbers have as few digits as they need.
package struct UserSig: Sendable {
    /// The app that the signature claims to be of; this claim is not yet checked.
    package let appID: UInt32
    package let user: UserID
    /// The last moment at which the signature is valid.
    package let expiresMs: Int64
    /// The time at which it was made: the first moment of a second.
    package let issuedMs: Int64
    /// The claims that the app has signed.
    private let claims: [UInt8]
    /// The signature in the text.
    private let signature: [UInt8]

    /// Reads a signature, and trusts nothing of it.
    ///
    /// - Throws: ``CredentialError/invalid``.
    package init(
        reading token: UnsafeRawBufferPointer, _ inflater: Inflater
    ) throws(CredentialError) {
        guard (1...AccessLimits.credentialBytes).contains(token.count),
            let packed = Base64.decode(token, .signature),
            let shown = Self.claims(in: packed, inflater),
            shown.version.utf8.elementsEqual("2.0".utf8), let user = UserID(shown.identifier),
            (shown.userbuf ?? "").utf8.allSatisfy(Self.isPrintable)
        else { throw .invalid }
        appID = shown.appID
        self.user = user
        issuedMs = Self.milliseconds(shown.time)
        let end = shown.time.addingReportingOverflow(shown.expire)
        expiresMs = end.overflow ? (shown.expire < 0 ? .min : .max) : Self.milliseconds(end.0)
        claims = Array(shown.signed.utf8)
        signature = Array(shown.signature.utf8)
    }

    /// Whether the holder of `secret` made the signature.
    package func isSigned(with secret: String) -> Bool {
        let code = HMACSHA256.code(of: claims, key: secret.utf8)
        var digits: [UInt8] = []
        Base64.encode(code, padded: true, into: &digits)
        return ConstantTime.areEqual(digits, signature)
    }

    /// Whether the signature is valid at `now`, if it is genuine.
    ///
    /// - Throws: ``CredentialError/invalid`` if it is of the future, ``CredentialError/expired``.
    package func check(at now: Timestamp) throws(CredentialError) {
        guard issuedMs <= now.milliseconds + AccessLimits.clockSkewMilliseconds else {
            throw .invalid
        }
        guard now.milliseconds <= expiresMs else { throw .expired }
    }

    /// The object that `packed` expands to.
    private static func claims(in packed: [UInt8], _ inflater: Inflater) -> SignedClaims? {
        let text: String? = packed.withUnsafeBytes { bytes in
            do throws(InflateError) {
                let expanded = try inflater.inflate(
                    bytes, .zlib, limit: AccessLimits.expandedSignatureBytes)
                // Bytes that are not UTF-8 would all read as the same character.
                return String(validating: expanded, as: UTF8.self)
            } catch {
                return nil
            }
        }
        return text.flatMap { SignedClaims(json: $0) }
    }

    /// Seconds as milliseconds; if the result would be too large, the end of time.
    private static func milliseconds(_ seconds: Int64) -> Int64 {
        let (value, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflow ? (seconds < 0 ? .min : .max) : value
    }

    /// A line break would end one claim and begin another.
    private static func isPrintable(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F
    }
}

/// The JSON object in a signature.
private struct SignedClaims {
    let version: String
    let identifier: String
    let appID: UInt32
    let time: Int64
    let expire: Int64
    let userbuf: String?
    let signature: String

    /// Returns nil if the text is not the object, or not in its one spelling.
    init?(json: String) {
        guard case .object(let members)? = try? JSONValue(parsing: json) else { return nil }
        // The parser has already refused a key that comes twice.
        let values = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
        guard let version = Self.text(values["TLS.ver"]),
            let identifier = Self.text(values["TLS.identifier"]),
            let appID: UInt32 = Self.number(values["TLS.sdkappid"]),
            let time: Int64 = Self.number(values["TLS.time"]),
            let expire: Int64 = Self.number(values["TLS.expire"]),
            let signature = Self.text(values["TLS.sig"])
        else { return nil }
        let userbuf = Self.text(values["TLS.userbuf"])
        guard values.count == (userbuf == nil ? 6 : 7) else { return nil }
        (self.version, self.identifier, self.signature) = (version, identifier, signature)
        (self.appID, self.time, self.expire, self.userbuf) = (appID, time, expire, userbuf)
    }

    private static func text(_ value: JSONValue?) -> String? {
        if case .string(let text) = value { text } else { nil }
    }

    /// A whole number, in quotes or not, without a point, an exponent or a needless zero.
    private static func number<T: FixedWidthInteger>(_ value: JSONValue?) -> T? {
        let text: String
        switch value {
        case .number(let digits), .string(let digits): text = digits
        default: return nil
        }
        return T(text).flatMap { String($0) == text ? $0 : nil }
    }

    /// The text that the signature covers, in the order and form of the vendor's generators.
    var signed: String {
        """
        TLS.identifier:\(identifier)
        TLS.sdkappid:\(appID)
        TLS.time:\(time)
        TLS.expire:\(expire)

        """ + (userbuf.map { "TLS.userbuf:\($0)\n" } ?? "")
    }
}

extension Base64.Spelling {
    /// The alphabet of signatures, which has `*`, `-` and `_` in the place of `+`, `/` and `=`.
    ///
    /// Bytes have exactly one spelling. So a signature that was cut off is always noticed.
    static let signature = Base64.Spelling(
        lastDigits: "*-", padding: "_", needsPadding: true, allowsLooseBits: false)
}
