import RelationModel
import Storage

extension IntegrityCheck {
    /// Checks the dismissals of the user: each row with its index, and the count.
    ///
    /// Any number of others may have dismissed the user: ``MentionsCheck`` looks at them.
    mutating func checkDismissals() throws(StorageError) {
        let user = user
        let rows = try rows(of: Tables.dismissals).map(\.key)
        checkCount("dismissal_count", \.dismissalCount, rows.count)
        for other in rows {
            if try isUnknown(other) {
                note(.halfPair, "dismissals", other) { (ledger) throws(StorageError) in
                    try Dismissals.remove(other, of: user, in: ledger)
                }
                continue
            }
            let theirs = app.partition(of: other)
            guard try !Tables.dismissers.contains(theirs, user, in: transaction) else { continue }
            noteMissing(in: Tables.dismissers, "dismissers", user, at: theirs, other)
        }
    }
}
