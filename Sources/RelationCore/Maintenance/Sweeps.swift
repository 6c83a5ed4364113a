package import RelationModel
import Storage

/// The removal of rows that have become old, in small steps.
package enum Sweeps {
    /// Subscriptions that one step ends; each has some six rows on two sides.
    package static let subscriptionsPerStep = Limits.rowsPerMaintenanceStep / 6

    /// Ends the next subscriptions, applications, invitations, suspensions and reports of `app`
    /// whose time is over, in one transaction of few rows.
    ///
    /// - Returns: Whether there may be more.
    package static func end(
        _ app: App, at now: Timestamp, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        // Each application that ends has some eight rows on two sides.
        if try ApplicationExpiry.step(
            app, at: now, limit: Limits.rowsPerMaintenanceStep / 8, in: transaction)
        {
            return true
        }
        if try SubscriptionExpiry.step(
            app, at: now, limit: subscriptionsPerStep, in: transaction)
        {
            return true
        }
        // Each invitation has two rows, and its inviter's list is read to the end.
        if try InvitationExpiry.step(
            app, at: now, limit: Limits.rowsPerMaintenanceStep / 8, in: transaction)
        {
            return true
        }
        // Each suspension has three rows, and changes a user record.
        if try SuspensionExpiry.step(
            app, at: now, limit: Limits.rowsPerMaintenanceStep / 4, in: transaction)
        {
            return true
        }
        // Each report has three rows, and changes a user record and the count.
        return try ReportExpiry.step(
            app, at: now, limit: Limits.rowsPerMaintenanceStep / 5, in: transaction)
    }

    /// The time at which ``end(_:at:in:)`` has something to do again, or a little earlier; nil if
    /// nothing in the app has an end.
    package static func nextEndMs(
        _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64? {
        let ends = [
            try SubscriptionExpiry.nextDueMs(app, in: transaction),
            try ApplicationExpiry.nextDueMs(app, in: transaction),
            try InvitationExpiry.nextDueMs(app, in: transaction),
            try SuspensionExpiry.nextDueMs(app, in: transaction),
            try ReportExpiry.nextDueMs(app, in: transaction),
        ]
        return ends.compactMap(\.self).min()
    }

    /// Ends or removes the next rows of `app` that have become old, in one transaction of few rows.
    ///
    /// - Parameter lastImport: The import after which the search for old imports goes on; nil
    ///   begins it again. The step moves it.
    /// - Returns: Whether there may be more.
    package static func step(
        _ app: App, at now: Timestamp, lastImport: inout ImportKey?,
        in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        let limit = Limits.rowsPerMaintenanceStep
        if try end(app, at: now, in: transaction) { return true }
        if try FoundNames.step(app, at: now, in: transaction) { return true }
        if try forgetDeletions(app, now, limit, transaction) { return true }
        if try forgetImports(app, now, limit, &lastImport, transaction) { return true }
        // Each entry has up to five rows.
        if try HistoryLog.trim(app, at: now, limit: limit / 5, in: transaction) { return true }
        return try Retention.step(app, at: now, limit: limit, in: transaction)
    }

    /// Deletions are numbered in the order in which they began, so the old ones come first.
    private static func forgetDeletions(
        _ app: App, _ now: Timestamp, _ limit: Int, _ transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        let table = Tables.deletions
        let horizon = now.milliseconds - Limits.deletionRecordMilliseconds
        var old: [UInt64] = []
        try table.scan(table.all(of: app.maintenance), limit: limit, in: transaction) {
            number, bytes in
            guard let record = table.decode(bytes, in: transaction.arena),
                record.state == .done, record.finishedMs < horizon
            else { return .stop }
            old.append(number)
            return .more
        }
        for number in old { table.remove(app.maintenance, number, in: transaction) }
        return old.count == limit
    }

    /// Reads a bounded number of imports after `last`; the next search reads those after them, and
    /// after the last import at the first again.
    private static func forgetImports(
        _ app: App, _ now: Timestamp, _ limit: Int, _ last: inout ImportKey?,
        _ transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        let table = Tables.imports
        var old: [ImportKey] = []
        var next: ImportKey?
        var seen = 0
        let range =
            last.map { table.rows(of: app.maintenance, after: $0) }
            ?? table.all(of: app.maintenance)
        try table.scan(range, limit: Limits.importsPerSweep, in: transaction) { key, bytes in
            (next, seen) = (key, seen + 1)
            guard let record = table.decode(bytes, in: transaction.arena) else { return .more }
            if Imports.isOver(record, at: now) { old.append(key) }
            return old.count < limit ? .more : .stop
        }
        let hasMore = seen == Limits.importsPerSweep || old.count == limit
        last = hasMore ? next : nil
        for key in old { table.remove(app.maintenance, key, in: transaction) }
        return old.count == limit
    }
}
