package import Memory
package import RelationCore
package import RelationModel

/// A call as its handler knows it.
package struct Call: Sendable {
    package let app: App
    /// The acting user; ``UserID/administrator`` if the call acts for the app.
    package let user: UserID
    /// Whether the credential has the scope `admin`.
    package let isAdmin: Bool
    /// The moment at which the call arrived.
    ///
    /// No rule asks the machine for the time.
    package private(set) var now: Timestamp
    /// The memory of the call, which lives until the call is answered.
    ///
    /// It is for views in the answer to a read. A write runs on another thread and does not touch
    /// it.
    package let arena: Arena
    /// Whether the credential is the acting user's own.
    package var isOwn = false
    /// Whether the credential has the scope `operator`.
    package var isOperator = false
    /// Whether ``now`` is a past moment at which the call reads, and not that of its arrival.
    package private(set) var isPast = false

    package init(
        app: App,
        user: UserID,
        isAdmin: Bool,
        now: Timestamp,
        arena: Arena,
        isOwn: Bool = false,
        isOperator: Bool = false
    ) {
        self.app = app
        self.user = user
        self.isAdmin = isAdmin
        self.now = now
        self.arena = arena
        self.isOwn = isOwn
        self.isOperator = isOperator
    }

    /// Has the call read at a past moment, for which all is judged that depends on the time.
    package mutating func read(at moment: Timestamp) {
        now = moment
        isPast = true
    }

    /// The acting user, unless the call acts for the app.
    package var actor: UserID? { user == .administrator ? nil : user }

    /// The kind of its credential.
    package var kind: CallerKind {
        if isOwn { return .user }
        if isOperator { return .operator }
        return isAdmin ? .administrator : .backEnd
    }
}
