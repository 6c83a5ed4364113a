package import RelationModel
import Storage

/// The removal of reports that are older than an app keeps them.
///
/// Numbers grow with the time of the report, so the old ones come first. No event reports it.
package enum ReportExpiry {
    /// The time of the next removal in `app`; nil if there is no report.
    package static func nextDueMs(
        _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64? {
        guard let first = try Reports.firstNumber(of: app, in: transaction) else { return nil }
        let record = try Reports.record(first, of: app, in: transaction)
        return (record?.reportTimeMs ?? 0) + Limits.reportMilliseconds
    }

    /// Removes up to `limit` reports of the app that are too old: one step of the maintenance.
    ///
    /// It acts as a call without a user.
    ///
    /// - Returns: Whether there may be more.
    package static func step(
        _ app: App, at now: Timestamp, limit: Int, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        let ledger = Ledger(
            app: app, now: now, origin: Origin(user: nil), transaction: transaction)
        var removed = 0
        while removed < limit, let first = try Reports.firstNumber(of: app, in: transaction) {
            if let record = try Reports.fetchedRecord(first, in: ledger) {
                guard record.reportTimeMs + Limits.reportMilliseconds <= now.milliseconds else {
                    break
                }
                try Reports.remove(first, record, in: ledger)
            } else {
                // An index entry without a report is an error, and leads to nothing.
                Tables.reportIndex.remove(app.reports, first, in: transaction)
            }
            removed += 1
        }
        guard removed > 0 else { return false }
        try ledger.close()
        return true
    }
}
