package import RelationModel
import Storage

/// Imports follows from another system: blacklists and suspensions do not hinder it.
package enum FollowImport {
    /// One row of an import.
    package struct Row: Equatable {
        /// The follower.
        package let owner: UserID
        package let user: UserID
        /// When the follow began; nil means now.
        package var followTimeMs: Int64?

        package init(owner: UserID, user: UserID, followTimeMs: Int64? = nil) {
            self.owner = owner
            self.user = user
            self.followTimeMs = followTimeMs
        }
    }

    /// Writes the follow of `user` by `owner`.
    ///
    /// - Parameter notify: Whether both users get events for this row alone.
    /// - Returns: ``FollowStatus/success``, which says whether the follow is new, or the first of
    ///   these that applies: ``FollowStatus/invalidParameter`` if the two are the same user,
    ///   ``FollowStatus/accountNotFound``, ``FollowStatus/followingFull``,
    ///   ``FollowStatus/followersFull``, ``FollowStatus/selfMutualFull``,
    ///   ``FollowStatus/theirMutualFull``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func write(
        _ row: Row, notify: Bool, in ledger: Ledger
    ) throws(StorageError) -> FollowOutcome {
        let (owner, user) = (row.owner, row.user)
        guard owner != user else {
            return Outcome(.invalidParameter, Reason.ListImport.oneself)
        }
        guard try Accounts.ensureExists(owner, in: ledger),
            try Accounts.ensureExists(user, in: ledger)
        else {
            return Outcome(.accountNotFound, Reason.ListImport.accountNotExist)
        }
        guard try Follows.record(from: owner, to: user, in: ledger) == nil else {
            return .unchanged
        }
        var ladder = NoRungs()
        if let full = try FollowRules.refusal(owner, user, noting: &ladder, in: ledger) {
            return Outcome(full.code, reason(of: full.code))
        }
        var record = FollowRecord()
        record.userID = user.text
        record.followTimeMs = row.followTimeMs ?? ledger.now.milliseconds
        try Follows.insert(record, from: owner, to: user, in: ledger)
        if notify {
            ledger.endEvent(of: .followingChanged, for: owner)
            ledger.endEvent(of: .followersChanged, for: user)
        }
        return .success
    }

    /// The reason of a limit that a row exceeds.
    private static func reason(of code: FollowStatus) -> Reason {
        switch code {
        case .followingFull: Reason.ListImport.followingFull
        case .followersFull: Reason.ListImport.followersFull
        case .selfMutualFull: Reason.ListImport.selfMutualFull
        default: Reason.ListImport.theirMutualFull
        }
    }

    /// Adds the rows that importing `row` reads, so that an engine can fetch them at once.
    package static func keys(for row: Row, app: App, into keys: inout KeyList) {
        Accounts.keysForNaming(row.owner, app: app, into: &keys)
        FollowRules.keysForUnfollowing([row.user], by: row.owner, app: app, into: &keys)
    }
}
