package import RelationModel
package import Storage

/// The end of subscriptions whose time is over.
///
/// The time of the end is in the row, and every rule ignores a subscription that has expired. A
/// sweep ends it in the store and tells the subscriber. An index of the app has one row for each
/// user with subscriptions, at the time of the first end or earlier. So a sweep finds the users
/// that are due, and a renewed subscription seldom costs another row.
package enum SubscriptionExpiry {
    /// The users that may have subscriptions that expired, those with the earliest ends first.
    package static func due(
        _ app: App, at now: Timestamp, limit: Int, in transaction: any ReadTransaction
    ) throws(StorageError) -> [TimedUser] {
        let table = Tables.subscriptionEnds
        var due: [TimedUser] = []
        let range = table.rows(of: app.subscriptionEnds, through: now.milliseconds)
        try table.scan(range, limit: limit, in: transaction) { key, _ in
            due.append(key)
            return .more
        }
        return due
    }

    /// The time of the next expiry in `app`, or a little earlier; nil if no user has a
    /// subscription.
    package static func nextDueMs(
        _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64? {
        let table = Tables.subscriptionEnds
        var next: Int64?
        try table.scan(table.all(of: app.subscriptionEnds), limit: 1, in: transaction) {
            key, _ in
            next = key.timeMs
            return .stop
        }
        return next
    }

    /// Ends up to `limit` subscriptions of the app that have expired: one step of the maintenance.
    ///
    /// It acts as a call without a user.
    ///
    /// - Returns: Whether there may be more.
    package static func step(
        _ app: App, at now: Timestamp, limit: Int, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        let users = try due(app, at: now, limit: limit, in: transaction)
        guard !users.isEmpty else { return false }
        let ledger = Ledger(
            app: app, now: now, origin: Origin(user: nil), transaction: transaction)
        var ended = 0
        for key in users where ended < limit {
            if try ledger.head(of: key.user)?.nextSubscriptionEndMs == key.timeMs {
                ended += try endExpired(of: key.user, limit: limit - ended, in: ledger)
            } else {
                // The row holds for no user.
                Tables.subscriptionEnds.remove(app.subscriptionEnds, key, in: transaction)
            }
        }
        try ledger.close()
        return true
    }

    /// Ends up to `limit` subscriptions of `user` that have expired.
    ///
    /// - Returns: The number of subscriptions that ended.
    @discardableResult
    static func endExpired(
        of user: UserID, limit: Int = Limits.rowsPerMaintenanceStep, in ledger: Ledger
    ) throws(StorageError) -> Int {
        let now = ledger.now.milliseconds
        guard let head = try ledger.head(of: user), head.nextSubscriptionEndMs != 0,
            head.nextSubscriptionEndMs <= now
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
        try setNext(of: user, to: next, in: ledger)
        return expired.count
    }

    // MARK: The index

    /// Notes that a subscription of `user` ends at `timeMs`.
    static func noteEnd(
        at timeMs: Int64, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        ledger.noteEnd(at: timeMs)
        guard let known = try ledger.head(of: user)?.nextSubscriptionEndMs,
            known == 0 || timeMs < known
        else { return }
        try setNext(of: user, to: timeMs, in: ledger)
    }

    /// Moves the user's row of the index to `timeMs`; 0 removes it.
    static func setNext(
        of user: UserID, to timeMs: Int64, in ledger: Ledger
    ) throws(StorageError) {
        guard let old = try ledger.head(of: user)?.nextSubscriptionEndMs, old != timeMs else {
            return
        }
        let partition = ledger.app.subscriptionEnds
        let table = Tables.subscriptionEnds
        if old != 0 {
            table.remove(partition, TimedUser(timeMs: old, user: user), in: ledger.transaction)
        }
        if timeMs != 0 {
            try table.set(
                Nothing(), at: partition, TimedUser(timeMs: timeMs, user: user),
                in: ledger.transaction)
        }
        try ledger.changeHead(of: user) { $0.nextSubscriptionEndMs = timeMs }
    }
}
