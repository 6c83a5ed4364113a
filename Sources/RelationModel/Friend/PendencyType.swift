public import Protobuf

/// The side of an application that a user's own record of it shows.
public struct PendencyType: OpenEnum, Scalar {
    /// Not given: means ``both``.
    public static let unspecified = PendencyType(rawValue: 0)
    /// Another user applied to the user.
    public static let comeIn = PendencyType(rawValue: 1)
    /// The user applied to another user.
    public static let sendOut = PendencyType(rawValue: 2)
    /// Either side; only in requests, never on a record.
    public static let both = PendencyType(rawValue: 3)

    public static let schema = EnumSchema(
        "relation.v1.PendencyType",
        [
            (unspecified.rawValue, "PENDENCY_TYPE_UNSPECIFIED"),
            (comeIn.rawValue, "PENDENCY_TYPE_COME_IN"),
            (sendOut.rawValue, "PENDENCY_TYPE_SEND_OUT"),
            (both.rawValue, "PENDENCY_TYPE_BOTH"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
