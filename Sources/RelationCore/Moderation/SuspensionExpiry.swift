package import RelationModel
import Storage

/// The removal of suspensions that have ended.
///
/// They count no more from their end on, so no event reports their removal. A sweep finds the users
/// that are due by ``EndIndex/suspensions``.
package enum SuspensionExpiry {
    private static let index = EndIndex.suspensions

    /// The time of the next removal in `app`; nil if no suspension ends by itself.
    package static func nextDueMs(
        _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64? {
        try index.firstMs(of: app, in: transaction)
    }

    /// Removes up to `limit` suspensions of the app that have ended: one step of the maintenance.
    ///
    /// It acts as a call without a user.
    ///
    /// - Returns: Whether there may be more.
    package static func step(
        _ app: App, at now: Timestamp, limit: Int, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        let due = try index.rows(
            of: app, through: now.milliseconds, limit: limit, in: transaction)
        guard !due.isEmpty else { return false }
        let ledger = Ledger(
            app: app, now: now, origin: Origin(user: nil), transaction: transaction)
        for row in due {
            if try index.isCurrent(row, in: ledger) {
                try Suspensions.remove(of: row.user, in: ledger)
            } else {
                index.remove(row, in: ledger)
            }
        }
        try ledger.close()
        return true
    }
}
