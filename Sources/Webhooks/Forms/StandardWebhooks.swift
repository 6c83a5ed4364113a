import Digests
import Memory

/// A secret that a sender and a receiver share: `whsec_` and the Base64 of 24 to 64 bytes.
package struct WebhookSecret: Sendable, Hashable {
    private static let mark = "whsec_"

    let bytes: [UInt8]

    /// Reads the text of a secret; nil if it is none.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.mark), text.utf8.count <= 128,
            let bytes = Base64.decode(String(text.dropFirst(Self.mark.count)), .secret)
        else { return nil }
        self.init(bytes: bytes)
    }

    /// The secret of bytes that were drawn at random; nil if their number is not allowed.
    package init?(bytes: [UInt8]) {
        guard WebhookLimits.secretBytes.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// The text to show to the owner once.
    package var text: String {
        Self.mark + bytes.withUnsafeBytes { Base64.text($0, padded: true) }
    }
}

extension WebhookSecret: CustomStringConvertible, CustomDebugStringConvertible {
    /// Nothing of the secret, so that no log shows it.
    package var description: String { "WebhookSecret" }
    package var debugDescription: String { description }
}

/// Headers by which a receiver knows who sent a message, as standardwebhooks.com has them.
package enum StandardWebhooks {
    /// The headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
    ///
    /// - Parameters:
    ///   - id: The message's own name, equal in each attempt to deliver it, of visible ASCII
    ///     without a dot.
    ///   - seconds: The time of this attempt, since 1970.
    ///   - secrets: The present secret, and those that it replaces for a while: a signature of each
    ///     stands in the header.
    package static func headers(
        id: String, seconds: Int64, body: [UInt8], secrets: [WebhookSecret]
    ) -> [(name: String, value: String)] {
        let signed = Array("\(id).\(seconds).".utf8) + body
        let signatures = secrets.prefix(WebhookLimits.secrets).map { secret in
            let code = HMACSHA256.code(of: signed, key: secret.bytes)
            return "v1," + code.withUnsafeBytes { Base64.text($0, padded: true) }
        }
        return [
            ("webhook-id", id), ("webhook-timestamp", String(seconds)),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }
}

extension Base64.Spelling {
    /// The spelling of secrets: some tools leave the padding out.
    fileprivate static let secret = Base64.Spelling(
        lastDigits: "+/", needsPadding: false, allowsLooseBits: false)
}
