package import GRPC
package import RelationCalls
package import RelationCore
package import RelationModel

/// The caller of a call: its app, its users, and its scopes.
///
/// An object, since a call hands it on several times, and a value would count all its parts.
package final class Caller: NotedCaller {
    package let rights: CallerRights
    /// The credential of the call; nil on a server that asks for none.
    package let credential: CallerCredential?
    /// The last moment at which the credential is valid.
    package let expiresMs: Int64
    /// How many calls it and its app may have open.
    let openCalls: Usage.Bounds
    /// The administrator of TIM's REST API who calls; empty for another caller.
    package let administrator: String

    package init(
        app: App, scopes: ScopeSet = .all, user: UserID? = nil,
        credential: CallerCredential? = nil, expiresMs: Int64 = .max,
        openCalls: Usage.Bounds = Usage.Bounds(own: nil, group: nil), administrator: String = ""
    ) {
        rights = CallerRights(app: app, scopes: scopes, user: user)
        self.credential = credential
        self.expiresMs = expiresMs
        self.openCalls = openCalls
        if case .signature(let signature) = credential, user == nil {
            self.administrator = signature.user.text
        } else {
            self.administrator = administrator
        }
    }

    /// The same caller with the app as it is by now.
    ///
    /// - Parameter app: Nil if the app is gone: a write then finds that out by itself.
    package func at(_ app: App?) -> Caller {
        guard let app else { return self }
        return Caller(
            app: app, scopes: scopes, user: user, credential: credential, expiresMs: expiresMs,
            openCalls: openCalls, administrator: administrator)
    }

    /// The credential for the log: its kind, and its id; that of a user only if the log may name
    /// users.
    package func label(namingUsers: Bool) -> String {
        switch credential {
        case .operatorKey(let key): "operator:\(key.id.text)"
        case .key(_, let key):
            "\(key.record.isCertificate ? "certificate" : "key"):\(key.id.text)"
        case .signature where !administrator.isEmpty, nil where !administrator.isEmpty:
            namingUsers ? "administrator:\(administrator)" : "administrator"
        case .signature, nil:
            user.map { namingUsers ? "user:\($0.text)" : "user" } ?? "anyone"
        }
    }

    package var app: App { rights.app }
    package var scopes: ScopeSet { rights.scopes }
    package var user: UserID? { rights.user }
    package var isAdmin: Bool { rights.isAdmin }
}
