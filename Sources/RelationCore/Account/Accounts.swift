package import RelationModel
package import Storage

/// Which users exist.
package enum Accounts {
    /// Whether a read finds `user`: an account, or anybody in an app that makes accounts
    /// implicitly, since who was never named is as a new account would be.
    package static func exists(
        _ user: UserID, of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        guard !app.settings.makesAccountsImplicitly else { return true }
        return try Tables.heads.contains(app.partition(of: user), OnlyPlace(), in: transaction)
    }

    /// Which of `users` a read finds.
    package static func exist(
        _ users: [UserID], of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Bool] {
        guard !app.settings.makesAccountsImplicitly else { return users.map { _ in true } }
        return try created(users, app: app, in: transaction).map { $0 != nil }
    }

    /// Whether `user`, whom a write names, is an account.
    ///
    /// In an app that makes accounts implicitly it is one from then on, whatever becomes of the
    /// write otherwise, unless an account of that id is still being deleted.
    package static func knows(
        _ user: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        if try ledger.head(of: user) != nil { return true }
        guard ledger.settings.makesAccountsImplicitly else { return false }
        return try create(user, nick: "", faceURL: "", in: ledger) != .isLeaving
    }

    /// What came of making an account.
    package enum Creation: Equatable {
        case made
        case existed
        /// An account of that id is still being deleted: nothing was made.
        case isLeaving
    }

    /// Makes `user` an account with a first profile, or leaves an account that exists as it is.
    ///
    /// One that was deleted before goes on with the sequence and the profile's version of then.
    package static func create(
        _ user: UserID, nick: String, faceURL: String, in ledger: Ledger
    ) throws(StorageError) -> Creation {
        guard try ledger.head(of: user) == nil else { return .existed }
        let partition = ledger.partition(of: user)
        let departed = try Tables.departed.record(partition, OnlyPlace(), in: ledger.transaction)
        if let departed, departed.deletion != 0 { return .isLeaving }
        let version = departed?.profileVersion ?? 0
        var profile = ProfileRecord()
        profile.nick = nick.isEmpty ? nil : nick
        profile.faceURL = faceURL.isEmpty ? nil : faceURL
        let hasProfile = version > 0 || !nick.isEmpty || !faceURL.isEmpty
        if hasProfile { profile.version = version + 1 }
        profile.openVersion = profile.version
        profile.cardVersion = profile.version
        var item = ChangeItem(about: user)
        item.profile = profile.forTelling(of: user)
        item.sequence = departed?.head?.sequence ?? 0
        profile.position = try ledger.tellApp(.accountCreated, item, about: user)

        try ledger.changeHead(of: user) { head in
            head = departed?.head ?? HeadRecord()
            head.createdMs = ledger.now.milliseconds
            // No log has the first profile, and what the log of an account before told is gone:
            // nobody goes on from before.
            if hasProfile || departed != nil { head.logFloorPosition = profile.position }
        }
        try Tables.directory.set(
            Nothing(), at: Directory.partition(of: user, ledger.app), user,
            in: ledger.transaction)
        if departed != nil {
            Tables.departed.remove(partition, OnlyPlace(), in: ledger.transaction)
        }
        if hasProfile {
            try Tables.profiles.set(profile, at: partition, OnlyPlace(), in: ledger.transaction)
        }
        return .made
    }

    /// The rows that a rule on `users` reads first: their heads.
    package static func heads(of users: some Sequence<UserID>, app: App, into keys: inout KeyList) {
        for user in users {
            Tables.heads.add(app.partition(of: user), OnlyPlace(), to: &keys)
        }
    }

    /// The rows that making `user` an account reads.
    package static func keysForCreating(_ user: UserID, app: App, into keys: inout KeyList) {
        let partition = app.partition(of: user)
        Tables.heads.add(partition, OnlyPlace(), to: &keys)
        Tables.departed.add(partition, OnlyPlace(), to: &keys)
        Tables.lanes.add(app.partition(ofLane: Lane.of(user)), OnlyPlace(), to: &keys)
    }

    /// Which of `users` exist, and since when.
    package static func created(
        _ users: [UserID], app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Int64?] {
        var keys = KeyList()
        heads(of: users, app: app, into: &keys)
        return try Tables.heads.records(keys, in: transaction).map { $0?.createdMs }
    }
}

extension UserID {
    /// Whether it can be an account's: the names of an app's shared partitions are not.
    package var isAccountID: Bool { (text.utf8.first ?? 0) >= 0x20 }
}
