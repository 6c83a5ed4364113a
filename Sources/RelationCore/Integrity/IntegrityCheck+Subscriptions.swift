import RelationModel
import Storage

extension IntegrityCheck {
    /// Checks the subscriptions of the user and those to it: each row with its indexes, its other
    /// side and its counters.
    mutating func checkSubscriptions() throws(StorageError) {
        let rows = try rows(of: Tables.subscriptions)
        try checkIndex(
            Tables.subscriptionsByEnd, "subscriptions_by_end",
            rows.map {
                SubscriptionEnd($0.key.type, timeMs: $0.record.expireTimeMs, user: $0.key.user)
            })
        checkCount(
            "online_subscription_count", \.onlineSubscriptionCount,
            rows.count { $0.key.type == .onlineStatus })
        checkCount(
            "profile_subscription_count", \.profileSubscriptionCount,
            rows.count { $0.key.type == .userProfile })
        try checkNextEnd(rows.map(\.record.expireTimeMs).min())
        for row in rows { try checkFollowed(row.key, until: row.record.expireTimeMs) }
        try checkSubscribers()
    }

    /// Checks that the index of the app names the user at the time of its first end, or earlier.
    private mutating func checkNextEnd(_ firstMs: Int64?) throws(StorageError) {
        let user = user
        let known = userRecord.nextSubscriptionEndMs
        let isIndexed = try Tables.subscriptionEnds.contains(
            app.subscriptionEnds, TimedUser(timeMs: known, user: user), in: transaction)
        guard (known == 0 || isIndexed) && (firstMs.map { known != 0 && known <= $0 } ?? true)
        else {
            let next = firstMs ?? 0
            return note(.rowWithoutIndex, "subscription_ends") { (ledger) throws(StorageError) in
                try EndIndex.subscriptions.move(user, to: 0, in: ledger)
                try EndIndex.subscriptions.move(user, to: next, in: ledger)
            }
        }
    }

    /// Checks that the other user has this user in its index; if it is not an account, the
    /// subscription is an error.
    private mutating func checkFollowed(
        _ key: SubscriptionKey, until expireMs: Int64
    ) throws(StorageError) {
        let user = user
        if try isUnknown(key.user) {
            return note(.halfPair, "subscriptions", key.user) {
                (ledger) throws(StorageError) in
                _ = try Subscriptions.end(key, of: user, .subscriptionChanged, in: ledger)
            }
        }
        let end = SubscriptionEnd(key.type, timeMs: expireMs, user: user)
        let theirs = app.partition(of: key.user)
        guard try !Tables.subscribers.contains(theirs, end, in: transaction) else { return }
        note(.rowWithoutIndex, "subscribers", key.user) { (ledger) throws(StorageError) in
            try Tables.subscribers.set(EmptyRecord(), at: theirs, end, in: ledger.transaction)
            try Subscriptions.recount(key.user, in: ledger)
        }
    }

    /// Checks that each user in the index subscribes until the time given there, and that
    /// their number equals the count.
    private mutating func checkSubscribers() throws(StorageError) {
        let (user, partition) = (user, partition)
        var count = SubscriberCountRecord()
        for end in try rows(of: Tables.subscribers).map(\.key) {
            count[end.type] += 1
            let record = try Tables.subscriptions.record(
                app.partition(of: end.user), SubscriptionKey(end.type, user), in: transaction)
            guard record?.expireTimeMs != end.timeMs else { continue }
            note(.indexWithoutRow, "subscribers", end.user) { (ledger) throws(StorageError) in
                Tables.subscribers.remove(partition, end, in: ledger.transaction)
                try Subscriptions.recount(user, in: ledger)
            }
        }
        let known = try Tables.subscriberCounts.record(partition, OnlyKey(), in: transaction)
        guard known ?? SubscriberCountRecord() != count else { return }
        note(.wrongCounter, "subscriber_count") { (ledger) throws(StorageError) in
            try Subscriptions.recount(user, in: ledger)
        }
    }
}

extension Subscriptions {
    /// Counts the subscribers of `user` again.
    fileprivate static func recount(
        _ user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        var count = SubscriberCountRecord()
        let table = Tables.subscribers
        let partition = ledger.partition(of: user)
        try table.scan(table.all(of: partition), limit: .max, in: ledger.transaction) { end, _ in
            count[end.type] += 1
            return .more
        }
        try setSubscriberCount(count, of: user, in: ledger)
    }
}
