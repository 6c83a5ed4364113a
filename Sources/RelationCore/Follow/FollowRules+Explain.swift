package import RelationModel
import Storage

extension FollowRules {
    /// Says what becomes of an attempt of `owner` to follow `user`: the rule runs with a recorder
    /// up to its first write, and the rows at which it looked are read for their versions.
    ///
    /// Everything is of the moment of `transaction`, the settings of the app too. A hook is named,
    /// and is not called.
    ///
    /// - Parameters:
    ///   - user: Nil for a malformed id.
    ///   - isOwn: Whether `owner` calls with a credential of its own. The app does otherwise.
    /// - Returns: The answer of ``follow(_:_:in:)`` with its rungs. An owner that is not an account
    ///   has ``FollowStatus/accountNotFound``, and one that is suspended
    ///   ``FollowStatus/addRestricted``.
    package static func explain(
        _ owner: UserID, _ user: UserID?, isOwn: Bool, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Explanation<FollowOutcome> {
        var rows = try RungRows(of: owner, and: user, at: now, app: app, in: transaction)
        rows.question = .follow
        let ledger = rows.ledger
        if isOwn { ledger.blocks = .last }
        var ladder = NotedRungs()
        let outcome: FollowOutcome
        switch try ladder.admits(
            owner, to: .reach, user, isAdmin: !isOwn, asking: rows.hook != nil, in: ledger)
        {
        case .isUnknown: outcome = Outcome(.accountNotFound, Reason.FollowAdd.accountNotExist)
        case .isSuspended: outcome = Outcome(.addRestricted, Reason.Suspended.followAddOneself)
        case .isMalformed: outcome = Outcome(.invalidParameter, Reason.FollowAdd.userIDIllegal)
        case .goesOn(let user): outcome = try follow(owner, user, noting: &ladder, in: ledger)
        }
        return try rows.explanation(of: outcome, by: ladder)
    }
}
