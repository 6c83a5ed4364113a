/// How long a text may be: a number of bytes of UTF-8, or of characters.
///
/// TIM counts bytes, RongCloud characters. A character is a Unicode scalar, because servers in
/// every language can count these in the same way.
package struct TextLimit: Hashable, Sendable {
    /// The unit of a limit.
    package enum Unit: Hashable, Sendable {
        case bytes, characters
    }

    package let count: Int
    package let unit: Unit

    private init(count: Int, unit: Unit) {
        self.count = count
        self.unit = unit
    }

    package static func bytes(_ count: Int) -> TextLimit {
        TextLimit(count: count, unit: .bytes)
    }

    package static func characters(_ count: Int) -> TextLimit {
        TextLimit(count: count, unit: .characters)
    }

    /// Another limit of the same unit.
    package func counting(_ count: Int) -> TextLimit {
        TextLimit(count: count, unit: unit)
    }

    /// Whether `text` is no longer than this.
    package func allows(_ text: String) -> Bool {
        switch unit {
        case .bytes: text.utf8.count <= count
        case .characters: text.unicodeScalars.count <= count
        }
    }
}
