import HTTP2

/// A call that did not succeed.
///
/// Two errors are equal when their codes are. The message reaches the peer and says what the peer
/// can change; the cause stays here, for the log.
package struct RPCError: Error, Equatable, Sendable, CustomStringConvertible {
    package let code: Status.Code
    package let message: String

    /// A serialized `google.rpc.Status` of the same code, or nothing.
    package let details: [UInt8]

    /// Metadata that comes with the status.
    package let trailers: Metadata

    /// What lies behind the error; never sent.
    package var cause: (any Error)?

    /// All fields of its answer, if they were made beforehand.
    private(set) var fields: FixedFields?

    package init(
        _ code: Status.Code, _ message: String, details: [UInt8] = [], trailers: Metadata = [],
        cause: (any Error)? = nil
    ) {
        precondition(code != .ok, "success is not an error")
        self.code = code
        self.message = message
        self.details = details
        self.trailers = trailers
        self.cause = cause
    }

    /// The same error with the fields of its answer, for one that is answered often: each costs
    /// some bytes then, and no encoding.
    ///
    /// They live as long as somebody has the error, which must be as long as the process.
    package var prepared: RPCError {
        var block = HeaderBlock()
        block.append(Status(self), trailers, limit: .max)
        var error = self
        error.fields = FixedFields(.responseHead, owning: block)
        return error
    }

    package var description: String { message.isEmpty ? "\(code)" : "\(code): \(message)" }

    package static func == (one: RPCError, other: RPCError) -> Bool {
        one.code == other.code
    }
}
