package import RelationModel
import Storage

/// Rules over subscriptions: which users are notified of changes of which, for a time.
///
/// A subscription is one row of the subscriber. The other user has a row for it in an index, and
/// a count. A subscription that has expired is there until a sweep, or a call that needs its room,
/// ends it; every rule ignores it.
package enum Subscriptions {
    /// Subscribes `owner` to `user` until `expireMs`, or renews its subscription.
    ///
    /// Subscriptions that have expired take no room, and are ended if this one needs it.
    ///
    /// - Returns: ``SubscriptionStatus/success``, or the first of these that applies:
    ///   ``SubscriptionStatus/publisherInvalid`` if the two are the same user,
    ///   ``SubscriptionStatus/accountNotFound``, and unless there is a subscription
    ///   ``SubscriptionStatus/subscriberFull``, ``SubscriptionStatus/publisherFull``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func subscribe(
        _ owner: UserID, to user: UserID, _ type: SubscribeType, until expireMs: Int64,
        in ledger: Ledger
    ) throws(StorageError) -> SubscriptionOutcome {
        guard user != owner else {
            return Outcome(.publisherInvalid, Reason.Subscribe.oneself)
        }
        guard try Accounts.ensureExists(user, in: ledger) else {
            return Outcome(.accountNotFound, Reason.Subscribe.accountNotExist)
        }
        let key = SubscriptionKey(type, user)
        if try present(key, of: owner, in: ledger) == nil {
            // Nothing is ended yet: an item that is refused changes no row.
            guard try hasRoom(owner, type, in: ledger) else {
                return Outcome(.subscriberFull, Reason.Subscribe.subscriberFull)
            }
            guard try hasRoomForSubscriber(user, type, in: ledger) else {
                return Outcome(.publisherFull, Reason.Subscribe.publisherFull)
            }
        }
        // Expired subscriptions end first, so that their event comes before the one of this change.
        try makeRoom(owner, type, in: ledger)
        let old = try Tables.subscriptions.record(
            ledger.partition(of: owner), key, in: ledger.transaction)
        if old == nil { try makeRoomForSubscriber(user, type, in: ledger) }
        var record = SubscriptionRecord()
        record.userID = user.text
        record.subscribeType = type
        record.subscribeTimeMs = ledger.now.milliseconds
        record.expireTimeMs = expireMs
        try write(record, at: key, of: owner, replacing: old, in: ledger)
        return .success
    }

    /// Ends the subscription of `owner` to `user`; it is not an error if there is none.
    ///
    /// It does not check whether `user` is an account.
    ///
    /// - Returns: ``SubscriptionStatus/success``, which says whether there was one, or
    ///   ``SubscriptionStatus/publisherInvalid`` if the two are the same user.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func unsubscribe(
        _ owner: UserID, from user: UserID, _ type: SubscribeType, in ledger: Ledger
    ) throws(StorageError) -> SubscriptionOutcome {
        guard user != owner else {
            return Outcome(.publisherInvalid, Reason.Unsubscribe.oneself)
        }
        let key = SubscriptionKey(type, user)
        guard try present(key, of: owner, in: ledger) != nil else { return .unchanged }
        // Expired subscriptions end first, so that their event comes before the one of this change.
        try SubscriptionExpiry.endExpired(of: owner, in: ledger)
        _ = try end(key, of: owner, .subscriptionChanged, in: ledger)
        return .success
    }

    /// Adds the rows that subscribing `owner` to `users` reads.
    package static func keysForSubscribing(
        _ owner: UserID, to users: [UserID], _ type: SubscribeType, app: App,
        into keys: inout KeyList
    ) {
        for user in users { Accounts.keysForNaming(user, app: app, into: &keys) }
        keysForUnsubscribing(owner, from: users, type, app: app, into: &keys)
    }

    /// Adds the rows that ending the subscriptions of `owner` to `users` reads.
    package static func keysForUnsubscribing(
        _ owner: UserID, from users: [UserID], _ type: SubscribeType, app: App,
        into keys: inout KeyList
    ) {
        let partition = app.partition(of: owner)
        Feed.addState(of: app, to: &keys)
        for user in users {
            Tables.subscriptions.add(partition, SubscriptionKey(type, user), to: &keys)
            Tables.subscriberCounts.add(app.partition(of: user), OnlyKey(), to: &keys)
        }
    }

    // MARK: Reading

    /// The subscription of `owner` to each of `users`; nil if there is none, or if it has expired.
    package static func records(
        of owner: UserID, to users: [UserID], _ type: SubscribeType, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [SubscriptionRecord?] {
        let partition = app.partition(of: owner)
        var keys = KeyList()
        for user in users {
            Tables.subscriptions.add(partition, SubscriptionKey(type, user), to: &keys)
        }
        return try Tables.subscriptions.records(keys, in: transaction).map { record in
            record.flatMap { $0.isExpired(at: now) ? nil : $0 }
        }
    }

    /// Calls `body` with the subscriptions of `owner` after `last`, by type and then by the bytes
    /// of the id, until `body` returns ``ScanStep/stop``.
    ///
    /// - Parameter type: Nil for all types.
    package static func scan(
        of owner: UserID, _ type: SubscribeType?, after last: SubscriptionKey?,
        at now: Timestamp, app: App, in transaction: any ReadTransaction,
        _ body: (SubscriptionKey, SubscriptionRecord) -> ScanStep
    ) throws(StorageError) {
        let table = Tables.subscriptions
        let range = table.rows(of: app.partition(of: owner), type, after: last)
        var isBroken = false
        try table.scan(range, limit: .max, in: transaction) { key, bytes in
            guard let record = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            return record.isExpired(at: now) ? .more : body(key, record)
        }
        if isBroken { throw StorageError(.corrupted, "a subscription does not decode") }
    }

    /// The number of subscriptions of `owner`, whose user record is `userRecord`.
    ///
    /// - Parameter type: Nil for all types.
    package static func count(
        of owner: UserID, _ userRecord: UserRecord, _ type: SubscribeType?, at now: Timestamp,
        app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int {
        var count = 0
        for type in type.map({ [$0] }) ?? SubscribeType.stored {
            count += Int(userRecord[subscriptions: type])
            guard userRecord.nextSubscriptionEndMs <= now.milliseconds else { continue }
            let expired = try expiredCount(
                in: Tables.subscriptionsByEnd, of: owner, type, now, app, transaction)
            count.decrease(by: expired)
        }
        return count
    }

    /// The number of subscribers of `user`.
    package static func subscriberCount(
        of user: UserID, _ type: SubscribeType, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Int {
        let record = try Tables.subscriberCounts.record(
            app.partition(of: user), OnlyKey(), in: transaction)
        guard var count = record?[type], count > 0 else { return 0 }
        count.decrease(
            by: try expiredCount(in: Tables.subscribers, of: user, type, now, app, transaction))
        return Int(count)
    }

    private static func expiredCount(
        in table: Table<SubscriptionEnd, EmptyRecord>, of user: UserID, _ type: SubscribeType,
        _ now: Timestamp, _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> Int {
        var count = 0
        let range = table.rows(of: app.partition(of: user), type, through: now.milliseconds)
        try table.scan(range, limit: .max, in: transaction) { _, _ in
            count += 1
            return .more
        }
        return count
    }

    /// The subscribers of `user`, in the order in which their subscriptions end.
    package static func subscribers(
        of user: UserID, _ type: SubscribeType, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        let table = Tables.subscribers
        var subscribers: [UserID] = []
        let range = table.rows(of: app.partition(of: user), type, from: now.milliseconds + 1)
        try table.scan(range, limit: .max, in: transaction) { end, _ in
            subscribers.append(end.user)
            return .more
        }
        return subscribers
    }

    /// At most `limit` of the users to which `owner` subscribes, in the order of their ids, after
    /// `last`.
    package static func targets(
        of owner: UserID, _ type: SubscribeType, after last: UserID?, limit: Int,
        at now: Timestamp, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        var targets: [UserID] = []
        try scan(
            of: owner, type, after: last.map { SubscriptionKey(type, $0) }, at: now, app: app,
            in: transaction
        ) { key, _ in
            targets.append(key.user)
            return targets.count < limit ? .more : .stop
        }
        return targets
    }

    // MARK: Writing

    /// The subscription of `owner` at `key`; nil if there is none, or if it has expired.
    private static func present(
        _ key: SubscriptionKey, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> SubscriptionRecord? {
        let record = try Tables.subscriptions.record(
            ledger.partition(of: owner), key, in: ledger.transaction)
        return record.flatMap { $0.isExpired(at: ledger.now) ? nil : $0 }
    }

    /// Writes the row with its indexes, and notifies `owner`.
    static func write(
        _ record: SubscriptionRecord, at key: SubscriptionKey, of owner: UserID,
        replacing old: SubscriptionRecord?, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: owner)
        if let old {
            removeIndexes(of: old, at: key, of: owner, in: ledger)
        } else {
            try ledger.changeUserRecord(of: owner) { $0[subscriptions: key.type] += 1 }
            try changeSubscriberCount(of: key.user, in: ledger) { $0[key.type] += 1 }
        }
        try Tables.subscriptions.set(record, at: partition, key, in: ledger.transaction)
        try Tables.subscriptionsByEnd.set(
            EmptyRecord(), at: partition,
            SubscriptionEnd(key.type, timeMs: record.expireTimeMs, user: key.user),
            in: ledger.transaction)
        try Tables.subscribers.set(
            EmptyRecord(), at: ledger.partition(of: key.user),
            SubscriptionEnd(key.type, timeMs: record.expireTimeMs, user: owner),
            in: ledger.transaction)
        try SubscriptionExpiry.noteEnd(at: record.expireTimeMs, of: owner, in: ledger)
        var item = ChangeItemRecord(about: key.user)
        item.subscription = record
        try ledger.notify(owner, .subscriptionChanged, item)
    }

    /// Ends the subscription of `owner` at `key`, whether it has expired or not, and notifies
    /// `owner` in an event of `kind`.
    ///
    /// It notifies no one if `owner` is no longer an account.
    ///
    /// - Returns: Whether there was such a row.
    static func end(
        _ key: SubscriptionKey, of owner: UserID, _ kind: ChangeKind, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let partition = ledger.partition(of: owner)
        let record = try Tables.subscriptions.record(partition, key, in: ledger.transaction)
        guard var record else { return false }
        let end = SubscriptionEnd(key.type, timeMs: record.expireTimeMs, user: owner)
        var keys = KeyList()
        keysForDropping(end, of: key.user, app: ledger.app, into: &keys)
        try ledger.fetch(keys)
        Tables.subscriptions.remove(partition, key, in: ledger.transaction)
        Tables.subscriptionsByEnd.remove(
            partition,
            SubscriptionEnd(key.type, timeMs: record.expireTimeMs, user: key.user),
            in: ledger.transaction)
        try dropSubscriber(end, of: key.user, in: ledger)
        guard try ledger.userRecord(of: owner) != nil else { return true }
        try ledger.changeUserRecord(of: owner) { $0[subscriptions: key.type].decrease() }
        if kind != .subscriptionExpired { record.expireTimeMs = 0 }
        var item = ChangeItemRecord(about: key.user)
        item.subscription = record
        try ledger.notify(owner, kind, item)
        return true
    }

    /// Adds the rows that ``dropSubscriber(_:of:in:)`` reads.
    static func keysForDropping(
        _ end: SubscriptionEnd, of user: UserID, app: App, into keys: inout KeyList
    ) {
        let partition = app.partition(of: user)
        Tables.subscribers.add(partition, end, to: &keys)
        Tables.subscriberCounts.add(partition, OnlyKey(), to: &keys)
    }

    /// Removes a subscriber from the index and the count of `user`, if it is there.
    static func dropSubscriber(
        _ end: SubscriptionEnd, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: user)
        guard try Tables.subscribers.contains(partition, end, in: ledger.transaction) else {
            return
        }
        Tables.subscribers.remove(partition, end, in: ledger.transaction)
        try changeSubscriberCount(of: user, in: ledger) { $0[end.type].decrease() }
    }

    private static func removeIndexes(
        of record: SubscriptionRecord, at key: SubscriptionKey, of owner: UserID,
        in ledger: Ledger
    ) {
        Tables.subscriptionsByEnd.remove(
            ledger.partition(of: owner),
            SubscriptionEnd(key.type, timeMs: record.expireTimeMs, user: key.user),
            in: ledger.transaction)
        Tables.subscribers.remove(
            ledger.partition(of: key.user),
            SubscriptionEnd(key.type, timeMs: record.expireTimeMs, user: owner),
            in: ledger.transaction)
    }

    // MARK: Counts

    /// Whether `owner` may subscribe to one more user.
    private static func hasRoom(
        _ owner: UserID, _ type: SubscribeType, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let limit = ledger.limits.subscriptions
        guard let userRecord = try ledger.userRecord(of: owner),
            Int(userRecord[subscriptions: type]) >= limit
        else {
            return true
        }
        let count = try count(
            of: owner, userRecord, type, at: ledger.now, app: ledger.app, in: ledger.transaction)
        return count < limit
    }

    /// Ends subscriptions of `owner` that have expired: some of them, and as many as one more
    /// subscription needs.
    private static func makeRoom(
        _ owner: UserID, _ type: SubscribeType, in ledger: Ledger
    ) throws(StorageError) {
        let limit = ledger.limits.subscriptions
        // More subscriptions may have expired than one pass ends.
        while try SubscriptionExpiry.endExpired(of: owner, in: ledger) > 0,
            let userRecord = try ledger.userRecord(of: owner),
            Int(userRecord[subscriptions: type]) >= limit
        {}
    }

    /// Whether one more user may subscribe to `user`.
    private static func hasRoomForSubscriber(
        _ user: UserID, _ type: SubscribeType, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let limit = ledger.limits.subscribers
        let count = try subscriberCount(of: user, in: ledger)[type]
        guard Int(count) >= limit else { return true }
        let expired = try expiredCount(
            in: Tables.subscribers, of: user, type, ledger.now, ledger.app, ledger.transaction)
        return Int(count) - expired < limit
    }

    /// Ends as many expired subscriptions to `user` as one more subscriber needs, and notifies
    /// their subscribers.
    private static func makeRoomForSubscriber(
        _ user: UserID, _ type: SubscribeType, in ledger: Ledger
    ) throws(StorageError) {
        let limit = ledger.limits.subscribers
        while try subscriberCount(of: user, in: ledger)[type] >= limit {
            var expired: [SubscriptionEnd] = []
            let table = Tables.subscribers
            let range = table.rows(
                of: ledger.partition(of: user), type, through: ledger.now.milliseconds)
            try table.scan(range, limit: Limits.subscribersEnded, in: ledger.transaction) {
                end, _ in
                expired.append(end)
                return .more
            }
            guard !expired.isEmpty else { return }
            var keys = KeyList()
            Feed.addState(of: ledger.app, to: &keys)
            for end in expired {
                let subscriber = ledger.partition(of: end.user)
                Tables.subscriptions.add(subscriber, SubscriptionKey(type, user), to: &keys)
                Tables.userRecords.add(subscriber, OnlyKey(), to: &keys)
            }
            try ledger.fetch(keys)
            for end in expired {
                _ = try self.end(
                    SubscriptionKey(type, user), of: end.user, .subscriptionExpired, in: ledger)
                try dropSubscriber(end, of: user, in: ledger)
            }
        }
    }

    private static func subscriberCount(
        of user: UserID, in ledger: Ledger
    ) throws(StorageError) -> SubscriberCountRecord {
        try Tables.subscriberCounts.record(
            ledger.partition(of: user), OnlyKey(), in: ledger.transaction)
            ?? SubscriberCountRecord()
    }

    private static func changeSubscriberCount(
        of user: UserID, in ledger: Ledger, _ change: (inout SubscriberCountRecord) -> Void
    ) throws(StorageError) {
        var record = try subscriberCount(of: user, in: ledger)
        change(&record)
        try setSubscriberCount(record, of: user, in: ledger)
    }

    static func setSubscriberCount(
        _ record: SubscriberCountRecord, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: user)
        if record == SubscriberCountRecord() {
            Tables.subscriberCounts.remove(partition, OnlyKey(), in: ledger.transaction)
        } else {
            try Tables.subscriberCounts.set(
                record, at: partition, OnlyKey(), in: ledger.transaction)
        }
    }
}

extension SubscriptionRecord {
    func isExpired(at now: Timestamp) -> Bool { expireTimeMs <= now.milliseconds }
}
