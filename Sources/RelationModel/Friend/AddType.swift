public import Protobuf

/// The rows that an addition makes: the caller's own, or both.
///
/// An application that waits keeps it too, to say how the friendship was asked for.
public struct AddType: OpenEnum, Scalar {
    /// Not given: means ``both``.
    public static let unspecified = AddType(rawValue: 0)
    /// Only the caller gets a friend.
    public static let single = AddType(rawValue: 1)
    /// The two get each other as friends.
    public static let both = AddType(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.AddType",
        [
            (unspecified.rawValue, "ADD_TYPE_UNSPECIFIED"),
            (single.rawValue, "ADD_TYPE_SINGLE"),
            (both.rawValue, "ADD_TYPE_BOTH"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
