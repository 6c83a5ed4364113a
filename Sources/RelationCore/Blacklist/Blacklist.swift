package import RelationModel
import Storage

/// Rules over blacklists.
package enum Blacklist {
    package static func contains(
        _ user: UserID, of owner: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        try Tables.blacklist.contains(app.partition(of: owner), user, in: transaction)
    }

    /// Whether `owner`, whose user record a write has read, has `user` on its blacklist.
    ///
    /// Most users have no blacklist, and the user record says so without a read.
    static func contains(
        _ user: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        guard let userRecord = try ledger.userRecord(of: owner), userRecord.blacklistCount > 0
        else { return false }
        return try contains(user, of: owner, app: ledger.app, in: ledger.transaction)
    }

    /// Calls `body` with the stored entries of `owner`'s list in order of the times at which they
    /// were added, beginning after `position`, until `body` returns ``ScanStep/stop``.
    ///
    /// - Important: The bytes are valid only during that call.
    package static func scan(
        of owner: UserID, after position: TimedUser?, limit: Int, app: App,
        in transaction: any ReadTransaction,
        _ body: (TimedUser, UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        try FriendList.scan(
            Tables.blacklistByTime, Tables.blacklist, of: app.partition(of: owner),
            after: position, .ascending, limit: limit, in: transaction, body)
    }

    /// Says for each of `owners` whether it has `user` on its blacklist.
    package static func owners(
        among owners: [UserID], blocking user: UserID, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Bool] {
        var keys = KeyList()
        for owner in owners {
            keys.append(Tables.blacklist.key(app.partition(of: owner), user))
        }
        return try keys.found(in: transaction)
    }

    /// For each of `users`, which of it and `owner` has the other on its blacklist; `owner` is A.
    ///
    /// - Parameter both: Whether to look at the users' lists too. Otherwise the answer is
    ///   ``BlacklistRelation/none`` or ``BlacklistRelation/aWithB``.
    /// - Returns: The relation of each user, or nil if the user is not an account.
    package static func check(
        _ users: [UserID], of owner: UserID, both: Bool, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [BlacklistRelation?] {
        let mine = owner.text.utf8
        var keys = KeyList()
        keys.reserve(users.count * 3)
        for user in users {
            let theirs = user.text.utf8
            Tables.userRecords.add(app.id, theirs, OnlyKey(), to: &keys)
            Tables.blacklist.add(app.id, mine, user, to: &keys)
            if both { Tables.blacklist.add(app.id, theirs, owner, to: &keys) }
        }
        let found = try keys.found(in: transaction)
        let everyUserExists = app.settings.makesAccountsImplicitly
        return users.indices.map { number in
            let row = number * (both ? 3 : 2)
            guard everyUserExists || found[row] else { return nil }
            return BlacklistRelation(mine: found[row + 1], theirs: both && found[row + 2])
        }
    }

    /// Adds `user` to `owner`'s blacklist.
    ///
    /// The friendship of the two ends on both sides, unless the app keeps friendships, and
    /// applications and follows between them end. `user` is notified of what it lost, but never of
    /// the blacklist.
    ///
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/invalidParameter`` if the two are the same user,
    ///   ``FriendStatus/accountNotFound``, ``FriendStatus/alreadyInBlacklist``,
    ///   ``FriendStatus/blacklistFull``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func add(
        _ user: UserID, to owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        var ladder = NoRungs()
        return try add(user, to: owner, noting: &ladder, in: ledger)
    }

    /// ``add(_:to:in:)``, which notes its rungs, and writes only if `ladder` lets it.
    static func add(
        _ user: UserID, to owner: UserID, noting ladder: inout some RungRecorder,
        in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        guard ladder.passes(.otherUser, user != owner) else {
            return Outcome(.invalidParameter, Reason.BlacklistAdd.oneself)
        }
        guard try ladder.passes(.peerAccount, Accounts.ensureExists(user, in: ledger)) else {
            return Outcome(.accountNotFound, Reason.BlacklistAdd.accountNotExist)
        }
        let isThere = try contains(user, of: owner, app: ledger.app, in: ledger.transaction)
        guard ladder.passes(.ownBlacklist, !isThere) else {
            return Outcome(.alreadyInBlacklist, Reason.BlacklistAdd.alreadyExist)
        }
        let count = try Int(ledger.userRecord(of: owner)?.blacklistCount ?? 0)
        guard ladder.passes(.ownBlacklistRoom, count < ledger.limits.blacklistedUsers) else {
            return Outcome(.blacklistFull, Reason.BlacklistAdd.blacklistFull)
        }
        guard ladder.reachesWrite() else { return .success }

        if !ledger.settings.keepsFriendshipOnBlacklist {
            _ = try Friendship.removeBoth(user, of: owner, in: ledger)
        }
        try endRelations(of: owner, and: user, in: ledger)
        var record = BlacklistRecord()
        record.userID = user.text
        record.addTimeMs = ledger.now.milliseconds
        try insert(record, user, of: owner, in: ledger)
        return .success
    }

    /// Ends what does not stand beside a blacklist of `owner`, but for the friendship.
    private static func endRelations(
        of owner: UserID, and user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        try Follows.endBoth(between: owner, user, in: ledger)
        // Only a blacklist ends a follow by a call of the followed user. The other events are those
        // of an unfollow, of a deleted friend, or of an application that was answered.
        ledger.hideOrigin(of: .followingChanged, for: user)
        try Applications.end(from: owner, to: user, .withdrawn, in: ledger)
        try Applications.end(from: user, to: owner, .refused, in: ledger)
    }

    /// Writes a row of `owner`'s blacklist as it was before it was removed.
    ///
    /// - Precondition: There is no such row, the list has room, and the app lets the row stand
    ///   beside the friendship of the two, if there is one.
    static func bringBack(
        _ record: BlacklistRecord, _ user: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        try endRelations(of: owner, and: user, in: ledger)
        try insert(record, user, of: owner, in: ledger)
    }

    /// Writes a new row of `owner`'s blacklist with its index, and notifies `owner`.
    ///
    /// - Precondition: There is no such row.
    static func insert(
        _ record: BlacklistRecord, _ user: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: owner)
        try Tables.blacklist.set(record, at: partition, user, in: ledger.transaction)
        try Tables.blacklistByTime.set(
            EmptyRecord(), at: partition, TimedUser(timeMs: record.addTimeMs, user: user),
            in: ledger.transaction)
        try BackReferences.add(owner, of: user, on: .blacklist, in: ledger)
        try ledger.changeUserRecord(of: owner) { $0.blacklistCount += 1 }
        var item = ChangeItemRecord(about: user)
        item.blacklistEntry = record
        try ledger.notify(owner, .addBlacklist, item)
    }

    /// Removes `user` from `owner`'s blacklist.
    ///
    /// A friendship or application that the blacklist ended does not come back.
    ///
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/accountNotFound``, ``FriendStatus/notInBlacklist``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func remove(
        _ user: UserID, from owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        guard try Accounts.ensureExists(user, in: ledger) else {
            return Outcome(.accountNotFound, Reason.BlacklistDelete.accountNotExist)
        }
        guard try drop(user, from: owner, in: ledger) else {
            return Outcome(.notInBlacklist, Reason.BlacklistDelete.notInBlacklist)
        }
        return .success
    }

    /// Removes the row of `user` from `owner`'s blacklist, whether `user` is an account or not, and
    /// notifies `owner`.
    ///
    /// - Returns: Whether there was such a row.
    static func drop(
        _ user: UserID, from owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let partition = ledger.partition(of: owner)
        let record = try Tables.blacklist.record(partition, user, in: ledger.transaction)
        guard let record else { return false }
        Tables.blacklist.remove(partition, user, in: ledger.transaction)
        BackReferences.remove(owner, of: user, on: .blacklist, in: ledger)
        Tables.blacklistByTime.remove(
            partition, TimedUser(timeMs: record.addTimeMs, user: user), in: ledger.transaction)
        try ledger.changeUserRecord(of: owner) { $0.blacklistCount.decrease() }
        var item = ChangeItemRecord(about: user)
        item.blacklistEntry = record
        try ledger.notify(owner, .deleteBlacklist, item)
        return true
    }
}

extension Blacklist {
    /// Adds the rows that adding `users` reads.
    package static func keysForAdding(
        _ users: [UserID], to owner: UserID, app: App, into keys: inout KeyList
    ) {
        keysForRemoving(users, from: owner, app: app, into: &keys)
        for user in users {
            Applications.keys(between: owner, user, app: app, into: &keys)
            Follows.keysForEnding(between: owner, user, app: app, into: &keys)
            guard !app.settings.keepsFriendshipOnBlacklist else { continue }
            Friendship.keys(between: owner, user, app: app, into: &keys)
        }
    }

    /// Adds the rows that removing `users` reads.
    package static func keysForRemoving(
        _ users: [UserID], from owner: UserID, app: App, into keys: inout KeyList
    ) {
        let partition = app.partition(of: owner)
        Feed.addState(of: app, to: &keys)
        for user in users {
            Accounts.keysForNaming(user, app: app, into: &keys)
            Tables.blacklist.add(partition, user, to: &keys)
        }
    }
}

extension BlacklistRelation {
    init(mine: Bool, theirs: Bool) {
        switch (mine, theirs) {
        case (false, false): self = .none
        case (true, false): self = .aWithB
        case (false, true): self = .bWithA
        case (true, true): self = .bothWay
        }
    }
}
