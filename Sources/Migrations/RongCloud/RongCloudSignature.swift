import Digests
import Support

/// Signs a call to RongCloud's server API, as the vendor's own clients do.
enum RongCloudSignature {
    /// - Parameters:
    ///   - nonce: Any text.
    ///   - seconds: When the call is made, since 1970.
    static func text(secret: String, nonce: String, seconds: Int64) -> String {
        String(hexadecimal: SHA1.digest(of: "\(secret)\(nonce)\(seconds)".utf8))
    }
}
