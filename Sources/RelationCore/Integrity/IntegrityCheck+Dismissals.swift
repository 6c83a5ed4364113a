import RelationModel
import Storage

extension IntegrityCheck {
    /// Checks the dismissals of the user, and those of the user by others: each row with its index,
    /// and the count.
    ///
    /// The users that have dismissed the user are looked at in batches, because their number has no
    /// bound.
    mutating func checkDismissals() throws(StorageError) {
        let user = user
        let rows = try rows(of: Tables.dismissals).map(\.key)
        checkCount("dismissal_count", \.dismissalCount, rows.count)
        for other in rows {
            if try isNobody(other) {
                note(.halfPair, "dismissals", other) { (ledger) throws(StorageError) in
                    try Dismissals.remove(other, of: user, in: ledger)
                }
                continue
            }
            let theirs = app.partition(of: other)
            guard try !Tables.dismissers.contains(theirs, user, in: transaction) else { continue }
            noteMissing(in: Tables.dismissers, "dismissers", user, at: theirs, other)
        }
        try checkDismissers()
    }

    /// Checks that each user in the index has dismissed this user.
    private mutating func checkDismissers() throws(StorageError) {
        let table = Tables.dismissers
        var last: UserID?
        while true {
            var part: [UserID] = []
            try table.scan(
                table.rows(of: partition, after: last),
                limit: CoreLimits.followersPerCheck, in: transaction
            ) { owner, _ in
                part.append(owner)
                return .more
            }
            guard let end = part.last else { return }
            last = end
            var keys = KeyList()
            for owner in part { Tables.dismissals.add(app.partition(of: owner), user, to: &keys) }
            for (owner, isFound) in zip(part, try keys.found(in: transaction)) where !isFound {
                noteStray(in: table, "dismissers", owner, at: nil, owner)
            }
        }
    }
}
