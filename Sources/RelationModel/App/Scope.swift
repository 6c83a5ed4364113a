public import Protobuf

/// The kinds of calls that a credential allows its holder (ours).
public struct Scope: OpenEnum, Scalar {
    /// Refused in requests.
    public static let unspecified = Scope(rawValue: 0)
    /// Calls that read.
    public static let read = Scope(rawValue: 1)
    /// Calls that change something.
    public static let write = Scope(rawValue: 2)
    /// Calls that follow changes.
    public static let watch = Scope(rawValue: 3)
    /// Calls that act for the app and not for a user, and actions that no user may do for itself.
    public static let admin = Scope(rawValue: 4)
    /// Calls that act for no app.
    ///
    /// Only the operator's own credential has it.
    public static let `operator` = Scope(rawValue: 5)

    public static let schema = EnumSchema(
        "relation.v1.Scope",
        [
            (unspecified.rawValue, "SCOPE_UNSPECIFIED"),
            (read.rawValue, "SCOPE_READ"),
            (write.rawValue, "SCOPE_WRITE"),
            (watch.rawValue, "SCOPE_WATCH"),
            (admin.rawValue, "SCOPE_ADMIN"),
            (`operator`.rawValue, "SCOPE_OPERATOR"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}

extension Scope {
    /// The name in lower case and without its prefix, `read`; empty for an unknown scope.
    package var word: String { name?.dropFirst("SCOPE_".count).lowercased() ?? "" }

    /// The one scope that a call of this kind needs.
    ///
    /// A call of administrators needs ``admin`` whether it reads or writes: a caller that may
    /// change an app's settings may read them.
    package init(for access: Access, of audience: Audience) {
        switch (audience, access) {
        case (.operators, _): self = .operator
        case (.administrators, _): self = .admin
        case (.watchers, _): self = .watch
        case (_, .read), (_, .scan): self = .read
        case (_, .write): self = .write
        case (_, .watch): self = .watch
        case (_, .open): self = .unspecified
        }
    }
}
