public import Protobuf

/// The kind of credential with which a change was made.
public struct CallerKind: OpenEnum, Scalar {
    /// Never sent.
    public static let unspecified = CallerKind(rawValue: 0)
    /// The server itself, such as its maintenance.
    public static let server = CallerKind(rawValue: 1)
    /// A user's own credential.
    public static let user = CallerKind(rawValue: 2)
    /// A credential of the app without the scope `admin`.
    public static let backEnd = CallerKind(rawValue: 3)
    /// A credential of the app with the scope `admin`.
    public static let administrator = CallerKind(rawValue: 4)
    /// A credential with the scope `operator`.
    public static let `operator` = CallerKind(rawValue: 5)

    public static let schema = EnumSchema(
        "relation.v1.CallerKind",
        [
            (unspecified.rawValue, "CALLER_KIND_UNSPECIFIED"),
            (server.rawValue, "CALLER_KIND_SERVER"),
            (user.rawValue, "CALLER_KIND_USER"),
            (backEnd.rawValue, "CALLER_KIND_BACK_END"),
            (administrator.rawValue, "CALLER_KIND_ADMINISTRATOR"),
            (`operator`.rawValue, "CALLER_KIND_OPERATOR"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
