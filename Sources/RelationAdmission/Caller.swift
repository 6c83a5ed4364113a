package import Protobuf
package import RelationCalls
package import RelationCore
package import RelationModel

/// Who makes a call: for which app, for which users, and what it may do there.
package struct Caller: Sendable {
    /// The app that the call is for; that of the registry for a call of operators.
    package let app: App
    package let scopes: ScopeSet
    /// The one user that the credential acts for; nil if it acts for every user of the app.
    package let user: UserID?
    /// What it came with; nil where no credentials are asked for.
    package var credential: ShownCredential?
    /// The last moment at which that is good.
    var expiresMs = Int64.max

    package init(app: App, scopes: ScopeSet = .all, user: UserID? = nil) {
        self.app = app
        self.scopes = scopes
        self.user = user
    }

    package var isAdmin: Bool { scopes.contains(ScopeSet(.admin)) }

    /// What the handler of a call of the acting user `text` is told, and what is wrong with it.
    ///
    /// The handler goes on looking for faults in the rest of the request with a user in its place,
    /// whom nothing is read or written for.
    ///
    /// - Parameter text: The acting user as the request names it; nil for a call that acts for the
    ///   app. A user's own credential may leave it empty.
    package func call(
        _ text: String?, at now: Timestamp, _ arena: Arena, _ faults: inout Violations
    ) -> Call {
        var acting = UserID.administrator
        if let text {
            if let user, text.isEmpty || text.isExactly(user.text) {
                acting = user
            } else {
                acting = faults.user(text, "user_id") ?? UserID(stored: "?".utf8)
                if user != nil { faults.refuse(.foreignUser(acting)) }
            }
        }
        var call = Call(app: app, user: acting, isAdmin: isAdmin, now: now, arena: arena)
        call.isOwn = user != nil
        call.isOperator = scopes.contains(ScopeSet(.operator))
        return call
    }
}
