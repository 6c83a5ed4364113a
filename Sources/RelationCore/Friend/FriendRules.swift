package import RelationModel
package import Storage

/// Rules over friend lists.
package enum FriendRules {
    /// Removes `user` from `owner`'s friends and, for ``DeleteType/both``, the reverse.
    ///
    /// Remark and groups are deleted with the row. Only a side whose list changed is notified.
    ///
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/accountNotFound``, ``FriendStatus/notFriend`` if no row that the type names
    ///   exists.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func delete(
        _ user: UserID, from owner: UserID, _ type: DeleteType, in ledger: Ledger
    ) throws(StorageError) -> Outcome {
        guard try Accounts.knows(user, in: ledger) else {
            return Outcome(.accountNotFound, Reason.FriendDelete.accountNotExist)
        }
        let (mine, theirs) =
            try type == .both
            ? Friendship.removeBoth(user, of: owner, in: ledger)
            : (Friendship.remove(user, of: owner, in: ledger), false)
        guard mine || theirs else {
            return Outcome(.notFriend, Reason.FriendDelete.notFriend)
        }
        return .success
    }

    /// Removes every friend of `owner` and, for ``DeleteType/both``, the reverse of each of those
    /// rows.
    ///
    /// One call does this for a list of any size, and notifies each receiver once. A user that has
    /// `owner` as a friend, and is not `owner`'s friend, keeps its row.
    ///
    /// - Returns: The numbers of rows removed from `owner`'s list and from others' lists.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func deleteAll(
        of owner: UserID, _ type: DeleteType, in ledger: Ledger
    ) throws(StorageError) -> (mine: Int, theirs: Int) {
        var friends: [UserID] = []
        try Tables.friends.scan(
            Tables.friends.all(of: ledger.partition(of: owner)), limit: .max, in: ledger.transaction
        ) { friend, _ in
            friends.append(friend)
            return .more
        }
        var keys = KeyList()
        for friend in friends {
            Friendship.keys(between: owner, friend, app: ledger.app, into: &keys)
            guard type == .both else { continue }
            Tables.userRecords.add(ledger.partition(of: friend), OnlyKey(), to: &keys)
        }
        try ledger.fetch(keys)
        var theirs = 0
        for friend in friends {
            _ = try Friendship.remove(friend, of: owner, in: ledger)
            // A friend whose account is being deleted loses its own rows by that deletion.
            guard type == .both, try ledger.userRecord(of: friend) != nil else { continue }
            if try Friendship.remove(owner, of: friend, in: ledger) { theirs += 1 }
        }
        return (friends.count, theirs)
    }

    /// A change of a friend's row.
    ///
    /// A nil value leaves the old value.
    package struct Change: Equatable {
        package let user: UserID
        package var remark: String?
        /// The groups that replace the row's.
        package var groups: [String]?
        /// Custom values that replace those of the same keys; one without a value removes its key.
        package var custom: [CustomValue] = []

        package init(user: UserID) {
            self.user = user
        }

        /// The texts to compare: an absent one differs from an empty one.
        private var texts: [[String]?] { [remark.map { [$0] }, groups] }

        package static func == (one: Change, other: Change) -> Bool {
            one.user == other.user && one.custom == other.custom
                && one.texts.elementsEqual(other.texts) { mine, theirs in
                    guard let mine, let theirs else { return mine == nil && theirs == nil }
                    return mine.isExactly(theirs)
                }
        }
    }

    /// Changes remark, groups and custom values of a friend on `owner`'s side.
    ///
    /// To write the values that are there already changes nothing.
    ///
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/accountNotFound``, ``FriendStatus/invalidParameter`` if the user is not a
    ///   friend, ``FriendStatus/sensitiveText``, ``FriendStatus/groupLimit``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func update(
        _ change: Change, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> Outcome {
        guard try Accounts.knows(change.user, in: ledger) else {
            return Outcome(.accountNotFound, Reason.FriendUpdate.accountNotExist)
        }
        let known = try Friendship.record(
            change.user, of: owner, app: ledger.app, in: ledger.transaction)
        guard let old = known else {
            return Outcome(.invalidParameter, Reason.FriendUpdate.friendNotExist)
        }
        var row = old
        let texts = [change.remark ?? ""] + (change.groups ?? []) + change.custom.texts
        guard !texts.contains(where: ledger.settings.forbids) else {
            return Outcome(.sensitiveText, Reason.FriendUpdate.sensitiveText)
        }
        if let groups = change.groups {
            guard try Groups.fit(groups, of: owner, in: ledger) else {
                return Outcome(.groupLimit, Reason.FriendUpdate.groupLimit)
            }
            row.groups = groups
        }
        if let remark = change.remark, !remark.isExactly(row.remark) {
            row.remark = remark
            row.remarkTimeMs = ledger.now.milliseconds
        }
        row.custom = row.custom.changed(by: change.custom)
        // An update that changes nothing succeeds, and no event reports it.
        guard try Tables.friends.differ(row, old, in: ledger.transaction) else { return .unchanged }
        try Friendship.write(
            row, change.user, of: owner, leaving: old.groups, telling: .friendChange, in: ledger)
        return .success
    }
}

extension FriendRelation {
    package init(mine: Bool, theirs: Bool) {
        switch (mine, theirs) {
        case (false, false): self = .none
        case (true, false): self = .myUni
        case (false, true): self = .otherUni
        case (true, true): self = .bothWay
        }
    }
}

// The rows that each rule reads, so that the engine reads those of a whole call at once.
extension FriendRules {
    /// Adds the rows that deleting `users` reads.
    package static func keysForDeleting(
        _ users: [UserID], from owner: UserID, _ type: DeleteType, app: App,
        into keys: inout KeyList
    ) {
        Feed.addState(of: app, to: &keys)
        for user in users {
            Accounts.keysForNaming(user, app: app, into: &keys)
            Friendship.keys(
                between: owner, user, bothWays: type == .both, app: app, into: &keys)
        }
    }

    /// Adds the rows that ``deleteAll(of:_:in:)`` reads first; its list leads to the others.
    package static func keysForDeletingAll(
        of owner: UserID, app: App, into keys: inout KeyList
    ) {
        Feed.addState(of: app, to: &keys)
    }

    /// Adds the rows that `changes` read.
    package static func keysForUpdating(
        _ changes: [Change], of owner: UserID, app: App, into keys: inout KeyList
    ) {
        let partition = app.partition(of: owner)
        Feed.addState(of: app, to: &keys)
        for change in changes {
            Accounts.keysForNaming(change.user, app: app, into: &keys)
            Tables.friends.add(partition, change.user, to: &keys)
            for group in change.groups ?? [] {
                Tables.groups.add(partition, GroupName(group), to: &keys)
            }
        }
    }
}
