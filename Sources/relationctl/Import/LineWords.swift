import Protobuf

/// The words of a line with blanks and tabs between them.
enum LineWords {
    static func words(of text: Substring) -> [String] {
        text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            .map { String(Substring($0)) }
    }

    /// Why a word is not a user: it has a character that is not seen, and may be a separator.
    static func error(in word: String) -> String? {
        guard word.utf8.contains(where: { $0 <= 0x20 || $0 > 0x7E }) else { return nil }
        let hidden = word.unicodeScalars.first {
            JSONQuote.isHidden($0) || $0.properties.isWhitespace
        }
        guard let hidden else { return nil }
        let digits = String(hidden.value, radix: 16, uppercase: true)
        let code = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return "has the character U+\(code) in a user; blanks or tabs stand between users"
    }
}
