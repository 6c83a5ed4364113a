package import RelationModel
import Storage

extension FriendRules {
    /// Says what becomes of an attempt of `owner` to add `other`: the rule runs with a recorder up
    /// to its first write, and the rows at which it looked are read for their versions.
    ///
    /// Everything is of the moment of `transaction`, the settings of the app too. The addition has
    /// no texts, groups and custom values. A hook is named, and is not called.
    ///
    /// - Parameters:
    ///   - other: Nil for a malformed id.
    ///   - isOwn: Whether `owner` calls with a credential of its own. The app does otherwise.
    /// - Returns: The answer of ``add(_:to:_:force:in:)`` with its rungs. An owner that
    ///   is not an account has ``FriendStatus/accountNotFound``, and one that is suspended
    ///   ``FriendStatus/addRestricted``.
    package static func explainAdd(
        _ other: UserID?, to owner: UserID, _ type: AddType, force: Bool, isOwn: Bool,
        at now: Timestamp, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Explanation<FriendOutcome> {
        var rows = try RungRows(of: owner, and: other, at: now, app: app, in: transaction)
        rows.addType = type
        rows.question = .addFriends
        let ledger = rows.ledger
        if isOwn { ledger.blocks = .last }
        var ladder = NotedRungs()
        let outcome: FriendOutcome
        switch try ladder.admits(
            owner, to: force ? .free : .reach, other, isAdmin: !isOwn, asking: rows.hook != nil,
            in: ledger)
        {
        case .isUnknown: outcome = Outcome(.accountNotFound, Reason.FriendAdd.accountNotExist)
        case .isSuspended: outcome = Outcome(.addRestricted, Reason.Suspended.friendAddOneself)
        case .isMalformed: outcome = Outcome(.invalidParameter, Reason.FriendAdd.userIDIllegal)
        case .goesOn(let other):
            var addition = FriendItem(user: other)
            addition.values.groups = []
            outcome = try add(
                addition, to: owner, type, force: force, noting: &ladder, in: ledger)
        }
        return try rows.explanation(of: outcome, by: ladder)
    }
}
