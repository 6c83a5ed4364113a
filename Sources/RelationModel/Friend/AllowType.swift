public import Protobuf

/// The effect when another user wants to become a user's friend.
///
/// Zero is a value with an effect, so a request that sets it says so (`optional`).
public struct AllowType: OpenEnum, Scalar {
    /// They become friends at once.
    public static let allowAny = AllowType(rawValue: 0)
    /// They wait for the user's consent.
    public static let needConfirm = AllowType(rawValue: 1)
    /// They are refused.
    public static let denyAny = AllowType(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.AllowType",
        [
            (allowAny.rawValue, "ALLOW_TYPE_ALLOW_ANY"),
            (needConfirm.rawValue, "ALLOW_TYPE_NEED_CONFIRM"),
            (denyAny.rawValue, "ALLOW_TYPE_DENY_ANY"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
