public import Protobuf

/// Where in a text a search looks for its keyword.
public struct SearchMatch: OpenEnum, Scalar {
    /// Not given: means ``substring``.
    public static let unspecified = SearchMatch(rawValue: 0)
    /// Anywhere.
    public static let substring = SearchMatch(rawValue: 1)
    /// At the beginning.
    public static let prefix = SearchMatch(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.SearchMatch",
        [
            (unspecified.rawValue, "SEARCH_MATCH_UNSPECIFIED"),
            (substring.rawValue, "SEARCH_MATCH_SUBSTRING"),
            (prefix.rawValue, "SEARCH_MATCH_PREFIX"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
