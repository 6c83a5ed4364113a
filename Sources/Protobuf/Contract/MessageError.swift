/// Why a text or bytes are not a message, or why a message has no such form.
public struct MessageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The position of the error, if it is known, and what is wrong there.
    public let description: String
}
