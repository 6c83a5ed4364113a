public import Protobuf

/// The kind of row that a custom field belongs to.
public struct CustomFieldOwner: OpenEnum, Scalar {
    /// Refused in requests.
    public static let unspecified = CustomFieldOwner(rawValue: 0)
    /// The profile of a user.
    public static let profile = CustomFieldOwner(rawValue: 1)
    /// A row of a friend list.
    public static let friend = CustomFieldOwner(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.CustomFieldOwner",
        [
            (unspecified.rawValue, "CUSTOM_FIELD_OWNER_UNSPECIFIED"),
            (profile.rawValue, "CUSTOM_FIELD_OWNER_PROFILE"),
            (friend.rawValue, "CUSTOM_FIELD_OWNER_FRIEND"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
