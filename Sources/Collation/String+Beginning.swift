extension String {
    /// The text from the first scalar on that `isFirst` takes; the text itself if that is its
    /// first one.
    func from(_ isFirst: (Unicode.Scalar) -> Bool) -> String {
        guard let first = unicodeScalars.first, !isFirst(first) else { return self }
        return String(unicodeScalars.drop { !isFirst($0) })
    }
}

extension Unicode.Scalar {
    /// Whether nothing is seen of it: white space, a control character, or one that no font draws.
    var isBlank: Bool {
        if value < 0x80 { return value <= 0x20 || value == 0x7F }
        return properties.isWhitespace || properties.isDefaultIgnorableCodePoint
            || properties.generalCategory == .control
    }

    /// Whether it is a letter or a number of any script, and so no mark, sign or emoji.
    var isLetterOrNumber: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .otherNumber:
            true
        default: false
        }
    }
}
