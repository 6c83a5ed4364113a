package import Protobuf
package import RelationCore
package import RelationModel

/// What every handler knows of the call that it answers.
package struct Call: Sendable {
    package let app: App
    /// The acting user; ``UserID/administrator`` if the call acts for the app.
    package let user: UserID
    /// Whether the credential has the scope `admin`.
    package let isAdmin: Bool
    /// When the call arrived.
    ///
    /// No rule asks the machine.
    package let now: Timestamp
    /// The memory of the call, which lives until it is answered: for views in the answer to a read.
    ///
    /// A write is run on another thread and stays away from it.
    package let arena: Arena
    /// Whether the credential is the acting user's own.
    package var isOwn = false
    /// Whether the credential has the scope `operator`.
    package var isOperator = false

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

    /// The acting user, unless the call acts for the app.
    package var actor: UserID? { user == .administrator ? nil : user }
}
