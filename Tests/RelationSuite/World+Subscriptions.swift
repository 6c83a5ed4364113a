package import RelationCore
package import RelationModel
import Storage

extension World {
    package func subscribe(
        _ owner: UserID, to user: UserID, _ type: SubscribeType = .onlineStatus,
        seconds: Int64 = 60
    ) throws(StorageError) -> SubscriptionStatus {
        let end = now.milliseconds + seconds * 1_000
        let outcome = try call(by: owner) { (ledger) throws(StorageError) in
            try Subscriptions.subscribe(owner, to: user, type, until: end, in: ledger)
        }
        return SubscriptionStatus(rawValue: outcome.code.rawValue)
    }

    package func unsubscribe(
        _ owner: UserID, from user: UserID, _ type: SubscribeType = .onlineStatus
    ) throws(StorageError) -> SubscriptionStatus {
        let outcome = try call(by: owner) { (ledger) throws(StorageError) in
            try Subscriptions.unsubscribe(owner, from: user, type, in: ledger)
        }
        return SubscriptionStatus(rawValue: outcome.code.rawValue)
    }

    /// The present subscriptions of the user, as a read finds them.
    package func subscriptions(
        of owner: UserID, _ type: SubscribeType? = nil
    ) throws(StorageError) -> [SubscriptionRecord] {
        try read { (transaction) throws(StorageError) in
            var records: [SubscriptionRecord] = []
            try Subscriptions.scan(
                of: owner, type, after: nil, at: now, app: app, in: transaction
            ) { _, record in
                records.append(record)
                return .more
            }
            return records
        }
    }

    package func subscribers(
        of user: UserID, _ type: SubscribeType = .onlineStatus
    ) throws(StorageError) -> [UserID] {
        try read { (transaction) throws(StorageError) in
            try Subscriptions.subscribers(of: user, type, at: now, app: app, in: transaction)
        }
    }

    package func targets(
        of owner: UserID, _ type: SubscribeType = .onlineStatus, after last: UserID? = nil,
        limit: Int = .max
    ) throws(StorageError) -> [UserID] {
        try read { (transaction) throws(StorageError) in
            try Subscriptions.targets(
                of: owner, type, after: last, limit: limit, at: now, app: app, in: transaction)
        }
    }

    /// Ends the subscriptions that have expired, in steps of `limit`, and returns the number of
    /// steps.
    package func endSubscriptions(limit: Int = 100) throws(StorageError) -> Int {
        var steps = 0
        while true {
            let more = try commit { (transaction) throws(StorageError) in
                try SubscriptionExpiry.step(app, at: now, limit: limit, in: transaction)
            }
            guard more else { return steps }
            steps += 1
        }
    }
}
