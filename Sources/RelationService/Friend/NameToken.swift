import RelationCalls
import RelationCore
import RelationModel

/// The position after which a page sorted by names begins, as a text that the caller sends back.
///
/// Like ``PageToken`` it holds a digest of the query and of the position.
struct NameToken {
    /// The part of the result that the position is in; 0 if the result has no parts.
    let part: UInt8
    let nameKey: NameKey

    init(part: UInt8 = 0, _ nameKey: NameKey) {
        self.part = part
        self.nameKey = nameKey
    }

    /// Reads `text`; nil if it is not a token of `query`.
    init?(_ text: String, of query: String) {
        guard let bytes = PageToken.cursor(text, of: query), bytes.count > 2 else { return nil }
        let key = bytes.dropFirst(2).prefix(Int(bytes[bytes.startIndex + 1]))
        let name = String(decoding: bytes.dropFirst(2 + key.count), as: UTF8.self)
        guard let user = UserID(name) else { return nil }
        self.init(part: bytes[bytes.startIndex], NameKey(key: Array(key), user: user))
    }

    func text(of query: String) -> String {
        let bytes = [part, UInt8(nameKey.key.count)] + nameKey.key + Array(nameKey.user.text.utf8)
        return PageToken.text(bytes, of: query)
    }

    /// The token of a request; nil if it asks for the first page.
    static func read(
        _ text: String, of query: String, _ violations: inout Violations
    ) -> NameToken? {
        guard !text.isEmpty else { return nil }
        if let token = NameToken(text, of: query) { return token }
        violations.add(
            "page_token", "is not a token of this list in this order", reason: .invalidPageToken)
        return nil
    }
}
