internal import RPC

/// The gRPC status of a call as a whole.
///
/// The numbers and names are gRPC's. It is a struct, so a `switch` over values has a `default`.
public struct StatusCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// gRPC's number of the status.
    public let rawValue: UInt8

    /// Creates the status of a number, which gRPC need not define.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init(_ code: Status.Code) {
        rawValue = code.rawValue
    }

    /// `OK`: the call succeeded.
    public static let ok = StatusCode(rawValue: 0)
    /// `CANCELLED`: the call was ended by its caller, or by the server on the caller's behalf.
    public static let cancelled = StatusCode(rawValue: 1)
    /// `UNKNOWN`: the outcome of the call is not known.
    public static let unknown = StatusCode(rawValue: 2)
    /// `INVALID_ARGUMENT`: the request breaks a rule; ``CallError/violations`` names the fields.
    public static let invalidArgument = StatusCode(rawValue: 3)
    /// `DEADLINE_EXCEEDED`: the call took longer than it may.
    public static let deadlineExceeded = StatusCode(rawValue: 4)
    /// `NOT_FOUND`: the app, the acting user or another thing that the request names is not there.
    public static let notFound = StatusCode(rawValue: 5)
    /// `ALREADY_EXISTS`: the thing that the call would make is there.
    public static let alreadyExists = StatusCode(rawValue: 6)
    /// `PERMISSION_DENIED`: the credential is good, and does not allow this call.
    public static let permissionDenied = StatusCode(rawValue: 7)
    /// `RESOURCE_EXHAUSTED`: a bound was reached, such as the number of calls a second.
    public static let resourceExhausted = StatusCode(rawValue: 8)
    /// `FAILED_PRECONDITION`: the call does not fit the state of things.
    public static let failedPrecondition = StatusCode(rawValue: 9)
    /// `ABORTED`: another call came first.
    public static let aborted = StatusCode(rawValue: 10)
    /// `OUT_OF_RANGE`: a number of the request is beyond its end.
    public static let outOfRange = StatusCode(rawValue: 11)
    /// `UNIMPLEMENTED`: the server does not have this call.
    public static let unimplemented = StatusCode(rawValue: 12)
    /// `INTERNAL`: the server or this client has an error.
    public static let internalError = StatusCode(rawValue: 13)
    /// `UNAVAILABLE`: the server cannot be reached, or is stopping.
    public static let unavailable = StatusCode(rawValue: 14)
    /// `DATA_LOSS`: data of the server is lost.
    public static let dataLoss = StatusCode(rawValue: 15)
    /// `UNAUTHENTICATED`: the credential is missing, not valid or expired.
    public static let unauthenticated = StatusCode(rawValue: 16)

    /// gRPC's name of the status, such as `INVALID_ARGUMENT`.
    public var description: String {
        Status.Code(rawValue: rawValue).map { "\($0)" } ?? "\(rawValue)"
    }
}
