package import RelationModel
import Storage

extension SendRules {
    /// Says why `sender` may send to `receiver`, or may not: the rule runs with a recorder, and the
    /// rows at which it looked are read for their versions.
    ///
    /// Everything is of the moment of `transaction`, the settings of the app too.
    ///
    /// - Parameter receiver: Nil for a malformed id.
    /// - Returns: The answer of ``check(from:to:at:app:reveals:in:)`` with its rungs. A sender that
    ///   is not an account has ``Answer/noAccount``.
    package static func explain(
        from sender: UserID, to receiver: UserID?, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Explanation<Answer> {
        let rows = try RungRows(of: sender, and: receiver, at: now, app: app, in: transaction)
        var ladder = NotedRungs()
        var answer = Answer.noAccount
        _ = try check(
            from: sender, to: [receiver], at: now, app: rows.app, reveals: true, noting: &ladder,
            in: transaction
        ) { answer = $0 }
        return try rows.explanation(of: answer, by: ladder)
    }
}
