/// The identifier of a client app inside one app: 1 to 64 letters of ASCII, digits, dots, hyphens
/// and underscores.
package struct ClientAppID: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// The identifier that `text` spells; nil if the text breaks a rule of the alphabet or the
    /// length.
    package init?(_ text: String) {
        guard (1...Limits.clientAppIDBytes).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0.isLetterOrDigit || "._-".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    /// The identifier from a row of the store; it was checked when the row was written.
    package init(stored text: String) {
        self.text = text
    }

    package var description: String { text }
}

extension UInt8 {
    /// Whether it is a letter or a digit of ASCII.
    var isLetterOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}
