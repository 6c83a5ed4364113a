package import RelationModel
package import Storage

/// Rules over profiles.
package enum Profiles {
    /// The profile of `user`: empty, with version 0, if it never set anything.
    package static func record(
        of user: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> ProfileRecord {
        try Tables.profiles.record(app.partition(of: user), OnlyPlace(), in: transaction)
            ?? ProfileRecord()
    }

    /// The profiles of `users`, nil for one that is no account.
    package static func records(
        of users: [UserID], app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [ProfileRecord?] {
        var heads = KeyList()
        var rows = KeyList()
        Accounts.heads(of: users, app: app, into: &heads)
        for user in users { rows.append(Tables.profiles.key(app.partition(of: user), OnlyPlace())) }
        var exists: [Bool] = []
        try transaction.read(heads) { _, bytes in exists.append(bytes != nil) }
        let records = try Tables.profiles.records(rows, in: transaction)
        return zip(exists, records).map { exists, record in
            exists ? record ?? ProfileRecord() : nil
        }
    }

    /// What an update did.
    package enum Result: Equatable {
        /// The profile has this version now.
        case done(version: Int64)
        /// Nothing was written: the profile has this version, and another was expected.
        case stale(version: Int64)
    }

    /// Writes the fields of `values` named in `fields` into `user`'s profile; one that `values`
    /// lacks is cleared.
    ///
    /// Makes the account if there is none.
    ///
    /// The values have been checked: an update is all or nothing.
    package static func update(
        _ user: UserID, _ values: ProfileRecord, fields: [ProfileField],
        expectedVersion: Int64?, in ledger: Ledger
    ) throws(StorageError) -> Result {
        if try ledger.head(of: user) == nil {
            _ = try Accounts.create(user, nick: "", faceURL: "", in: ledger)
        }
        let old = try record(of: user, app: ledger.app, in: ledger.transaction)
        if let expectedVersion, expectedVersion != old.version {
            return .stale(version: old.version)
        }
        var row = old
        var changed: [ProfileField] = []
        for field in fields {
            let before = row
            field.copy(from: values, to: &row)
            if try Tables.profiles.differ(row, before, in: ledger.transaction) {
                changed.append(field)
            }
        }
        // An update that changes nothing is done, and nobody is told.
        guard !changed.isEmpty else { return .done(version: old.version) }
        row.version = old.version + 1
        try Tables.profiles.set(
            row, at: ledger.partition(of: user), OnlyPlace(), in: ledger.transaction)

        var item = ChangeItem(about: user)
        var told = ProfileRecord()
        for field in changed { field.copy(from: row, to: &told) }
        told.version = row.version
        item.profile = told
        item.profileFields = changed.map(\.name)
        try ledger.tell(user, .profileChange, item)
        return .done(version: row.version)
    }
}
