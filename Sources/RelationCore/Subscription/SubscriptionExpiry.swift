package import RelationModel
import Storage

/// The end of subscriptions whose time is over.
///
/// The time of the end is in the row, and every rule ignores a subscription that has expired. A
/// sweep ends it in the store and notifies the subscriber. It finds the users that are due by
/// ``EndIndex/subscriptions``.
package enum SubscriptionExpiry {
    private static let index = EndIndex.subscriptions

    /// The time of the next expiry in `app`, or a little earlier; nil if no user has a
    /// subscription.
    package static func nextDueMs(
        _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64? {
        try index.firstMs(of: app, in: transaction)
    }

    /// Ends up to `limit` subscriptions of the app that have expired: one step of the maintenance.
    ///
    /// - Returns: Whether there may be more.
    package static func step(
        _ app: App, at now: Timestamp, limit: Int, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        let due = try index.rows(
            of: app, through: now.milliseconds, limit: limit, in: transaction)
        return try index.step(
            due, of: app, at: now, limit: limit, in: transaction, end: endExpired)
    }

    /// Ends up to `limit` subscriptions of `user` that have expired.
    ///
    /// - Returns: The number of subscriptions that ended.
    @discardableResult
    static func endExpired(
        of user: UserID, limit: Int = Limits.rowsPerMaintenanceStep, in ledger: Ledger
    ) throws(StorageError) -> Int {
        let now = ledger.now.milliseconds
        guard let userRecord = try ledger.userRecord(of: user),
            userRecord.nextSubscriptionEndMs != 0,
            userRecord.nextSubscriptionEndMs <= now
        else { return 0 }
        var expired: [SubscriptionKey] = []
        var next: Int64 = 0
        var keys = KeyList()
        let partition = ledger.partition(of: user)
        let table = Tables.subscriptionsByEnd
        for type in SubscribeType.stored {
            let range = table.rows(of: partition, type)
            try table.scan(range, limit: limit - expired.count + 1, in: ledger.transaction) {
                end, _ in
                guard end.timeMs <= now, expired.count < limit else {
                    next = next == 0 ? end.timeMs : min(next, end.timeMs)
                    return .stop
                }
                let key = SubscriptionKey(type, end.user)
                expired.append(key)
                Tables.subscriptions.add(partition, key, to: &keys)
                Subscriptions.keysForDropping(
                    SubscriptionEnd(type, timeMs: end.timeMs, user: user), of: end.user,
                    app: ledger.app, into: &keys)
                return .more
            }
        }
        try ledger.fetch(keys)
        for key in expired {
            _ = try Subscriptions.end(key, of: user, .subscriptionExpired, in: ledger)
        }
        try index.move(user, to: next, in: ledger)
        return expired.count
    }

    // MARK: The index

    /// Notes that a subscription of `user` ends at `timeMs`.
    static func noteEnd(
        at timeMs: Int64, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        ledger.noteEnd(at: timeMs)
        try index.bringForward(user, to: timeMs, in: ledger)
    }
}
