import Collation

/// The words that no text of an app may contain.
///
/// Words and texts are compared as a search compares names: without case, width, and the forms of
/// characters that Unicode calls compatible. Characters that cannot be seen are skipped in both, so
/// that none of them hides a word.
struct ForbiddenWords: Sendable {
    /// The words by their first byte; empty if there are none.
    private var words: [[[UInt8]]] = []

    /// - Parameter words: One of which nothing can be seen is in no text.
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
        return text.indices.contains { place in
            words[Int(text[place])].contains { text[place...].starts(with: $0) }
        }
    }

    /// What is compared of `text`.
    static func visible(_ text: String) -> [UInt8] {
        // The folding takes away what Unicode says to ignore by default, and leaves controls.
        let folded = Collators.shared.folded(text)
        guard !folded.allSatisfy({ 0x20..<0x7F ~= $0 }) else { return folded }
        var visible = String.UnicodeScalarView()
        for scalar in String(decoding: folded, as: UTF8.self).unicodeScalars
        where !scalar.isInvisible { visible.append(scalar) }
        return Array(String(visible).utf8)
    }
}

extension Unicode.Scalar {
    /// Whether nothing is shown of the character, not even a space: a control, or an anchor of an
    /// annotation.
    fileprivate var isInvisible: Bool {
        if 0xFFF9...0xFFFB ~= value { return true }
        return properties.generalCategory == .control && !properties.isWhitespace
    }
}
