/// The callers that a call is for.
@usableFromInline package enum Audience: Sendable {
    /// A user of an app, or a backend that acts for one.
    case users
    /// The backends of one app: the call acts for no user, and no user may make it.
    case services
    /// The backends of one app that follow its changes: the call acts for no user, no user may make
    /// it, and it needs no more rights than the stream of changes.
    case watchers
    /// The administrators of one app: the call acts for no user.
    case administrators
    /// The operators of the server, above all apps: the call acts for no app either.
    case operators
}
