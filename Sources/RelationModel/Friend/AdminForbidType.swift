public import Protobuf

/// What the app's administrator has forbidden a user.
public struct AdminForbidType: OpenEnum {
    /// Nothing.
    public static let none = AdminForbidType(rawValue: 0)
    /// Adding friends and applying to become one.
    public static let sendOut = AdminForbidType(rawValue: 1)

    public static let schema = EnumSchema(
        "relation.v1.AdminForbidType",
        [
            (none.rawValue, "ADMIN_FORBID_TYPE_NONE"),
            (sendOut.rawValue, "ADMIN_FORBID_TYPE_SEND_OUT"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
