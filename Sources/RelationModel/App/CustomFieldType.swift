public import Protobuf

/// The type of a custom field's value.
public struct CustomFieldType: OpenEnum, Scalar {
    /// Refused in requests.
    public static let unspecified = CustomFieldType(rawValue: 0)
    /// A text.
    public static let string = CustomFieldType(rawValue: 1)
    /// Any bytes.
    public static let bytes = CustomFieldType(rawValue: 2)
    /// A number.
    public static let uint64 = CustomFieldType(rawValue: 3)

    public static let schema = EnumSchema(
        "relation.v1.CustomFieldType",
        [
            (unspecified.rawValue, "CUSTOM_FIELD_TYPE_UNSPECIFIED"),
            (string.rawValue, "CUSTOM_FIELD_TYPE_STRING"),
            (bytes.rawValue, "CUSTOM_FIELD_TYPE_BYTES"),
            (uint64.rawValue, "CUSTOM_FIELD_TYPE_UINT64"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
