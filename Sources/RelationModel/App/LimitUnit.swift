public import Protobuf

/// The unit of a limit (ours).
public struct LimitUnit: OpenEnum, Scalar {
    /// Never answered.
    public static let unspecified = LimitUnit(rawValue: 0)
    /// Items of a list, calls or connections.
    public static let items = LimitUnit(rawValue: 1)
    /// Bytes; of a text, in UTF-8.
    public static let bytes = LimitUnit(rawValue: 2)
    /// Characters of a text: Unicode scalars.
    public static let characters = LimitUnit(rawValue: 3)
    /// None: the limit is the highest value itself.
    public static let value = LimitUnit(rawValue: 4)
    /// Milliseconds.
    public static let milliseconds = LimitUnit(rawValue: 5)
    /// Seconds.
    public static let seconds = LimitUnit(rawValue: 6)

    public static let schema = EnumSchema(
        "relation.v1.LimitUnit",
        [
            (unspecified.rawValue, "LIMIT_UNIT_UNSPECIFIED"),
            (items.rawValue, "LIMIT_UNIT_ITEMS"),
            (bytes.rawValue, "LIMIT_UNIT_BYTES"),
            (characters.rawValue, "LIMIT_UNIT_CHARACTERS"),
            (value.rawValue, "LIMIT_UNIT_VALUE"),
            (milliseconds.rawValue, "LIMIT_UNIT_MILLISECONDS"),
            (seconds.rawValue, "LIMIT_UNIT_SECONDS"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
