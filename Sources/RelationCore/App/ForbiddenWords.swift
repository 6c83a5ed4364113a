import Collation

/// The words that no text of an app may contain.
///
/// Words and texts are compared as a search compares names: regardless of case, width, and the
/// forms of characters that Unicode calls compatible. Invisible characters are skipped in both, so
/// that none of them hides a word.
struct ForbiddenWords: Sendable {
    /// The words by their first byte; empty if there are none.
    private var words: [[[UInt8]]] = []

    /// - Parameter words: A word without any visible character occurs in no text.
    init(_ words: [String]) {
        for word in words.map(Self.visible) where !word.isEmpty {
            if self.words.isEmpty { self.words = Array(repeating: [], count: 256) }
            self.words[Int(word[0])].append(word)
        }
    }

    /// Whether one of the words is in `text`.
    func occur(in text: String) -> Bool {
        guard !words.isEmpty, !text.isEmpty else { return false }
        let text = Self.visible(text)
        return text.indices.contains { offset in
            words[Int(text[offset])].contains { text[offset...].starts(with: $0) }
        }
    }

    /// The part of `text` that is compared.
    static func visible(_ text: String) -> [UInt8] {
        // The folding removes the characters that Unicode says to ignore by default, and leaves
        // control characters.
        let folded = Collators.shared.folded(text)
        guard !folded.allSatisfy({ 0x20..<0x7F ~= $0 }) else { return folded }
        var visible = String.UnicodeScalarView()
        for scalar in String(decoding: folded, as: UTF8.self).unicodeScalars
        where !scalar.isInvisible { visible.append(scalar) }
        return Array(String(visible).utf8)
    }
}

extension Unicode.Scalar {
    /// Whether the character shows nothing, not even a space: a control character, or an anchor of
    /// an annotation.
    fileprivate var isInvisible: Bool {
        if 0xFFF9...0xFFFB ~= value { return true }
        return properties.generalCategory == .control && !properties.isWhitespace
    }
}
