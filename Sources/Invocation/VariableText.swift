/// The value of a variable of the environment, as a program takes it.
package enum VariableText {
    /// The value without the line end that a file, or the output of a command, leaves after it.
    ///
    /// One is taken away, as a reader of a file of one line does.
    package static func trimmed(_ value: String) -> String {
        var bytes = value.utf8[...]
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return String(Substring(bytes))
    }

    /// Whether the value has a character that no single line has.
    package static func hasControl(_ value: String) -> Bool {
        value.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }
}
