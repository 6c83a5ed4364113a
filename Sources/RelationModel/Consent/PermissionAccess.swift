public import Protobuf

/// The action that a permission allows a client app; all permissions of one grant have the same
/// access.
public struct PermissionAccess: OpenEnum, Scalar {
    /// Not given; in a definition it means reading.
    public static let unspecified = PermissionAccess(rawValue: 0)
    /// Reads fields of the user.
    public static let read = PermissionAccess(rawValue: 1)
    /// Publishes or manages for the user.
    public static let publish = PermissionAccess(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.PermissionAccess",
        [
            (unspecified.rawValue, "PERMISSION_ACCESS_UNSPECIFIED"),
            (read.rawValue, "PERMISSION_ACCESS_READ"),
            (publish.rawValue, "PERMISSION_ACCESS_PUBLISH"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
