package import GRPC
package import Memory
import Protobuf
package import RelationCalls
package import RelationCore
package import RelationModel

/// The caller of a call: its app, its users, and its scopes.
///
/// An object, since a call hands it on several times, and a value would count all its parts.
package final class Caller: NotedCaller {
    /// The app that the call is for; the registry for a call of operators.
    package let app: App
    package let scopes: ScopeSet
    /// The one user that the credential acts for; nil if it acts for every user of the app.
    package let user: UserID?
    /// The credential of the call; nil on a server that asks for none.
    package let credential: CallerCredential?
    /// The last moment at which the credential is valid.
    package let expiresMs: Int64
    /// How many calls it and its app may have open.
    let openCalls: Usage.Bounds

    package init(
        app: App, scopes: ScopeSet = .all, user: UserID? = nil,
        credential: CallerCredential? = nil, expiresMs: Int64 = .max,
        openCalls: Usage.Bounds = Usage.Bounds(own: nil, group: nil)
    ) {
        self.app = app
        self.scopes = scopes
        self.user = user
        self.credential = credential
        self.expiresMs = expiresMs
        self.openCalls = openCalls
    }

    /// The credential for the log: its kind, and its id; that of a user only if the log may name
    /// users.
    package func label(namingUsers: Bool) -> String {
        switch credential {
        case .operatorKey(let key): "operator:\(key.id.text)"
        case .key(_, let key):
            "\(key.record.isCertificate ? "certificate" : "key"):\(key.id.text)"
        case .signature, nil:
            user.map { namingUsers ? "user:\($0.text)" : "user" } ?? "anyone"
        }
    }

    package var isAdmin: Bool { scopes.contains(ScopeSet(.admin)) }

    /// Makes the call that the handler gets, and adds the errors of the acting user.
    ///
    /// If the acting user is malformed, another user stands in for it. The handler then still finds
    /// the errors in the rest of the request, and nothing is read or written for that user.
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
