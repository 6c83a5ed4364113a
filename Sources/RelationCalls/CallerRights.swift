package import Memory
import Protobuf
package import RPC
package import RelationCore
package import RelationModel

/// The rights of a caller: the app, the scopes, and the one user that it may act for.
package struct CallerRights: Sendable {
    /// The app that the call is for; the registry for a call of operators.
    package let app: App
    package let scopes: ScopeSet
    /// The one user that the credential acts for; nil if it acts for every user of the app.
    package let user: UserID?
    /// Whether the scopes have `admin`, and `operator`: each call asks.
    package let isAdmin: Bool
    private let isOperator: Bool

    package init(app: App, scopes: ScopeSet, user: UserID?) {
        isAdmin = scopes.contains(ScopeSet(.admin))
        isOperator = scopes.contains(ScopeSet(.operator))
        self.app = app
        self.scopes = scopes
        self.user = user
    }

    /// Makes the call that the handler gets, and adds the errors of the acting user.
    ///
    /// If the acting user is malformed, another user stands in for it. The handler then still finds
    /// the errors in the rest of the request, and nothing is read or written for that user.
    ///
    /// - Parameter text: The acting user as the request names it; nil for a call that acts for the
    ///   app. A user's own credential may leave it empty.
    package func call(
        as text: String?, at now: Timestamp, _ arena: Arena, _ violations: inout Violations
    ) -> Call {
        let acting: UserID
        if let text {
            if let user, text.isEmpty || text.isExactly(user.text) {
                acting = user
            } else {
                acting = violations.user(text, "user_id") ?? UserID(stored: "?")
                if user != nil { violations.refuse(.foreignUser(acting)) }
            }
        } else {
            acting = .administrator
        }
        return Call(
            app: app, user: acting, isAdmin: isAdmin, now: now, arena: arena, isOwn: user != nil,
            isOperator: isOperator)
    }
}

extension RPCError {
    /// A user's own credential was used for another user.
    package static func foreignUser(_ user: UserID) -> RPCError {
        RPCError(
            .permissionDenied, .foreignUser,
            "user_id: the credential may not act for \"\(user)\"",
            metadata: ["code": "\(FriendStatus.adminRequired.rawValue)"])
    }
}
