public import Protobuf

/// Which of two users follows the other, seen from the first, A.
public struct FollowRelation: OpenEnum, Scalar {
    /// Neither follows the other.
    public static let none = FollowRelation(rawValue: 0)
    /// A follows B, and B does not follow A.
    public static let following = FollowRelation(rawValue: 1)
    /// B follows A, and A does not follow B.
    public static let followedBy = FollowRelation(rawValue: 2)
    /// Each follows the other.
    public static let mutual = FollowRelation(rawValue: 3)

    public static let schema = EnumSchema(
        "relation.v1.FollowRelation",
        [
            (none.rawValue, "FOLLOW_RELATION_NONE"),
            (following.rawValue, "FOLLOW_RELATION_FOLLOWING"),
            (followedBy.rawValue, "FOLLOW_RELATION_FOLLOWED_BY"),
            (mutual.rawValue, "FOLLOW_RELATION_MUTUAL"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
