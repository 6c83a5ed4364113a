package import RelationModel
import Storage

extension ApplicationRules {
    /// Says what becomes of an answer of `responder` to an application of `applicant`.
    ///
    /// The rule runs with a recorder up to its first write, and the rows at which it looked are
    /// read for their versions.
    ///
    /// Everything is of the moment of `transaction`, the settings of the app too. The answer has no
    /// texts, groups and custom values. A hook is named, and is not called.
    ///
    /// - Parameters:
    ///   - applicant: Nil for a malformed id.
    ///   - id: The id of the application that is meant; empty for whichever waits.
    ///   - isOwn: Whether `responder` calls with a credential of its own. An administrator does
    ///     otherwise.
    /// - Returns: The answer of ``respond(_:of:in:)`` with its rungs. A responder that is not an
    ///   account has ``FriendStatus/accountNotFound``, and one that is suspended
    ///   ``FriendStatus/addRestricted``.
    package static func explainResponse(
        _ type: FriendResponseType, to applicant: UserID?, id: String, of responder: UserID,
        isOwn: Bool, at now: Timestamp, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Explanation<FriendOutcome> {
        var rows = try RungRows(of: responder, and: applicant, at: now, app: app, in: transaction)
        rows.question = .respondToApplications
        let ledger = rows.ledger
        var ladder = NotedRungs()
        let outcome: FriendOutcome
        switch try ladder.admits(
            responder, to: .write, applicant, isAdmin: !isOwn, asking: rows.hook != nil,
            in: ledger)
        {
        case .isUnknown:
            outcome = Outcome(.accountNotFound, Reason.FriendResponse.accountNotExist)
        case .isSuspended:
            outcome = Outcome(.addRestricted, Reason.Suspended.friendResponseOneself)
        case .isMalformed:
            outcome = Outcome(.invalidParameter, Reason.FriendResponse.userIDIllegal)
        case .goesOn(let applicant):
            var answer = Answer(to: applicant, type)
            answer.applicationID = id
            outcome = try respond(answer, of: responder, noting: &ladder, in: ledger)
        }
        return try rows.explanation(of: outcome, by: ladder)
    }
}
