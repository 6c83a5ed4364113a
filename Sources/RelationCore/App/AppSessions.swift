package import RelationModel

/// The ends of users' sessions in an app, as a server reads them: all, or those that are new to it.
package struct AppSessions: Sendable {
    /// The history of the app to which the numbers belong.
    package var history: UInt64 = 0
    /// The number of the newest end.
    package var last: Int64 = 0
    package var floorMs: Int64 = 0
    /// Whether `ends` are all of them.
    package var isWhole = true
    package var ends: [(user: UserID, beforeMs: Int64)] = []

    package init() {}
}

/// The secrets and credentials that open one app, as its rows have them.
package struct AppCredentials: Sendable {
    package let app: UInt32
    package let secrets: [SecretRecord]
    package let credentials: [(id: CredentialID, record: CredentialRecord)]
    package let sessions: AppSessions

    package init(
        app: UInt32, secrets: [SecretRecord],
        credentials: [(id: CredentialID, record: CredentialRecord)],
        sessions: AppSessions = AppSessions()
    ) {
        self.app = app
        self.secrets = secrets
        self.credentials = credentials
        self.sessions = sessions
    }
}
