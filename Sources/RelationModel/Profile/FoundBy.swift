public import Protobuf

/// How a search has found a user; users found by a lower number come first.
public struct FoundBy: OpenEnum, Scalar {
    /// Never answered.
    public static let unspecified = FoundBy(rawValue: 0)
    /// Its id is the keyword.
    public static let id = FoundBy(rawValue: 1)
    /// Its unique id is the keyword.
    public static let uniqueID = FoundBy(rawValue: 2)
    /// Its nick begins with the keyword.
    public static let name = FoundBy(rawValue: 3)
    /// The pinyin of its nick begins with the keyword.
    public static let pinyin = FoundBy(rawValue: 4)
    /// The initials of that pinyin begin with the keyword.
    public static let initials = FoundBy(rawValue: 5)
    /// Its id begins with the keyword.
    public static let idBeginning = FoundBy(rawValue: 6)
    /// Its unique id begins with the keyword.
    public static let uniqueIDBeginning = FoundBy(rawValue: 7)

    public static let schema = EnumSchema(
        "relation.v1.FoundBy",
        [
            (unspecified.rawValue, "FOUND_BY_UNSPECIFIED"),
            (id.rawValue, "FOUND_BY_ID"),
            (uniqueID.rawValue, "FOUND_BY_UNIQUE_ID"),
            (name.rawValue, "FOUND_BY_NAME"),
            (pinyin.rawValue, "FOUND_BY_PINYIN"),
            (initials.rawValue, "FOUND_BY_INITIALS"),
            (idBeginning.rawValue, "FOUND_BY_ID_BEGINNING"),
            (uniqueIDBeginning.rawValue, "FOUND_BY_UNIQUE_ID_BEGINNING"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
