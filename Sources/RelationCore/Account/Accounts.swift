package import RelationModel
import Storage

/// Rules over the existence of users.
package enum Accounts {
    /// Whether a read finds `user`.
    ///
    /// It finds every account. In an app that makes accounts implicitly it finds any user, since a
    /// user that no call has named yet is as a new account would be.
    package static func exists(
        _ user: UserID, of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        guard !app.settings.makesAccountsImplicitly else { return true }
        return try Tables.userRecords.contains(app.partition(of: user), OnlyKey(), in: transaction)
    }

    /// Says for each of `users` whether a read finds it.
    package static func exist(
        _ users: [UserID], of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Bool] {
        guard !app.settings.makesAccountsImplicitly else { return users.map { _ in true } }
        return try created(users, app: app, in: transaction).map { $0 != nil }
    }

    /// Whether `user`, which a write names, is an account.
    ///
    /// In an app that makes accounts implicitly, the call makes `user` an account, and it stays one
    /// even if the write fails by a rule. It does not if an account of that id is still being
    /// deleted.
    package static func ensureExists(
        _ user: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        if try ledger.userRecord(of: user) != nil { return true }
        guard ledger.settings.makesAccountsImplicitly else { return false }
        try fetchForCreating(user, in: ledger)
        return try create(user, nick: "", faceURL: "", in: ledger) != .isLeaving
    }

    /// The result of making an account.
    package enum Creation: Equatable {
        case made
        case existed
        /// An account of that id is still being deleted, and nothing was made.
        case isLeaving
    }

    /// Makes `user` an account with a first profile, or leaves an account that exists as it is.
    ///
    /// An account that was deleted before goes on from its old sequence and its profile's old
    /// version. If the app has erased a user, the account may be that user's: it goes on from the
    /// highest numbers of all that were erased.
    package static func create(
        _ user: UserID, nick: String, faceURL: String, in ledger: Ledger
    ) throws(StorageError) -> Creation {
        guard try ledger.userRecord(of: user) == nil else { return .existed }
        let partition = ledger.partition(of: user)
        let departed = try Tables.departed.record(partition, OnlyKey(), in: ledger.transaction)
        if let departed, departed.deletion != 0 { return .isLeaving }
        let feed = try ledger.feedState()
        let version = departed?.profileVersion ?? feed.erasedVersion
        var profile = ProfileRecord()
        profile.nick = nick.isEmpty ? nil : nick
        profile.faceURL = faceURL.isEmpty ? nil : faceURL
        let hasProfile = version > 0 || !nick.isEmpty || !faceURL.isEmpty
        let history = ledger.settings.history
        if hasProfile { profile.version = history.number(after: version) }
        profile.openVersion = profile.version
        profile.cardVersion = profile.version
        var item = ChangeItemRecord(about: user)
        item.profile = profile.forEvent(of: user)
        var first = departed?.userRecord ?? UserRecord()
        if departed == nil, feed.erasedSequence > 0 { first.beginAnew(after: feed.erasedSequence) }
        first.begin(after: history.floor)
        item.sequence = first.sequence
        profile.position = try ledger.notifyApp(.accountCreated, item, about: user)

        try ledger.changeUserRecord(of: user) { userRecord in
            userRecord = first
            userRecord.createdMs = ledger.now.milliseconds
            userRecord.lacksStatus = true
            // The first profile is in no log, and the log of an earlier account is gone. So a
            // reader from before this commit must read the whole state again.
            if hasProfile || departed != nil || feed.erasedSequence > 0 {
                userRecord.logFloorPosition = profile.position
            }
        }
        try Tables.directory.set(
            EmptyRecord(), at: Directory.partition(of: user, ledger.app), user,
            in: ledger.transaction)
        if departed != nil {
            Tables.departed.remove(partition, OnlyKey(), in: ledger.transaction)
        }
        if hasProfile {
            try Tables.profiles.set(profile, at: partition, OnlyKey(), in: ledger.transaction)
        }
        try FoundNames.move(user, from: nil, to: profile, in: ledger)
        return .made
    }

    /// Adds the rows that a rule on `users` reads first: their user records.
    package static func userRecords(
        of users: some Sequence<UserID>, app: App, into keys: inout KeyList
    ) {
        for user in users {
            Tables.userRecords.add(app.partition(of: user), OnlyKey(), to: &keys)
        }
    }

    /// The record of `user` as a read finds it; nil if a read does not find the user.
    ///
    /// An app may make accounts implicitly. There, a user that was never named reads the same as a
    /// new account.
    package static func record(
        of user: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> UserRecord? {
        let record = try Tables.userRecords.record(
            app.partition(of: user), OnlyKey(), in: transaction)
        if let record { return record }
        return app.settings.makesAccountsImplicitly ? UserRecord() : nil
    }

    /// The last sequence of `user`; 0 for a user that no write has named.
    package static func sequence(
        of user: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64 {
        let record = try Tables.userRecords.record(
            app.partition(of: user), OnlyKey(), in: transaction)
        return record?.sequence ?? 0
    }

    /// Adds the row that every write reads of a user that it does not name.
    package static func keysForActing(_ user: UserID, app: App, into keys: inout KeyList) {
        Tables.userRecords.add(app.id, user.text.utf8, OnlyKey(), to: &keys)
    }

    /// Adds the rows that every rule reads of a user that a write names.
    ///
    /// In an app that makes accounts implicitly, such a user may become an account.
    package static func keysForNaming(_ user: UserID, app: App, into keys: inout KeyList) {
        let name = user.text.utf8
        Tables.userRecords.add(app.id, name, OnlyKey(), to: &keys)
        guard app.settings.makesAccountsImplicitly else { return }
        keys.addPossible { keys in Tables.departed.add(app.id, name, OnlyKey(), to: &keys) }
    }

    /// Fetches together the rows that making `user` an account reads, if the write that names it
    /// did not expect to make one.
    static func fetchForCreating(_ user: UserID, in ledger: Ledger) throws(StorageError) {
        var keys = KeyList()
        keysForCreating(user, app: ledger.app, into: &keys)
        try ledger.fetch(keys)
    }

    /// Adds the rows that making `user` an account reads.
    package static func keysForCreating(_ user: UserID, app: App, into keys: inout KeyList) {
        let partition = app.partition(of: user)
        Tables.userRecords.add(partition, OnlyKey(), to: &keys)
        Tables.departed.add(partition, OnlyKey(), to: &keys)
        // The history looks whether there was a profile before.
        if app.keepsHistory { Tables.profiles.add(partition, OnlyKey(), to: &keys) }
        Feed.addState(of: app, to: &keys)
    }

    /// The times at which the accounts of `users` were made, in milliseconds; nil for a user that
    /// is not an account.
    package static func created(
        _ users: [UserID], app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Int64?] {
        try records(of: users, app: app, in: transaction).map { $0?.createdMs }
    }

    /// The records of `users`; nil for a user that is not an account.
    package static func records(
        of users: [UserID], app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [UserRecord?] {
        var keys = KeyList()
        userRecords(of: users, app: app, into: &keys)
        return try Tables.userRecords.records(keys, in: transaction)
    }
}

extension UserID {
    /// Whether an account can have this id; the names of an app's shared partitions are not such
    /// ids.
    package var isAccountID: Bool { (text.utf8.first ?? 0) >= 0x20 }
}
