public import Protobuf

/// The state of an application.
public struct ApplicationStatus: OpenEnum, Scalar {
    /// It waits: the application is a pendency.
    public static let unhandled = ApplicationStatus(rawValue: 0)
    /// The asked user agreed, or the two became friends otherwise.
    public static let accepted = ApplicationStatus(rawValue: 1)
    /// The asked user refused, blacklisted the applicant, or is no longer an account.
    public static let refused = ApplicationStatus(rawValue: 2)
    /// The lifetime that the app gives to applications ended first.
    public static let expired = ApplicationStatus(rawValue: 3)
    /// The applicant took it back, blacklisted the asked user, or is no longer an account.
    public static let withdrawn = ApplicationStatus(rawValue: 4)

    public static let schema = EnumSchema(
        "relation.v1.ApplicationStatus",
        [
            (unhandled.rawValue, "APPLICATION_STATUS_UNHANDLED"),
            (accepted.rawValue, "APPLICATION_STATUS_ACCEPTED"),
            (refused.rawValue, "APPLICATION_STATUS_REFUSED"),
            (expired.rawValue, "APPLICATION_STATUS_EXPIRED"),
            (withdrawn.rawValue, "APPLICATION_STATUS_WITHDRAWN"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
