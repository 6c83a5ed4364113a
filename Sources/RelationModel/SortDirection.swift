public import Protobuf

/// The direction in which a list is sorted.
public struct SortDirection: OpenEnum, Scalar {
    /// Not given: means the direction that the call names as its default.
    public static let unspecified = SortDirection(rawValue: 0)
    /// The first or earliest row comes first.
    public static let ascending = SortDirection(rawValue: 1)
    /// The last or latest row comes first.
    public static let descending = SortDirection(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.SortDirection",
        [
            (unspecified.rawValue, "SORT_DIRECTION_UNSPECIFIED"),
            (ascending.rawValue, "SORT_DIRECTION_ASCENDING"),
            (descending.rawValue, "SORT_DIRECTION_DESCENDING"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
