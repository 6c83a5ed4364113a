public import Protobuf

/// A mark that the owner of a friend list puts on a friend.
public struct FriendMark: OpenEnum, Scalar {
    /// Not given: means no mark.
    public static let unspecified = FriendMark(rawValue: 0)
    /// The friend is among the owner's favourites.
    public static let starred = FriendMark(rawValue: 1)
    /// The friend stands at the top of the list.
    public static let pinned = FriendMark(rawValue: 2)
    /// The friend's messages come without a notice now.
    public static let muted = FriendMark(rawValue: 3)
    /// The owner ignores the friend, without a block.
    public static let ignored = FriendMark(rawValue: 4)

    public static let schema = EnumSchema(
        "relation.v1.FriendMark",
        [
            (unspecified.rawValue, "FRIEND_MARK_UNSPECIFIED"),
            (starred.rawValue, "FRIEND_MARK_STARRED"),
            (pinned.rawValue, "FRIEND_MARK_PINNED"),
            (muted.rawValue, "FRIEND_MARK_MUTED"),
            (ignored.rawValue, "FRIEND_MARK_IGNORED"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
