/// How a call ended, with words for a person and details for a program.
@usableFromInline package struct Status: Equatable, Sendable {
    package var code: Code
    package var message: String

    /// A serialized `google.rpc.Status` of the same code, or nothing.
    package var details: [UInt8]

    package init(_ code: Code, _ message: String = "", details: [UInt8] = []) {
        self.code = code
        self.message = message
        self.details = details
    }

    package init(_ error: RPCError) {
        self.init(error.code, error.message, details: error.details)
    }

    package static let ok = Status(.ok)

    /// The status of calls that the stop of the server ends.
    package static let serverStops = Status(.unavailable, "the server is stopping")

    /// The status of calls on a connection whose time is over, by its age or by its client's
    /// certificate.
    package static let connectionIsOld = Status(.unavailable, "the time of the connection is over")
}
