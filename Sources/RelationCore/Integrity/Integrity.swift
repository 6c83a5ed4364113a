package import RelationModel
import Storage

/// A check whether the rows of a user fit together, and their repair.
///
/// A check counts and compares. It uses a rule of the service only to end a row that has lost its
/// other side. The repair checks again, in the transaction that repairs.
package enum Integrity {
    /// One error.
    package struct Finding: Hashable {
        package let user: UserID?
        package let fault: IntegrityFault
        package let subject: String
        package let other: UserID?

        package init(
            user: UserID?, fault: IntegrityFault, subject: String, other: UserID? = nil
        ) {
            self.user = user
            self.fault = fault
            self.subject = subject
            self.other = other
        }
    }

    /// The errors in the rows of `user`, but for those about its followers and about other users
    /// that name it; none if it is not an account.
    package static func ownFindings(
        of user: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Finding] {
        var check = IntegrityCheck(user, app, transaction)
        try check.run()
        return check.repairable.map(\.finding)
    }

    /// Repairs the errors in the rows of `user`, but for those about its followers and about other
    /// users that name it, and notifies the user of the changes.
    ///
    /// - Returns: The errors that it repaired.
    package static func repairOwn(
        _ user: UserID, in ledger: Ledger
    ) throws(StorageError) -> [Finding] {
        var check = IntegrityCheck(user, ledger.app, ledger.transaction)
        try check.run()
        for finding in check.repairable { try finding.repair(ledger) }
        let findings = check.repairable.map(\.finding)
        if findings.contains(where: { $0.subject.hasPrefix("friend") }) {
            // Clients may have copied the list while it was wrong.
            _ = try ledger.sequence(of: .listChanged, for: user)
        }
        return findings
    }

    /// Adds the amounts that `users` have, as their user records count them, to `sums`.
    package static func count(
        _ users: [UserID], into sums: inout FeedState, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) {
        var keys = KeyList()
        Accounts.userRecords(of: users, app: app, into: &keys)
        for userRecord in try Tables.userRecords.records(keys, in: transaction) {
            sums.count(userRecord, 1)
        }
    }

    /// The difference between `sums`, which cover all users, and the counts of the app: negative
    /// where the app counts too much; nil if there is none.
    package static func missing(
        from sums: FeedState, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> FeedState? {
        var missing = sums
        missing.subtract(try Feed.state(of: app, in: transaction))
        return missing == FeedState() ? nil : missing
    }

    /// Adds the difference to the counts of the app.
    package static func repairCounts(
        _ missing: FeedState, in ledger: Ledger
    ) throws(StorageError) {
        try ledger.changeFeedState { $0.add(missing) }
    }

    /// The users that have rows, in order of their ids, beginning after `last`.
    ///
    /// It steps from partition to partition, so that it finds users that no list names. It is only
    /// for a store in this process.
    package static func users(
        of app: App, after last: UserID?, limit: Int, in transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        var users: [UserID] = []
        var last = last
        while users.count < limit {
            var found: UserID?
            // The names of the app's own partitions begin with control characters.
            let range = KeyRange(app: app.id, after: last?.text ?? "\u{1F}")
            try transaction.scan(range, .ascending, limit: 1) { key, _ in
                let name = UnsafeRawBufferPointer(rebasing: key[4...]).prefix { $0 != 0 }
                found = UserID(stored: Array(name))
                return .stop
            }
            guard let found else { break }
            users.append(found)
            last = found
        }
        return users
    }
}

extension FeedState {
    /// Subtracts the counts of `other`.
    fileprivate mutating func subtract(_ other: FeedState) {
        accounts -= other.accounts
        friends -= other.friends
        groups -= other.groups
        blacklisted -= other.blacklisted
        comeIn -= other.comeIn
        sendOut -= other.sendOut
        subscriptions -= other.subscriptions
    }
}
