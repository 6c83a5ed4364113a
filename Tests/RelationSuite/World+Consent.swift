package import RelationCore
package import RelationModel
import Storage

extension World {
    /// Makes a decision about permissions; a malformed name is passed on as such.
    package func setConsent(
        _ word: Consent.Word, _ names: [String], of user: UserID,
        to client: ClientAppID = "client", allOrNothing: Bool = false
    ) throws(StorageError) -> (changed: Bool, answers: [Consent.Answer]) {
        try call(by: user) { (ledger) throws(StorageError) in
            try Consent.set(
                word, names.map { PermissionName($0) }, of: user, to: client,
                allOrNothing: allOrNothing, in: ledger)
        }
    }

    package func revokeAll(
        of user: UserID, to client: ClientAppID = "client"
    ) throws(StorageError) -> [GrantRecord] {
        try call(by: user) { (ledger) throws(StorageError) in
            try Consent.revokeAll(of: user, to: client, in: ledger)
        }
    }

    package func grants(
        of user: UserID, to client: ClientAppID = "client"
    ) throws(StorageError) -> [GrantRecord] {
        try read { (transaction) throws(StorageError) in
            try Consent.grants(of: user, to: client, app: app, in: transaction)
        }
    }

    /// The status of each permission about which `user` decided.
    package func statuses(
        of user: UserID, to client: ClientAppID = "client"
    ) throws(StorageError) -> [String: PermissionStatus] {
        var statuses: [String: PermissionStatus] = [:]
        for grant in try grants(of: user, to: client) {
            statuses[grant.permission] = grant.status(at: now)
        }
        return statuses
    }

    /// The status of each of `fields` for a client app.
    package func access(
        to fields: [String], of user: UserID, by client: ClientAppID = "client"
    ) throws(StorageError) -> [PermissionStatus] {
        let view = ConsentView(try grants(of: user, to: client), settings, at: now)
        return fields.map { view.status(of: $0) }
    }

    package func appFriends(
        of user: UserID, by client: ClientAppID = "client"
    ) throws(StorageError) -> (friends: [UserID], total: Int) {
        try read { (transaction) throws(StorageError) in
            try AppFriends.visible(of: user, to: client, app: app, at: now, in: transaction)
        }
    }
}

extension ClientAppID: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        // The optional type is needed: without it the literal would call this initializer itself.
        let client: ClientAppID? = ClientAppID(text)
        guard let client else { preconditionFailure("\"\(text)\" is not a client app id") }
        self = client
    }
}

extension PermissionName: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        let name: PermissionName? = PermissionName(text)
        guard let name else { preconditionFailure("\"\(text)\" is not a name of a permission") }
        self = name
    }
}
