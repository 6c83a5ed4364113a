import RelationCore
import RelationModel
import Storage

extension Audit {
    /// Checks the user's subscriptions: its rows, their index, the counters, and what the log says
    /// of them.
    mutating func checkSubscriptions(
        _ user: UserID, _ userRecord: UserRecord
    ) throws(StorageError) {
        let rows = try world.rows(of: Tables.subscriptions, of: user)
        for type in SubscribeType.stored {
            let count = rows.count { $0.key.type == type }
            expectSame(
                Int(userRecord[subscriptions: type]), count, user, "the count of type \(type)")
            expect(count <= limits.subscriptions, user, "follows more than the limit")
        }
        for row in rows {
            let written = SubscriptionKey(
                row.record.subscribeType, UserID(stored: row.record.userID.utf8))
            expectSame(written, row.key, user, "what a subscription is to")
            expect(row.key.user != user, user, "follows itself")
            expect(
                userRecord.nextSubscriptionEndMs != 0
                    && userRecord.nextSubscriptionEndMs <= row.record.expireTimeMs,
                user, "looks for the end of \(row.key.user) too late")
            let lastsMs = row.record.expireTimeMs - row.record.subscribeTimeMs
            expect(
                Limits.subscriptionSeconds.contains(lastsMs / 1_000), user,
                "follows \(row.key.user) for \(lastsMs) ms")
        }
        let wanted = rows.map {
            SubscriptionEnd($0.key.type, timeMs: $0.record.expireTimeMs, user: $0.key.user)
        }
        let index = try world.rows(of: Tables.subscriptionsByEnd, of: user).map(\.key)
        expectSame(Set(index), Set(wanted), user, "the subscriptions by end")
        let last = try world.log(of: user).last {
            [.subscriptionChanged, .subscriptionExpired].contains($0.1.kind)
        }
        expectLast(
            last?.sequence, userRecord.subscriptionsSequence, userRecord, user, "subscriptions")
    }

    /// Compares the index of subscribers, and the index of first ends, with the subscribers' own
    /// rows.
    mutating func checkSubscribers() throws(StorageError) {
        var wanted: [UserID: Set<SubscriptionEnd>] = [:]
        var ends: Set<String> = []
        for user in users {
            for row in try world.rows(of: Tables.subscriptions, of: user) {
                wanted[row.key.user, default: []].insert(
                    SubscriptionEnd(
                        row.key.type, timeMs: row.record.expireTimeMs, user: user))
            }
            guard let userRecord = try world.userRecord(of: user),
                userRecord.nextSubscriptionEndMs != 0
            else {
                continue
            }
            ends.insert("\(userRecord.nextSubscriptionEndMs) \(user)")
        }
        for user in users {
            let found = try world.rows(of: Tables.subscribers, of: user).map(\.key)
            expectSame(Set(found), wanted[user] ?? [], user, "the subscribers")
            var count = SubscriberCountRecord()
            for end in found { count[end.type] += 1 }
            let counted = try world.rows(of: Tables.subscriberCounts, of: user).first?.record
            expectSame(counted ?? SubscriberCountRecord(), count, user, "the subscribers' count")
            let highest = Int(max(count.onlineStatus, count.userProfile))
            expect(highest <= limits.subscribers, user, "has more subscribers than the limit")
        }
        let index = try world.rows(
            of: Tables.subscriptionEnds, in: world.app.subscriptionEnds
        ).map { "\($0.key.timeMs) \($0.key.user)" }
        if Set(index) != ends { note("subscriptions end at \(index) instead of \(ends)") }
    }
}
