public import Protobuf

/// How much a suspension forbids; each level forbids what the ones before it do.
public struct SuspensionLevel: OpenEnum, Scalar {
    /// Not suspended.
    public static let unspecified = SuspensionLevel(rawValue: 0)
    /// The user may not reach out to others, or change its profile or its custom status.
    public static let limited = SuspensionLevel(rawValue: 1)
    /// The user may not write anything, or send to others, and no other user adds or follows it.
    public static let suspended = SuspensionLevel(rawValue: 2)
    /// Likewise; and only administrators find the user.
    public static let banned = SuspensionLevel(rawValue: 3)

    public static let schema = EnumSchema(
        "relation.v1.SuspensionLevel",
        [
            (unspecified.rawValue, "SUSPENSION_LEVEL_UNSPECIFIED"),
            (limited.rawValue, "SUSPENSION_LEVEL_LIMITED"),
            (suspended.rawValue, "SUSPENSION_LEVEL_SUSPENDED"),
            (banned.rawValue, "SUSPENSION_LEVEL_BANNED"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
