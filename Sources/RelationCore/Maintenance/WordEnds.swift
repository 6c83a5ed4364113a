/// The byte offsets in a text at which an id may begin or end.
struct WordEnds {
    /// In ascending order, with 0 and the number of bytes.
    let all: [Int]
    private let bytes: [UInt8]

    init(_ text: String) {
        bytes = Array(text.utf8)
        var all = [0]
        var offset = 0
        var last: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if let last, !(last.isOfWord && scalar.isOfWord), !scalar.isMark { all.append(offset) }
            offset += UTF8.width(scalar)
            last = scalar
        }
        if offset > 0 { all.append(offset) }
        self.all = all
    }

    func text(_ start: Int, _ end: Int) -> String {
        String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// The longer texts that contain the one between two offsets; each is between two of ``all``.
    func around(_ start: Int, _ end: Int) -> Set<ExactText> {
        var around: Set<ExactText> = []
        for first in all where first <= start {
            for last in all where last >= end && last - first > end - start {
                around.insert(ExactText(text(first, last)))
            }
        }
        return around
    }
}

extension Unicode.Scalar {
    /// Whether it changes the one before it, as an accent does.
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// Whether it is a letter or a digit of a script that has blanks around its words.
    fileprivate var isOfWord: Bool {
        switch properties.generalCategory {
        case .decimalNumber, .letterNumber, .otherNumber: true
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter: true
        case .otherLetter: !properties.isIdeographic && !isOfUnspacedScript
        default: isMark
        }
    }

    /// Whether it is of Thai, Lao, Tibetan, Myanmar or Khmer, or is a kana, or a Korean syllable,
    /// after which a particle stands.
    private var isOfUnspacedScript: Bool {
        switch value {
        case 0x0E00...0x0FFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x30FF, 0x31F0...0x31FF,
            0xAC00...0xD7A3, 0xFF66...0xFF9F:
            true
        default: false
        }
    }
}
