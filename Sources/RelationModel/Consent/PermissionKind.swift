public import Protobuf

/// The group that a permission belongs to.
///
/// The groups are Facebook's, the numbers ours.
public struct PermissionKind: OpenEnum, Scalar {
    /// Not given; in a definition it is refused.
    public static let unspecified = PermissionKind(rawValue: 0)
    /// The former basic information: `public_profile` and `user_friends`, and no others.
    public static let basic = PermissionKind(rawValue: 1)
    /// The user's mail address, which is asked for by itself.
    public static let email = PermissionKind(rawValue: 2)
    /// More facts that the user states about itself.
    public static let extendedProfile = PermissionKind(rawValue: 3)
    /// Sensitive reads, publishing and managing: each can be skipped.
    public static let extended = PermissionKind(rawValue: 4)
    /// Actions that the client app publishes or reads.
    public static let openGraph = PermissionKind(rawValue: 5)

    public static let schema = EnumSchema(
        "relation.v1.PermissionKind",
        [
            (unspecified.rawValue, "PERMISSION_KIND_UNSPECIFIED"),
            (basic.rawValue, "PERMISSION_KIND_BASIC"),
            (email.rawValue, "PERMISSION_KIND_EMAIL"),
            (extendedProfile.rawValue, "PERMISSION_KIND_EXTENDED_PROFILE"),
            (extended.rawValue, "PERMISSION_KIND_EXTENDED"),
            (openGraph.rawValue, "PERMISSION_KIND_OPEN_GRAPH"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
