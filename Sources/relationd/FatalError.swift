import Protobuf

/// An error that ends the program with a message and without a stack of calls.
struct FatalError: Error, CustomStringConvertible {
    let description: String

    /// - Parameter text: The message; what a terminal would obey in its lines is escaped.
    init(_ text: String) {
        description = text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { JSONQuote.plain(String($0)) }.joined(separator: "\n")
    }
}
