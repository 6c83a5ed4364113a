/// Why a file cannot be used, in words that begin with its name.
package struct InputFileError: Error, CustomStringConvertible {
    /// The path, or the words for standard input.
    package let name: String
    /// The reason, in words that follow the name.
    package let reason: String

    package var description: String { "\(name) \(reason)" }

    package init(_ name: String, _ reason: String) {
        self.name = name
        self.reason = reason
    }
}
