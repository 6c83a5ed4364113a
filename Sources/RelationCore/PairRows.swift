package import RelationModel
package import Storage

/// The kinds of rows that calls about pairs of users read.
package struct PairRows: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The rows by which users are accounts.
    package static let userRecords = PairRows(rawValue: 1)
    /// The rows of friends, in the lists of both.
    package static let friends = PairRows(rawValue: 2)
    /// The rows of blacklists, in those of both.
    package static let blacklists = PairRows(rawValue: 4)
    /// The owner's rows of applications in both directions.
    package static let applications = PairRows(rawValue: 8)
    package static let profiles = PairRows(rawValue: 16)
    /// The owner's rows that say which of the users mute or ignore it.
    package static let muting = PairRows(rawValue: 32)
}

extension ReadTransaction {
    /// Says ahead that rows of `owner` and each of `users` will be read, and the owner's user
    /// record.
    ///
    /// Where each question to the store is a round trip, the first one then asks for all of them.
    /// Elsewhere, where ``readsAhead`` is false, a caller does not even list the users.
    package func expect(
        _ rows: PairRows, of owner: UserID, and users: [UserID], app: App
    ) {
        let mine = app.partition(of: owner)
        var keys = KeyList()
        Tables.userRecords.add(mine, OnlyKey(), to: &keys)
        for user in users {
            let theirs = app.partition(of: user)
            if rows.contains(.userRecords) { Tables.userRecords.add(theirs, OnlyKey(), to: &keys) }
            if rows.contains(.friends) {
                Tables.friends.add(mine, user, to: &keys)
                Tables.friends.add(theirs, owner, to: &keys)
            }
            if rows.contains(.blacklists) {
                Tables.blacklist.add(mine, user, to: &keys)
                Tables.blacklist.add(theirs, owner, to: &keys)
            }
            if rows.contains(.applications) {
                Tables.pendencies.add(mine, PendencyKey(.sendOut, user), to: &keys)
                Tables.pendencies.add(mine, PendencyKey(.comeIn, user), to: &keys)
            }
            if rows.contains(.muting) {
                Tables.mentions.add(mine, Mention(.muting, user), to: &keys)
            }
            if rows.contains(.profiles) { Tables.profiles.add(theirs, OnlyKey(), to: &keys) }
        }
        expect(keys)
    }
}
