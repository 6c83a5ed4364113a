public import Protobuf

/// The friend lists that a check of friendship looks at.
public struct CheckType: OpenEnum, Scalar {
    /// Not given: means ``bidirection``.
    public static let unspecified = CheckType(rawValue: 0)
    /// Only the caller's list.
    public static let unidirection = CheckType(rawValue: 1)
    /// The lists of both sides.
    public static let bidirection = CheckType(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.CheckType",
        [
            (unspecified.rawValue, "CHECK_TYPE_UNSPECIFIED"),
            (unidirection.rawValue, "CHECK_TYPE_UNIDIRECTION"),
            (bidirection.rawValue, "CHECK_TYPE_BIDIRECTION"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
