public import Protobuf

/// Which of two users has the other on its blacklist, seen from the first, A.
public struct BlacklistRelation: OpenEnum, Scalar {
    /// Neither has the other.
    public static let none = BlacklistRelation(rawValue: 0)
    /// A has B.
    ///
    /// B does not have A, as far as the check looked.
    public static let aWithB = BlacklistRelation(rawValue: 1)
    /// B has A, and A does not have B.
    public static let bWithA = BlacklistRelation(rawValue: 2)
    /// Each has the other.
    public static let bothWay = BlacklistRelation(rawValue: 3)

    public static let schema = EnumSchema(
        "relation.v1.BlacklistRelation",
        [
            (none.rawValue, "BLACKLIST_RELATION_NO"),
            (aWithB.rawValue, "BLACKLIST_RELATION_A_WITH_B"),
            (bWithA.rawValue, "BLACKLIST_RELATION_B_WITH_A"),
            (bothWay.rawValue, "BLACKLIST_RELATION_BOTH_WAY"),
        ],
        spelled: [
            none.rawValue: "none"
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
