public import Protobuf

/// The rows that a deletion removes.
public struct DeleteType: OpenEnum, Scalar {
    /// Not given: means ``single``.
    public static let unspecified = DeleteType(rawValue: 0)
    /// Only the caller's row.
    public static let single = DeleteType(rawValue: 1)
    /// The rows of both sides.
    public static let both = DeleteType(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.DeleteType",
        [
            (unspecified.rawValue, "DELETE_TYPE_UNSPECIFIED"),
            (single.rawValue, "DELETE_TYPE_SINGLE"),
            (both.rawValue, "DELETE_TYPE_BOTH"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
