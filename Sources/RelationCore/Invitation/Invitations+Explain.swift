package import RelationModel
import Storage

extension Invitations {
    /// The answer of a use of an invitation, as its explanation has it.
    package struct ExplainedUse: Sendable {
        package let explanation: Explanation<FriendOutcome>
        /// The inviter of an invitation that may be used.
        package let inviter: UserID?
    }

    /// Says what becomes of an attempt of `user` to use the invitation `id`.
    ///
    /// The rule runs with a recorder up to its first write, and the rows at which it looked are
    /// read for their versions.
    ///
    /// Everything is of the moment of `transaction`, the settings of the app too. The use has no
    /// texts.
    ///
    /// - Parameter isOwn: Whether `user` calls with a credential of its own. The app does
    ///   otherwise.
    /// - Returns: The answer of ``accept(_:by:in:found:)`` with its rungs. A user that is not an
    ///   account has ``FriendStatus/accountNotFound``, and one that is suspended
    ///   ``FriendStatus/addRestricted``.
    package static func explain(
        _ id: InvitationID, by user: UserID, isOwn: Bool, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> ExplainedUse {
        let owner = try owner(of: id, app: app, in: transaction)
        var rows = try RungRows(of: user, and: owner, at: now, app: app, in: transaction)
        rows.invitation = id
        let ledger = rows.ledger
        if isOwn { ledger.blocks = .last }
        var ladder = NotedRungs()
        var inviter: UserID?
        let outcome: FriendOutcome
        switch try ladder.admits(user, to: .reach, isAdmin: !isOwn, in: ledger) {
        case .isUnknown: outcome = Outcome(.accountNotFound, Reason.Suspended.invitationUserUnknown)
        case .isSuspended: outcome = Outcome(.addRestricted, Reason.Suspended.invitationUser)
        case .goesOn:
            var values = FriendValues()
            values.groups = []
            outcome = try accept(
                Acceptance(id, values), by: user, noting: &ladder, in: ledger
            ) { inviter = $0 }
        }
        return ExplainedUse(
            explanation: try rows.explanation(of: outcome, by: ladder), inviter: inviter)
    }
}
