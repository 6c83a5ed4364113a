public import Protobuf

/// The way of a read that a standby could answer, if the standby is behind.
public struct IfBehind: OpenEnum, Scalar {
    /// Not given: means ``primary``.
    public static let unspecified = IfBehind(rawValue: 0)
    /// The primary answers.
    public static let primary = IfBehind(rawValue: 1)
    /// The read waits for a standby for at most one second, and never past its deadline.
    public static let wait = IfBehind(rawValue: 2)
    /// The read fails at once with UNAVAILABLE, reason BEHIND.
    public static let fail = IfBehind(rawValue: 3)

    public static let schema = EnumSchema(
        "relation.v1.IfBehind",
        [
            (unspecified.rawValue, "IF_BEHIND_UNSPECIFIED"),
            (primary.rawValue, "IF_BEHIND_PRIMARY"),
            (wait.rawValue, "IF_BEHIND_WAIT"),
            (fail.rawValue, "IF_BEHIND_FAIL"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
