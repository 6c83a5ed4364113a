public import Protobuf

/// How two users stand to each other, seen from the first.
public struct Relation: OpenEnum {
    /// Neither has the other as a friend.
    public static let none = Relation(rawValue: 0)
    /// The first has the second.
    ///
    /// The second does not have the first, as far as the check looked.
    public static let myUni = Relation(rawValue: 1)
    /// The second has the first, and the first does not have the second.
    public static let otherUni = Relation(rawValue: 2)
    /// Each has the other.
    public static let bothWay = Relation(rawValue: 3)

    public static let schema = EnumSchema(
        "relation.v1.Relation",
        [
            (none.rawValue, "RELATION_NONE"),
            (myUni.rawValue, "RELATION_MY_UNI"),
            (otherUni.rawValue, "RELATION_OTHER_UNI"),
            (bothWay.rawValue, "RELATION_BOTH_WAY"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
