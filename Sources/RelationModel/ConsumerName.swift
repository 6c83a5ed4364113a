/// The name of a consumer of an app's changes: 1 to 64 letters of ASCII, digits, dots, hyphens and
/// underscores.
package struct ConsumerName: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// The name that `text` spells; nil if the text breaks a rule of the alphabet or the length.
    package init?(_ text: String) {
        guard (1...Limits.consumerBytes).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0.isLetterOrDigit || "._-".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    /// The name from a row of the store; it was checked when the row was written.
    package init(stored text: String) {
        self.text = text
    }

    package var description: String { text }
}
