public import Protobuf

/// The order of a friend list.
public struct FriendOrder: OpenEnum, Scalar {
    /// Not given: means ``userID``.
    public static let unspecified = FriendOrder(rawValue: 0)
    /// The bytes of the friend's identifier.
    public static let userID = FriendOrder(rawValue: 1)
    /// When the row was made; equal times by identifier.
    public static let addTime = FriendOrder(rawValue: 2)
    /// First name, then last name; equal names by identifier.
    public static let firstName = FriendOrder(rawValue: 3)
    /// Last name, then first name; equal names by identifier.
    public static let lastName = FriendOrder(rawValue: 4)
    /// The name that is shown for the friend; equal names by identifier.
    public static let displayName = FriendOrder(rawValue: 5)
    /// Pinned friends by their pin order, then all others; equal ones by identifier.
    public static let pin = FriendOrder(rawValue: 6)

    public static let schema = EnumSchema(
        "relation.v1.FriendOrder",
        [
            (unspecified.rawValue, "FRIEND_ORDER_UNSPECIFIED"),
            (userID.rawValue, "FRIEND_ORDER_USER_ID"),
            (addTime.rawValue, "FRIEND_ORDER_ADD_TIME"),
            (firstName.rawValue, "FRIEND_ORDER_FIRST_NAME"),
            (lastName.rawValue, "FRIEND_ORDER_LAST_NAME"),
            (displayName.rawValue, "FRIEND_ORDER_DISPLAY_NAME"),
            (pin.rawValue, "FRIEND_ORDER_PIN"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
