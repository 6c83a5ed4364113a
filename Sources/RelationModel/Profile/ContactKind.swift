public import Protobuf

/// The kind of address whose digest finds a user.
public struct ContactKind: OpenEnum, Scalar {
    /// Not given: refused in requests.
    public static let unspecified = ContactKind(rawValue: 0)
    /// A phone number.
    public static let phone = ContactKind(rawValue: 1)
    /// A mail address.
    public static let email = ContactKind(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.ContactKind",
        [
            (unspecified.rawValue, "CONTACT_KIND_UNSPECIFIED"),
            (phone.rawValue, "CONTACT_KIND_PHONE"),
            (email.rawValue, "CONTACT_KIND_EMAIL"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
