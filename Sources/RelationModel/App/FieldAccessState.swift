public import Protobuf

/// Why a field is absent from an answer.
public struct FieldAccessState: OpenEnum, Scalar {
    /// Never sent: the field is there.
    public static let unspecified = FieldAccessState(rawValue: 0)
    /// The caller may read the field, and it has no value.
    public static let notSet = FieldAccessState(rawValue: 1)
    /// The caller may not read the field.
    ///
    /// This does not say whether it has a value.
    public static let hidden = FieldAccessState(rawValue: 2)
    /// The user was never asked for the permission that opens the field, or has not answered yet.
    public static let notGranted = FieldAccessState(rawValue: 3)
    /// The user declined the permission.
    public static let declined = FieldAccessState(rawValue: 4)
    /// The user took the permission back.
    public static let revoked = FieldAccessState(rawValue: 5)
    /// The permission's lifetime is over.
    public static let expired = FieldAccessState(rawValue: 6)
    /// Only the user's friends may read the field.
    ///
    /// Neither this one nor those below say whether it has a value.
    public static let onlyFriends = FieldAccessState(rawValue: 7)
    /// Only the user's followers may read the field.
    public static let onlyFollowers = FieldAccessState(rawValue: 8)
    /// Only the members of friend groups that the user chose may read the field.
    public static let onlyGroups = FieldAccessState(rawValue: 9)
    /// Only the user itself may read the field.
    public static let onlyOneself = FieldAccessState(rawValue: 10)

    public static let schema = EnumSchema(
        "relation.v1.FieldAccessState",
        [
            (unspecified.rawValue, "FIELD_ACCESS_STATE_UNSPECIFIED"),
            (notSet.rawValue, "FIELD_ACCESS_STATE_NOT_SET"),
            (hidden.rawValue, "FIELD_ACCESS_STATE_HIDDEN"),
            (notGranted.rawValue, "FIELD_ACCESS_STATE_NOT_GRANTED"),
            (declined.rawValue, "FIELD_ACCESS_STATE_DECLINED"),
            (revoked.rawValue, "FIELD_ACCESS_STATE_REVOKED"),
            (expired.rawValue, "FIELD_ACCESS_STATE_EXPIRED"),
            (onlyFriends.rawValue, "FIELD_ACCESS_STATE_ONLY_FRIENDS"),
            (onlyFollowers.rawValue, "FIELD_ACCESS_STATE_ONLY_FOLLOWERS"),
            (onlyGroups.rawValue, "FIELD_ACCESS_STATE_ONLY_GROUPS"),
            (onlyOneself.rawValue, "FIELD_ACCESS_STATE_ONLY_ONESELF"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
