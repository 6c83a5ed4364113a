package import RelationModel
import Storage

/// Rules over follows: which users follow which, until they unfollow.
package enum FollowRules {
    /// Lets `owner` follow `user`.
    ///
    /// It changes nothing if `owner` follows `user` already, and no limit is looked at then.
    ///
    /// - Returns: ``FollowStatus/success``, or the first of these that applies:
    ///   ``FollowStatus/invalidParameter`` if the two are the same user,
    ///   ``FollowStatus/accountNotFound``, ``FollowStatus/addRestricted`` if the user is suspended,
    ///   ``FollowStatus/inSelfBlacklist``, ``FollowStatus/inOtherSideBlacklist``,
    ///   ``FollowStatus/followingFull``, ``FollowStatus/followersFull``,
    ///   ``FollowStatus/selfMutualFull``, ``FollowStatus/theirMutualFull``.
    ///
    ///   ``Ledger/blocks`` moves ``FollowStatus/inOtherSideBlacklist`` after all others, or takes
    ///   it out.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func follow(
        _ owner: UserID, _ user: UserID, in ledger: Ledger
    ) throws(StorageError) -> FollowOutcome {
        var ladder = NoRungs()
        return try follow(owner, user, noting: &ladder, in: ledger)
    }

    /// ``follow(_:_:in:)``, which notes its rungs, and writes only if `ladder` lets it.
    static func follow(
        _ owner: UserID, _ user: UserID, noting ladder: inout some RungRecorder, in ledger: Ledger
    ) throws(StorageError) -> FollowOutcome {
        guard ladder.passes(.otherUser, user != owner) else {
            return Outcome(.invalidParameter, Reason.FollowAdd.oneself)
        }
        guard try ladder.passes(.peerAccount, Accounts.ensureExists(user, in: ledger)) else {
            return Outcome(.accountNotFound, Reason.FollowAdd.accountNotExist)
        }
        guard try ladder.passes(.peerSuspension, !Suspensions.isShielded(user, in: ledger)) else {
            return Outcome(.addRestricted, Reason.Suspended.followAdd)
        }
        guard try ladder.passes(.ownBlacklist, !Blacklist.contains(user, of: owner, in: ledger))
        else { return Outcome(.inSelfBlacklist, Reason.FollowAdd.inSelfBlacklist) }
        let isBlocked = try Blacklist.contains(owner, of: user, in: ledger)
        guard ladder.passes(block: isBlocked, .first, in: ledger) else { return .followBlocked }
        let isMissing = try Follows.record(from: owner, to: user, in: ledger) == nil
        guard ladder.passes(.missingFollow, isMissing) else { return .unchanged }
        if let refusal = try refusal(owner, user, noting: &ladder, in: ledger) { return refusal }
        guard ladder.passes(block: isBlocked, .last, in: ledger) else { return .followBlocked }
        guard ladder.reachesWrite() else { return .success }
        var record = FollowRecord()
        record.userID = user.text
        record.followTimeMs = ledger.now.milliseconds
        try Follows.insert(record, from: owner, to: user, in: ledger)
        return .success
    }

    /// The limit that a follow would exceed that comes back; nil if there is none.
    ///
    /// - Parameter isReturned: Whether that of the other user comes back too.
    static func refusal(
        _ owner: UserID, _ user: UserID, isReturned: Bool, in ledger: Ledger
    ) throws(StorageError) -> FollowOutcome? {
        var ladder = NoRungs()
        return try refusal(
            owner, user, isReturned: isReturned, noting: &ladder, in: ledger)
    }

    /// The limit that a new follow would exceed; nil if there is none.
    static func refusal(
        _ owner: UserID, _ user: UserID, isReturned: Bool = false,
        noting ladder: inout some RungRecorder, in ledger: Ledger
    ) throws(StorageError) -> FollowOutcome? {
        let limits = ledger.limits
        let followings = try Int(ledger.userRecord(of: owner)?.followingCount ?? 0)
        guard ladder.passes(.ownFollowingRoom, followings < limits.followings) else {
            return Outcome(.followingFull, Reason.FollowAdd.followingFull)
        }
        let theirs = try Follows.counts(of: user, in: ledger)
        if limits.followers > 0,
            !ladder.passes(.peerFollowerRoom, Int(theirs.followers) < limits.followers)
        {
            return Outcome(.followersFull, Reason.FollowAdd.followersFull)
        }
        guard limits.mutualFollows > 0 else { return nil }
        let isMutual =
            isReturned ? true : try Follows.record(from: user, to: owner, in: ledger) != nil
        guard isMutual else { return nil }
        let mine = try Follows.counts(of: owner, in: ledger)
        guard ladder.passes(.ownMutualRoom, Int(mine.mutual) < limits.mutualFollows) else {
            return Outcome(.selfMutualFull, Reason.FollowAdd.selfMutualFull)
        }
        guard ladder.passes(.peerMutualRoom, Int(theirs.mutual) < limits.mutualFollows) else {
            return Outcome(.theirMutualFull, Reason.FollowAdd.theirMutualFull)
        }
        return nil
    }

    /// Ends the follow of `user` by `owner`; it is not an error if there is none.
    ///
    /// - Returns: ``FollowStatus/success``, or the first of these that applies:
    ///   ``FollowStatus/invalidParameter`` if the two are the same user,
    ///   ``FollowStatus/accountNotFound``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func unfollow(
        _ owner: UserID, _ user: UserID, in ledger: Ledger
    ) throws(StorageError) -> FollowOutcome {
        guard user != owner else {
            return Outcome(.invalidParameter, Reason.FollowDelete.oneself)
        }
        guard try Accounts.ensureExists(user, in: ledger) else {
            return Outcome(.accountNotFound, Reason.FollowDelete.accountNotExist)
        }
        return .done(changing: try Follows.end(from: owner, to: user, in: ledger))
    }

    // MARK: Keys

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
            Follows.keysForPair(owner, user, app: app, into: &keys)
            Tables.followCounts.add(app.partition(of: user), OnlyKey(), to: &keys)
        }
    }
}
