package import RelationCore
package import RelationModel
import Storage

extension World {
    /// Suspends `user`, until `endMs` if that is not 0.
    package func suspend(
        _ user: UserID, _ level: SuspensionLevel, until endMs: Int64 = 0, reason: String = "",
        limit: Int = Limits.suspensions
    ) throws(StorageError) -> FriendOutcome {
        var record = SuspensionRecord()
        record.level = level
        record.endTimeMs = endMs
        record.reasonText = reason
        return try call(by: nil) { (ledger) throws(StorageError) in
            try Suspensions.suspend(user, record, in: ledger, limit: limit)
        }
    }

    package func reinstate(_ user: UserID) throws(StorageError) -> FriendOutcome {
        try call(by: nil) { (ledger) throws(StorageError) in
            try Suspensions.reinstate(user, in: ledger)
        }
    }

    /// A page of the suspensions that hold, and the user after which the next one begins.
    package func suspensions(
        after user: UserID? = nil, limit: Int = .max - 1
    ) throws(StorageError) -> (rows: [Suspensions.Listed], next: UserID?) {
        try read { (transaction) throws(StorageError) in
            try Suspensions.page(of: app, after: user, limit: limit, at: now, in: transaction)
        }
    }

    package func suspensionCount() throws(StorageError) -> Int64 {
        try read { (transaction) throws(StorageError) in
            try Suspensions.count(of: app, in: transaction)
        }
    }

    /// Removes the suspensions that have ended, in steps of `limit`, and returns the number of
    /// steps.
    package func removeSuspensions(limit: Int = 100) throws(StorageError) -> Int {
        var steps = 0
        while true {
            let more = try commit { (transaction) throws(StorageError) in
                try SuspensionExpiry.step(app, at: now, limit: limit, in: transaction)
            }
            guard more else { return steps }
            steps += 1
        }
    }
}
