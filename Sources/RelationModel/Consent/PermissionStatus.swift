public import Protobuf

/// The state of a permission of one user for one client app.
///
/// The words are Facebook's, the numbers ours.
public struct PermissionStatus: OpenEnum, Scalar {
    /// The user never granted or declined it.
    public static let unspecified = PermissionStatus(rawValue: 0)
    /// Granted, and the time of the grant has not run out.
    public static let granted = PermissionStatus(rawValue: 1)
    /// The client app asked for it, and the user declined.
    public static let declined = PermissionStatus(rawValue: 2)
    /// Granted once, and taken back by the user.
    public static let revoked = PermissionStatus(rawValue: 3)
    /// Granted once, and its time has run out.
    public static let expired = PermissionStatus(rawValue: 4)

    public static let schema = EnumSchema(
        "relation.v1.PermissionStatus",
        [
            (unspecified.rawValue, "PERMISSION_STATUS_UNSPECIFIED"),
            (granted.rawValue, "PERMISSION_STATUS_GRANTED"),
            (declined.rawValue, "PERMISSION_STATUS_DECLINED"),
            (revoked.rawValue, "PERMISSION_STATUS_REVOKED"),
            (expired.rawValue, "PERMISSION_STATUS_EXPIRED"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
