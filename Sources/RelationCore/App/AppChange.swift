/// The change of an app by a call: its new state, or nothing if calls no longer find it.
package struct AppChange: Sendable {
    package let id: UInt32
    package let app: App?
    /// The secrets of its users' signatures, the newest first.
    package let secrets: [SecretRecord]

    package init(_ app: App, secrets: [SecretRecord] = []) {
        id = app.id
        self.app = app
        self.secrets = secrets
    }

    package init(removed id: UInt32) {
        self.id = id
        app = nil
        secrets = []
    }
}

/// The change of one credential of an app by a call: its new state, or nothing if it was revoked.
package struct CredentialChange: Sendable {
    package let app: UInt32
    package let id: CredentialID
    package let record: CredentialRecord?

    package init(app: UInt32, id: CredentialID, record: CredentialRecord?) {
        self.app = app
        self.id = id
        self.record = record
    }
}

/// The secrets and credentials that open one app, as its rows have them.
package struct AppCredentials: Sendable {
    package let app: UInt32
    package let secrets: [SecretRecord]
    package let credentials: [(id: CredentialID, record: CredentialRecord)]

    package init(
        app: UInt32, secrets: [SecretRecord],
        credentials: [(id: CredentialID, record: CredentialRecord)]
    ) {
        self.app = app
        self.secrets = secrets
        self.credentials = credentials
    }
}
