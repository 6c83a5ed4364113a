package import RelationModel
package import Storage

/// Which users exist.
package enum Accounts {
    package static func exists(
        _ user: UserID, of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        try Tables.heads.contains(app.partition(of: user), OnlyPlace(), in: transaction)
    }

    /// Makes `user` an account with a first profile, or leaves an account that exists as it is.
    ///
    /// - Returns: Whether the account is new.
    package static func create(
        _ user: UserID, nick: String, faceURL: String, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        guard try ledger.head(of: user) == nil else { return false }
        try ledger.changeHead(of: user) { $0.createdMs = ledger.now.milliseconds }
        guard !nick.isEmpty || !faceURL.isEmpty else { return true }

        var profile = ProfileRecord()
        profile.nick = nick.isEmpty ? nil : nick
        profile.faceURL = faceURL.isEmpty ? nil : faceURL
        profile.version = 1
        try Tables.profiles.set(
            profile, at: ledger.partition(of: user), OnlyPlace(), in: ledger.transaction)
        return true
    }

    /// The rows that a rule on `users` reads first: their heads.
    package static func heads(of users: some Sequence<UserID>, app: App, into keys: inout KeyList) {
        for user in users {
            Tables.heads.add(app.partition(of: user), OnlyPlace(), to: &keys)
        }
    }
}
