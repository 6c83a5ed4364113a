/// A text as the key of a set or of a dictionary, compared by its bytes.
///
/// Swift takes two `String` keys for one if they look alike, such as K and the sign of Kelvin
/// (U+212A).
package struct ExactText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (one: ExactText, other: ExactText) -> Bool {
        one.text.isExactly(other.text)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // A key of two texts has a mark between them.
        hasher.combine(UInt8(0xFF))
    }

    /// Orders by bytes, as the store does.
    package static func < (one: ExactText, other: ExactText) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}
