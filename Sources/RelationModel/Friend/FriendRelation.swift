public import Protobuf

/// How two users stand to each other, seen from the first.
public struct FriendRelation: OpenEnum, Scalar {
    /// Neither has the other as a friend.
    public static let none = FriendRelation(rawValue: 0)
    /// The first has the second.
    ///
    /// The second does not have the first, as far as the check looked.
    public static let myUni = FriendRelation(rawValue: 1)
    /// The second has the first, and the first does not have the second.
    public static let otherUni = FriendRelation(rawValue: 2)
    /// Each has the other.
    public static let bothWay = FriendRelation(rawValue: 3)

    public static let schema = EnumSchema(
        "relation.v1.FriendRelation",
        [
            (none.rawValue, "FRIEND_RELATION_NONE"),
            (myUni.rawValue, "FRIEND_RELATION_MY_UNI"),
            (otherUni.rawValue, "FRIEND_RELATION_OTHER_UNI"),
            (bothWay.rawValue, "FRIEND_RELATION_BOTH_WAY"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
