package import RelationModel

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

/// The additions of a call to the ends of users' sessions in an app.
package struct SessionChange: Sendable {
    package let app: UInt32
    /// The users with the moments before which their signatures were made that are refused.
    package var ends: [(user: UserID, beforeMs: Int64)] = []
    /// Users whose rows went; `floorMs` is not below their moments.
    package var dropped: [UserID] = []
    /// The moment that holds for all users.
    package var floorMs: Int64 = 0

    package init(app: UInt32) {
        self.app = app
    }
}
