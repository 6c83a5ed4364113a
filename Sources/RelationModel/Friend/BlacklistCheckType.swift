public import Protobuf

/// The blacklists that a check looks at.
public struct BlacklistCheckType: OpenEnum, Scalar {
    /// Not given: means ``both``.
    public static let unspecified = BlacklistCheckType(rawValue: 0)
    /// Only the caller's blacklist.
    public static let single = BlacklistCheckType(rawValue: 1)
    /// The caller's blacklist and those of the other users.
    public static let both = BlacklistCheckType(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.BlacklistCheckType",
        [
            (unspecified.rawValue, "BLACKLIST_CHECK_TYPE_UNSPECIFIED"),
            (single.rawValue, "BLACKLIST_CHECK_TYPE_SINGLE"),
            (both.rawValue, "BLACKLIST_CHECK_TYPE_BOTH"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
