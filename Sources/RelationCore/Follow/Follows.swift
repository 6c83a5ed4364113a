package import RelationModel
import Storage

/// The rows of follows, their indexes and their counts.
///
/// A follow is a row of the follower. Both users have it in an index by time, and so have both in
/// another one while each follows the other. The indexes are counted. So no rule walks over
/// followers, however many a user has.
package enum Follows {
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
            try ledger.changeUserRecord(of: owner) { $0.followingCount.decrease() }
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
        // Most users follow no one, and the user record says so without a read.
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

    static func changeCounts(
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

    static func record(
        from owner: UserID, to user: UserID, in ledger: Ledger
    ) throws(StorageError) -> FollowRecord? {
        try Tables.follows.record(ledger.partition(of: owner), user, in: ledger.transaction)
    }
}

// MARK: Keys

extension Follows {
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
