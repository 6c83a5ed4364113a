import Compression
import Digests
import Memory
import Protobuf

/// Makes the UserSig of an administrator, as TIM's own generators do.
package enum TIMSignature {
    /// - Parameter seconds: When it is made, since 1970.
    package static func text(
        app: UInt32, user: String, secret: String, at seconds: Int64
    ) throws(MigrationError) -> String {
        let expire = MigrationLimits.signatureSeconds
        let claims = """
            TLS.identifier:\(user)
            TLS.sdkappid:\(app)
            TLS.time:\(seconds)
            TLS.expire:\(expire)

            """
        var code: [UInt8] = []
        Base64.encode(
            HMACSHA256.code(of: Array(claims.utf8), key: Array(secret.utf8)), padded: true,
            into: &code)
        let name = JSONQuote.text(user)
        let json =
            "{\"TLS.ver\":\"2.0\",\"TLS.identifier\":\(name),\"TLS.sdkappid\":\(app),"
            + "\"TLS.expire\":\(expire),\"TLS.time\":\(seconds),"
            + "\"TLS.sig\":\"\(String(decoding: code, as: UTF8.self))\"}"
        let deflater = Deflater(.zlib)
        let packed = Array(json.utf8).withUnsafeBytes { bytes in
            deflater?.deflate(bytes).map { Array($0) }
        }
        guard let packed else { throw MigrationError("the signature cannot be packed") }
        var text: [UInt8] = []
        Base64.encode(packed, padded: true, into: &text)
        return String(
            decoding: text.map { byte -> UInt8 in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "*")
                case UInt8(ascii: "/"): UInt8(ascii: "-")
                case UInt8(ascii: "="): UInt8(ascii: "_")
                default: byte
                }
            }, as: UTF8.self)
    }
}
