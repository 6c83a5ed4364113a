public import Protobuf

/// The part of a user to which another subscribes: RongCloud's `RCSubscribeType`, with its numbers.
public struct SubscribeType: OpenEnum, Scalar {
    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Not given: all types in a list, and ONLINE_STATUS anywhere else, as in RongCloud's server.
    public static let unspecified = SubscribeType(rawValue: 0)
    /// Whether the other is online.
    public static let onlineStatus = SubscribeType(rawValue: 1)
    /// The other's profile.
    public static let userProfile = SubscribeType(rawValue: 2)
    /// Whether a friend is online.
    ///
    /// Every friend is notified of it without a subscription.
    public static let friendOnlineStatus = SubscribeType(rawValue: 3)
    /// A friend's profile.
    ///
    /// Every friend is notified of it without a subscription.
    public static let friendUserProfile = SubscribeType(rawValue: 4)

    /// The types that are stored: one row for each subscription.
    package static let stored: [SubscribeType] = [.onlineStatus, .userProfile]

    public static let schema = EnumSchema(
        "relation.v1.SubscribeType",
        [
            (unspecified.rawValue, "SUBSCRIBE_TYPE_UNSPECIFIED"),
            (onlineStatus.rawValue, "SUBSCRIBE_TYPE_ONLINE_STATUS"),
            (userProfile.rawValue, "SUBSCRIBE_TYPE_USER_PROFILE"),
            (friendOnlineStatus.rawValue, "SUBSCRIBE_TYPE_FRIEND_ONLINE_STATUS"),
            (friendUserProfile.rawValue, "SUBSCRIBE_TYPE_FRIEND_USER_PROFILE"),
        ])
}
