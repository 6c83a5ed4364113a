public import Protobuf

/// The part of a friend's name that is shown first.
public struct DisplayOrder: OpenEnum, Scalar {
    /// Not given: means ``firstName``.
    public static let unspecified = DisplayOrder(rawValue: 0)
    /// "Ada Lovelace".
    public static let firstName = DisplayOrder(rawValue: 1)
    /// "Lovelace Ada".
    public static let lastName = DisplayOrder(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.DisplayOrder",
        [
            (unspecified.rawValue, "DISPLAY_ORDER_UNSPECIFIED"),
            (firstName.rawValue, "DISPLAY_ORDER_FIRST_NAME"),
            (lastName.rawValue, "DISPLAY_ORDER_LAST_NAME"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
