package import RelationCore
package import RelationModel
import Storage

extension World {
    /// Writes fields of a profile as its user does, or as an administrator whose values
    /// are not reviewed.
    package func write(
        _ user: UserID, _ fields: [ProfileField], customKeys: [String] = [],
        asAdministrator: Bool = false, _ edit: (inout ProfileRecord) -> Void
    ) throws(StorageError) -> Profiles.Result {
        var values = ProfileRecord()
        edit(&values)
        return try call(by: user) { (ledger) throws(StorageError) in
            try Profiles.update(
                user, values, fields: fields, customKeys: customKeys, expectedVersion: nil,
                isReviewed: !asAdministrator, in: ledger)
        }
    }

    package func decide(
        _ number: UInt64, approve: Bool, reason: String = ""
    ) throws(StorageError) -> FriendOutcome {
        var verdict = Reviews.Verdict(number, isApproved: approve)
        verdict.reasonText = reason
        return try call(by: nil) { (ledger) throws(StorageError) in
            try Reviews.decide(verdict, in: ledger)
        }
    }

    /// The reviews of a user's profile, or of all, the one that waits longest first.
    package func reviews(
        of user: UserID? = nil, after number: UInt64 = 0, limit: Int = 1_000
    ) throws(StorageError) -> (rows: [ReviewRecord], next: UInt64?) {
        try read { (transaction) throws(StorageError) in
            try Reviews.page(
                of: user, after: number, limit: limit, rowsPerRead: 100, app: app,
                in: transaction)
        }
    }

    package func reviewCounts() throws(StorageError) -> ReviewsRecord {
        try read { (transaction) throws(StorageError) in
            try Reviews.summary(of: app, in: transaction)
        }
    }
}
