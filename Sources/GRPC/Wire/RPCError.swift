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

    /// The error that caused this one; never sent.
    package var cause: (any Error)?

    /// All fields of the answer, if they were made beforehand by ``prepared``.
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

    /// The same error with the fields of its answer already encoded, for an error that is answered
    /// often.
    ///
    /// Each answer then costs some bytes, and no encoding.
    ///
    /// The fields live as long as the last reference to the error, which must be kept as long as
    /// the process runs.
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
