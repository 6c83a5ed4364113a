package import HTTP2

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

    /// The number of the reason for the counters of the server; 0 for an error that has none.
    package var reason: UInt16 = 0

    /// Whether the bytes of the request are not a message: each protocol has its own code for that.
    package var isMalformed = false

    /// The error that caused this one; never sent.
    package var cause: (any Error)?

    /// A client's error only: the server's word on another attempt, if it gave one.
    package var pushback: Pushback?

    /// A client's error only: whether the server cannot have looked at the call, so that the call
    /// may be made again whatever it does.
    ///
    /// The call was never sent, or the server said that it refused the call's stream.
    package var wasUnprocessed = false

    /// A client's error only: the party that says that the call failed.
    package var origin = Origin.status

    /// All fields of the answer, if they were made beforehand.
    package var fields: FixedFields?

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

    /// The same error, for bytes that are not a message.
    package var ofMalformedRequest: RPCError {
        var error = self
        error.isMalformed = true
        return error
    }

    package var description: String { message.isEmpty ? "\(code)" : "\(code): \(message)" }

    package static func == (one: RPCError, other: RPCError) -> Bool {
        one.code == other.code
    }
}

extension RPCError {
    /// The party that says that a call failed; it decides whether another attempt may help.
    package enum Origin: Sendable, Equatable {
        /// The server, by a status of gRPC.
        case status
        /// Something between client and server, or the end of one of them: a reset, a lost
        /// connection, an answer that is not gRPC, an end without a status.
        case way
        /// The way as well, and it stays so until the client or the server is set up otherwise.
        case setup
        /// The client itself: the caller cancelled the call, its time was over, or a rule was
        /// broken.
        case caller
        /// The client, because a message is longer than its own limits allow.
        case tooLong
        /// The client, because it was closed.
        case closed
    }

    /// A server's word on another attempt at a call: the trailer `grpc-retry-pushback-ms`.
    package enum Pushback: Sendable, Equatable {
        /// The call may be made again after that time, and not earlier.
        case after(Duration)
        /// The call must not be made again.
        case never

        /// Returns nil if the block of trailers says nothing.
        ///
        /// As gRPC has it, a value that is not a number, or is negative, forbids another attempt.
        package init?(_ trailers: HeaderBlock) {
            guard let value = trailers.value(of: "grpc-retry-pushback-ms") else { return nil }
            let digits = String(decoding: value, as: UTF8.self)
            guard let milliseconds = Int32(digits), milliseconds >= 0, digits.first != "+" else {
                self = .never
                return
            }
            self = .after(.milliseconds(milliseconds))
        }
    }
}
