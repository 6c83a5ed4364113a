package import RelationModel
import Storage

extension Blacklist {
    /// Says what becomes of an attempt of `owner` to block `user`: the rule runs with a recorder up
    /// to its first write, and the rows at which it looked are read for their versions.
    ///
    /// Everything is of the moment of `transaction`, the settings of the app too. A hook is named,
    /// and is not called.
    ///
    /// - Parameters:
    ///   - user: Nil for a malformed id.
    ///   - isOwn: Whether `owner` calls with a credential of its own. An administrator does
    ///     otherwise.
    /// - Returns: The answer of ``add(_:to:in:)`` with its rungs. An owner that is not an account
    ///   has ``FriendStatus/accountNotFound``, and one that is suspended
    ///   ``FriendStatus/addRestricted``.
    package static func explainAdd(
        _ user: UserID?, to owner: UserID, isOwn: Bool, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Explanation<FriendOutcome> {
        var rows = try RungRows(of: owner, and: user, at: now, app: app, in: transaction)
        rows.question = .addToBlacklist
        let ledger = rows.ledger
        var ladder = NotedRungs()
        let outcome: FriendOutcome
        switch try ladder.admits(
            owner, to: .write, user, isAdmin: !isOwn, asking: rows.hook != nil, in: ledger)
        {
        case .isUnknown: outcome = Outcome(.accountNotFound, Reason.BlacklistAdd.accountNotExist)
        case .isSuspended: outcome = Outcome(.addRestricted, Reason.Suspended.blacklistAddOneself)
        case .isMalformed: outcome = Outcome(.invalidParameter, Reason.BlacklistAdd.userIDIllegal)
        case .goesOn(let user): outcome = try add(user, to: owner, noting: &ladder, in: ledger)
        }
        return try rows.explanation(of: outcome, by: ladder)
    }
}
