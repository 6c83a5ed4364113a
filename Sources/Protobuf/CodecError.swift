/// Why bytes are not a message, or why a message cannot become bytes.
///
/// Two errors are equal if their codes are. The message names the field if it is known. It holds
/// nothing of the data, so it may be shown to the peer.
@usableFromInline package struct CodecError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of error.
    package enum Code: Hashable, Sendable {
        /// The bytes are not the wire format: cut off, a bad tag, a length beyond the end.
        case malformed
        /// A string field is not UTF-8.
        case invalidUTF8
        /// Messages, groups or JSON nest deeper than ``CodecLimits`` allow.
        case tooDeep
        /// The message would take more memory than ``CodecLimits/decodedBytes``, or is longer than
        /// ``CodecLimits/longestEncodingBytes``.
        case tooLarge
        /// The message holds more than ``CodecLimits/unknownFields``.
        case tooManyUnknown
        /// The arena of the call is full.
        case outOfMemory
        /// The text is not JSON, or not the JSON of this message; or the message has no JSON.
        case invalidJSON
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    @usableFromInline package var description: String { message }

    @usableFromInline package static func == (one: CodecError, other: CodecError) -> Bool {
        one.code == other.code
    }

    @usableFromInline static var arenaIsFull: CodecError {
        CodecError(.outOfMemory, "the memory of the call is used up")
    }

    @usableFromInline static var isTooDeep: CodecError {
        CodecError(.tooDeep, "messages nest deeper than \(CodecLimits.messageDepth)")
    }
}
