package import RelationModel
import Storage

/// Rules over follows: which users follow which, for good.
///
/// A follow is a row of the follower. Both users have it in an index by time, and so have both in
/// another one while each follows the other. The indexes are counted. So no rule walks over
/// followers, however many a user has.
package enum Follows {
    /// Lets `owner` follow `user`.
    ///
    /// - Returns: ``FollowStatus/success``, which says whether the follow is new, or the first of
    ///   these that applies: ``FollowStatus/invalidParameter`` if the two are the same user,
    ///   ``FollowStatus/accountNotFound``, ``FollowStatus/inSelfBlacklist``,
    ///   ``FollowStatus/inOtherSideBlacklist``, and unless `owner` follows `user` already
    ///   ``FollowStatus/followingFull``, ``FollowStatus/followersFull``,
    ///   ``FollowStatus/selfMutualFull``, ``FollowStatus/theirMutualFull``.
    ///
    ///   ``Ledger/blocks`` moves ``FollowStatus/inOtherSideBlacklist`` after all others, or takes
    ///   it out.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func follow(
        _ owner: UserID, _ user: UserID, in ledger: Ledger
    ) throws(StorageError) -> FollowOutcome {
        guard user != owner else {
            return Outcome(.invalidParameter, Reason.FollowAdd.oneself)
        }
        guard try Accounts.knows(user, in: ledger) else {
            return Outcome(.accountNotFound, Reason.FollowAdd.accountNotExist)
        }
        guard try !Blacklist.contains(user, of: owner, in: ledger) else {
            return Outcome(.inSelfBlacklist, Reason.FollowAdd.inSelfBlacklist)
        }
        let isBlocked = try Blacklist.contains(owner, of: user, in: ledger)
        guard !isBlocked || ledger.blocks != .first else { return .followBlocked }
        guard try record(from: owner, to: user, in: ledger) == nil else { return .unchanged }
        if let refusal = try refusal(owner, user, in: ledger) { return refusal }
        guard !ledger.reveals(block: isBlocked) else { return .followBlocked }
        var record = FollowRecord()
        record.userID = user.text
        record.followTimeMs = ledger.now.milliseconds
        try insert(record, from: owner, to: user, in: ledger)
        return .success
    }

    /// The limit that a new follow would exceed; nil if there is none.
    private static func refusal(
        _ owner: UserID, _ user: UserID, in ledger: Ledger
    ) throws(StorageError) -> FollowOutcome? {
        let limits = ledger.limits
        guard try Int(ledger.userRecord(of: owner)?.followingCount ?? 0) < limits.followings else {
            return Outcome(.followingFull, Reason.FollowAdd.followingFull)
        }
        let theirs = try counts(of: user, in: ledger)
        if limits.followers > 0, Int(theirs.followers) >= limits.followers {
            return Outcome(.followersFull, Reason.FollowAdd.followersFull)
        }
        guard limits.mutualFollows > 0, try record(from: user, to: owner, in: ledger) != nil
        else { return nil }
        guard try Int(counts(of: owner, in: ledger).mutual) < limits.mutualFollows else {
            return Outcome(.selfMutualFull, Reason.FollowAdd.selfMutualFull)
        }
        guard Int(theirs.mutual) < limits.mutualFollows else {
            return Outcome(.theirMutualFull, Reason.FollowAdd.theirMutualFull)
        }
        return nil
    }

    /// Ends the follow of `user` by `owner`; it is not an error if there is none.
    ///
    /// - Returns: ``FollowStatus/success``, which says whether there was one, or the first of these
    ///   that applies: ``FollowStatus/invalidParameter`` if the two are the same user,
    ///   ``FollowStatus/accountNotFound``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func unfollow(
        _ owner: UserID, _ user: UserID, in ledger: Ledger
    ) throws(StorageError) -> FollowOutcome {
        guard user != owner else {
            return Outcome(.invalidParameter, Reason.FollowDelete.oneself)
        }
        guard try Accounts.knows(user, in: ledger) else {
            return Outcome(.accountNotFound, Reason.FollowDelete.accountNotExist)
        }
        return .done(changing: try end(from: owner, to: user, in: ledger))
    }

    // MARK: Writing

    /// Writes a new follow with its indexes and counts, and notifies both users.
    ///
    /// A user that is not an account yet, as an import may name it, is not notified.
    ///
    /// - Precondition: There is no such follow.
    static func insert(
        _ record: FollowRecord, from owner: UserID, to user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let (mine, theirs) = (ledger.partition(of: owner), ledger.partition(of: user))
        let timeMs = record.followTimeMs
        let returned = try self.record(from: user, to: owner, in: ledger)
        try Tables.follows.set(record, at: mine, user, in: ledger.transaction)
        try list(.following, at: timeMs, user, in: mine, ledger)
        try list(.followers, at: timeMs, owner, in: theirs, ledger)
        try ledger.changeUserRecord(of: owner) { $0.followingCount += 1 }
        try changeCounts(of: user, in: ledger) { counts in
            counts.followers += 1
            if returned != nil { counts.mutual += 1 }
        }
        if let returned {
            let laterMs = max(timeMs, returned.followTimeMs)
            try list(.mutual, at: laterMs, user, in: mine, ledger)
            try list(.mutual, at: laterMs, owner, in: theirs, ledger)
            try changeCounts(of: owner, in: ledger) { $0.mutual += 1 }
        }
        try notify(owner, user, record, isReturned: returned != nil, in: ledger)
    }

    /// Ends the follow of `user` by `owner`, whether they are accounts or not, and notifies those
    /// that are.
    ///
    /// - Returns: Whether there was such a follow.
    @discardableResult
    static func end(
        from owner: UserID, to user: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let (mine, theirs) = (ledger.partition(of: owner), ledger.partition(of: user))
        guard let record = try record(from: owner, to: user, in: ledger) else { return false }
        let timeMs = record.followTimeMs
        let returned = try self.record(from: user, to: owner, in: ledger)
        Tables.follows.remove(mine, user, in: ledger.transaction)
        unlist(.following, at: timeMs, user, in: mine, ledger)
        unlist(.followers, at: timeMs, owner, in: theirs, ledger)
        if try ledger.userRecord(of: owner) != nil {
            try ledger.changeUserRecord(of: owner) { $0.followingCount -= 1 }
        }
        try changeCounts(of: user, in: ledger) { counts in
            counts.followers.decrease()
            if returned != nil { counts.mutual.decrease() }
        }
        if let returned {
            let laterMs = max(timeMs, returned.followTimeMs)
            unlist(.mutual, at: laterMs, user, in: mine, ledger)
            unlist(.mutual, at: laterMs, owner, in: theirs, ledger)
            try changeCounts(of: owner, in: ledger) { $0.mutual.decrease() }
        }
        try notify(owner, user, nil, isReturned: returned != nil, in: ledger)
        return true
    }

    /// Ends the follows of two users in both directions, if there are any.
    static func endBoth(
        between one: UserID, _ other: UserID, in ledger: Ledger
    ) throws(StorageError) {
        // Most users follow nobody, and the user record says so without a read.
        if try ledger.userRecord(of: one)?.followingCount ?? 0 > 0 {
            try end(from: one, to: other, in: ledger)
        }
        if try ledger.userRecord(of: other)?.followingCount ?? 0 > 0 {
            try end(from: other, to: one, in: ledger)
        }
    }

    private static func notify(
        _ owner: UserID, _ user: UserID, _ record: FollowRecord?, isReturned: Bool,
        in ledger: Ledger
    ) throws(StorageError) {
        if try ledger.userRecord(of: owner) != nil {
            var item = ChangeItemRecord(about: user)
            item.follow = record
            item.followRelation = FollowRelation(mine: record != nil, theirs: isReturned)
            try ledger.notify(owner, .followingChanged, item)
        }
        guard try ledger.userRecord(of: user) != nil else { return }
        var item = ChangeItemRecord(about: owner)
        item.follow = record
        item.follow?.userID = owner.text
        item.followRelation = FollowRelation(mine: isReturned, theirs: record != nil)
        try ledger.notify(user, .followersChanged, item)
    }

    private static func list(
        _ list: FollowList, at timeMs: Int64, _ user: UserID, in partition: Partition,
        _ ledger: Ledger
    ) throws(StorageError) {
        try Tables.followsByTime.set(
            EmptyRecord(), at: partition, ListedFollow(list, timeMs: timeMs, user: user),
            in: ledger.transaction)
    }

    private static func unlist(
        _ list: FollowList, at timeMs: Int64, _ user: UserID, in partition: Partition,
        _ ledger: Ledger
    ) {
        Tables.followsByTime.remove(
            partition, ListedFollow(list, timeMs: timeMs, user: user), in: ledger.transaction)
    }

    // MARK: Counts

    static func counts(
        of user: UserID, in ledger: Ledger
    ) throws(StorageError) -> FollowCountRecord {
        try Tables.followCounts.record(
            ledger.partition(of: user), OnlyKey(), in: ledger.transaction) ?? FollowCountRecord()
    }

    private static func changeCounts(
        of user: UserID, in ledger: Ledger, _ change: (inout FollowCountRecord) -> Void
    ) throws(StorageError) {
        var record = try counts(of: user, in: ledger)
        change(&record)
        try setCounts(record, of: user, in: ledger)
    }

    static func setCounts(
        _ record: FollowCountRecord, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: user)
        if record == FollowCountRecord() {
            Tables.followCounts.remove(partition, OnlyKey(), in: ledger.transaction)
        } else {
            try Tables.followCounts.set(record, at: partition, OnlyKey(), in: ledger.transaction)
        }
    }

    private static func record(
        from owner: UserID, to user: UserID, in ledger: Ledger
    ) throws(StorageError) -> FollowRecord? {
        try Tables.follows.record(ledger.partition(of: owner), user, in: ledger.transaction)
    }
}

// MARK: Keys

extension Follows {
    /// Adds the rows that follows of `users` by `owner` read.
    package static func keysForFollowing(
        _ users: [UserID], by owner: UserID, app: App, into keys: inout KeyList
    ) {
        let mine = app.partition(of: owner)
        for user in users {
            keys.addPossible { keys in
                Tables.blacklist.add(mine, user, to: &keys)
                Tables.blacklist.add(app.partition(of: user), owner, to: &keys)
            }
        }
        keysForUnfollowing(users, by: owner, app: app, into: &keys)
    }

    /// Adds the rows that ending follows of `users` by `owner` reads.
    package static func keysForUnfollowing(
        _ users: [UserID], by owner: UserID, app: App, into keys: inout KeyList
    ) {
        let mine = app.partition(of: owner)
        Feed.addState(of: app, to: &keys)
        Tables.followCounts.add(mine, OnlyKey(), to: &keys)
        for user in users {
            Accounts.keysForNaming(user, app: app, into: &keys)
            keysForPair(owner, user, app: app, into: &keys)
            Tables.followCounts.add(app.partition(of: user), OnlyKey(), to: &keys)
        }
    }

    /// Adds the rows that the end of follows between two users reads, if there are any.
    static func keysForEnding(
        between one: UserID, _ other: UserID, app: App, into keys: inout KeyList
    ) {
        keys.addPossible { keys in
            keysForPair(one, other, app: app, into: &keys)
            Tables.followCounts.add(app.partition(of: one), OnlyKey(), to: &keys)
            Tables.followCounts.add(app.partition(of: other), OnlyKey(), to: &keys)
        }
    }

    /// Adds the rows of the follows between two users.
    static func keysForPair(
        _ one: UserID, _ other: UserID, app: App, into keys: inout KeyList
    ) {
        Tables.follows.add(app.partition(of: one), other, to: &keys)
        Tables.follows.add(app.partition(of: other), one, to: &keys)
    }
}

extension FollowRelation {
    package init(mine: Bool, theirs: Bool) {
        switch (mine, theirs) {
        case (false, false): self = .none
        case (true, false): self = .following
        case (false, true): self = .followedBy
        case (true, true): self = .mutual
        }
    }
}

extension UInt32 {
    /// Counts one less; a count that was wrong before stays at 0, and a check finds it.
    fileprivate mutating func decrease() {
        if self > 0 { self -= 1 }
    }
}
