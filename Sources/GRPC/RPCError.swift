/// A call that did not succeed.
///
/// Two errors are equal when their codes are. The message reaches the peer and says what the peer
/// can change; the cause stays here, for the log.
package struct RPCError: Error, Equatable, Sendable, CustomStringConvertible {
    package var code: Status.Code
    package var message: String

    /// A serialized `google.rpc.Status` of the same code, or nothing.
    package var details: [UInt8]

    /// Metadata that comes with the status.
    package var trailers: Metadata

    /// What lies behind the error; never sent.
    package var cause: (any Error)?

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

    package var description: String { message.isEmpty ? "\(code)" : "\(code): \(message)" }

    package static func == (one: RPCError, other: RPCError) -> Bool {
        one.code == other.code
    }
}
