package import RelationModel
import Storage

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
    ) throws(StorageError) -> FriendOutcome {
        guard try Accounts.ensureExists(user, in: ledger) else {
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

    /// Changes the values of a friend on `owner`'s side.
    ///
    /// To write the values that are there already changes nothing.
    ///
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/accountNotFound``, ``FriendStatus/invalidParameter`` if the user is not a
    ///   friend or the row has another sequence than the item expects,
    ///   ``FriendStatus/sensitiveText``, ``FriendStatus/groupLimit``. The last one is
    ///   ``FriendStatus/invalidParameter`` if the app has no room for a review of a new text.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func update(
        _ item: FriendItem, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        guard try Accounts.ensureExists(item.user, in: ledger) else {
            return Outcome(.accountNotFound, Reason.FriendUpdate.accountNotExist)
        }
        let known = try Friendship.record(
            item.user, of: owner, app: ledger.app, in: ledger.transaction)
        guard let old = known else {
            return Outcome(.invalidParameter, Reason.FriendUpdate.friendNotExist)
        }
        if let expected = item.expectedSequence, expected != old.sequence {
            return Outcome(.invalidParameter, Reason.FriendUpdate.sequenceStale)
        }
        var row = old
        guard !item.values.areForbidden(by: ledger.settings) else {
            return Outcome(.sensitiveText, Reason.FriendUpdate.sensitiveText)
        }
        if let groups = item.values.groups, try !Groups.fit(groups, of: owner, in: ledger) {
            return Outcome(.groupLimit, Reason.FriendUpdate.groupLimit)
        }
        row.apply(item.values, at: ledger.now)
        let plan = try FriendReviews.plan(
            item.values, from: old, to: row, item.user, of: owner, isReviewed: item.isReviewed,
            in: ledger)
        if let plan {
            try Reviews.fetchCounts(in: ledger)
            guard try Reviews.haveRoom(for: plan.growth, in: ledger) else {
                return Outcome(.invalidParameter, Reason.ReviewDecide.friendsFull)
            }
        }
        let isChanged = try Tables.friends.differ(row, old, in: ledger.transaction)
        // An update that changes nothing succeeds, and no event reports it.
        guard isChanged || plan != nil else { return .unchanged }
        if isChanged {
            try Friendship.change(
                old, to: row, item.user, of: owner, reporting: .friendChange, in: ledger)
        }
        try FriendReviews.carryOut(plan, item.user, of: owner, in: ledger)
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

    /// Adds the rows that updating `items` reads.
    package static func keysForUpdating(
        _ items: [FriendItem], of owner: UserID, app: App, into keys: inout KeyList
    ) {
        let partition = app.partition(of: owner)
        Feed.addState(of: app, to: &keys)
        Reviews.keysForUpdating(app, into: &keys)
        for item in items {
            Accounts.keysForNaming(item.user, app: app, into: &keys)
            Tables.friends.add(partition, item.user, to: &keys)
            for group in item.values.groups ?? [] {
                Tables.groups.add(partition, GroupName(group), to: &keys)
            }
        }
    }
}
