public import Protobuf

/// The actions that the app's administrator forbids a user.
public struct AdminForbidType: OpenEnum, Scalar {
    /// Nothing.
    public static let none = AdminForbidType(rawValue: 0)
    /// Adding friends, and applying for a friendship.
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
