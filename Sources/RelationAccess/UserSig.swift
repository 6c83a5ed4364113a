package import Compression
import Crypto
import Protobuf
package import RelationModel

/// A user's own credential: what its app says of it, signed with the app's secret, in TIM's format
/// TLSSigAPIv2.
///
/// The text is base64, written with `*-_` for `+/=`, of zlib of a JSON object. What is signed is
/// not that text but five of its values, so that every generator may write its JSON as it likes.
package struct UserSig: Sendable {
    /// The app that the signature claims to be of: nobody has looked at it yet.
    package let appID: UInt32
    package let user: UserID
    /// The last moment at which it is good.
    package let expiresMs: Int64
    private let issuedMs: Int64
    /// What the app has signed.
    private let claims: [UInt8]
    /// The signature's text, as the claim has it.
    private let signature: [UInt8]

    /// Reads a signature, and believes nothing of it.
    ///
    /// - Throws: ``CredentialFault/invalid``.
    package init(
        reading token: UnsafeRawBufferPointer, _ inflater: Inflater
    ) throws(CredentialFault) {
        guard (1...AccessLimits.credentialBytes).contains(token.count),
            let packed = Base64.decodeSignature(token),
            let message = Self.message(in: packed, inflater),
            message.version.utf8.elementsEqual("2.0".utf8), let user = UserID(message.identifier),
            (message.userbuf ?? "").utf8.allSatisfy(Self.isPrintable)
        else { throw .invalid }
        appID = message.appID
        self.user = user
        issuedMs = Self.milliseconds(message.time)
        let end = message.time.addingReportingOverflow(message.expire)
        expiresMs = end.overflow ? (message.expire < 0 ? .min : .max) : Self.milliseconds(end.0)
        claims = Array(message.claims.utf8)
        signature = Array(message.signature.utf8)
    }

    /// Whether the holder of `secret` made the signature.
    package func isSigned(with secret: String) -> Bool {
        let key = SymmetricKey(data: Array(secret.utf8))
        let code = HMAC<SHA256>.authenticationCode(for: claims, using: key)
        return Sameness.holds(Base64.encode(code), signature)
    }

    /// Whether the signature is good at `now`, if it is genuine.
    ///
    /// - Throws: ``CredentialFault/invalid`` of the future, ``CredentialFault/expired``.
    package func check(at now: Timestamp) throws(CredentialFault) {
        guard issuedMs <= now.milliseconds + AccessLimits.clockSkewMilliseconds else {
            throw .invalid
        }
        guard now.milliseconds <= expiresMs else { throw .expired }
    }

    private static func message(
        in packed: [UInt8], _ inflater: Inflater
    ) -> UserSigMessage? {
        let text: String
        do throws(InflateError) {
            // A closure of the standard library would lose the error's type.
            var failure: InflateError?
            let expanded = packed.withUnsafeBytes { bytes -> String in
                do throws(InflateError) {
                    let bytes = try inflater.inflate(
                        bytes, .zlib, limit: AccessLimits.expandedSignatureBytes)
                    return String(decoding: bytes, as: UTF8.self)
                } catch {
                    failure = error
                    return ""
                }
            }
            if let failure { throw failure }
            text = expanded
        } catch {
            return nil
        }
        return Arena.temporary { arena in
            do throws(CodecError) { return try UserSigMessage(json: text, arena) } catch {
                return nil
            }
        }
    }

    /// Seconds as milliseconds; the end of time for what has no place in those.
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
///
/// By proto3's mapping numbers may be written as strings, as some generators do.
private struct UserSigMessage: Message {
    var version = ""
    var identifier = ""
    var appID: UInt32 = 0
    var time: Int64 = 0
    var expire: Int64 = 0
    var userbuf: String?
    var signature = ""

    static let schema = Schema("relation.access.UserSig", UserSigMessage.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "TLS.ver", &version)
        visitor.field(2, "TLS.identifier", &identifier)
        visitor.field(3, "TLS.sdkappid", &appID)
        visitor.field(4, "TLS.time", &time)
        visitor.field(5, "TLS.expire", &expire)
        visitor.field(6, "TLS.userbuf", &userbuf)
        visitor.field(7, "TLS.sig", &signature)
    }

    /// What the signature covers, in the order and form of the vendor's generators.
    var claims: String {
        """
        TLS.identifier:\(identifier)
        TLS.sdkappid:\(appID)
        TLS.time:\(time)
        TLS.expire:\(expire)

        """ + (userbuf.map { "TLS.userbuf:\($0)\n" } ?? "")
    }
}
