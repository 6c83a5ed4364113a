package import RelationCore
package import RelationModel
import Storage

extension World {
    package func follow(_ owner: UserID, _ user: UserID) throws(StorageError) -> FollowOutcome {
        try call(by: owner) { (ledger) throws(StorageError) in
            try FollowRules.follow(owner, user, in: ledger)
        }
    }

    package func unfollow(_ owner: UserID, _ user: UserID) throws(StorageError) -> FollowOutcome {
        try call(by: owner) { (ledger) throws(StorageError) in
            try FollowRules.unfollow(owner, user, in: ledger)
        }
    }

    /// The users of a list, in its order.
    package func follows(
        _ list: FollowList, of owner: UserID, after position: TimedUser? = nil, limit: Int = .max
    ) throws(StorageError) -> [TimedUser] {
        try read { (transaction) throws(StorageError) in
            var keys: [TimedUser] = []
            try Follows.scan(
                list, of: owner, after: position, limit: limit, app: app, in: transaction
            ) { key in
                keys.append(key)
                return .more
            }
            return keys
        }
    }

    package func followCounts(_ user: UserID) throws(StorageError) -> Follows.Counts? {
        try read { (transaction) throws(StorageError) in
            try Follows.counts(of: [user], app: app, in: transaction)[0]
        }
    }
}

extension World {
    /// Dismisses `user` as a suggestion for `owner`.
    package func dismiss(
        _ user: UserID, for owner: UserID
    ) throws(StorageError) -> FriendOutcome {
        try call(by: owner) { (ledger) throws(StorageError) in
            try Dismissals.dismiss(user, for: owner, in: ledger)
        }
    }

    /// Takes the dismissal of `user` by `owner` back.
    package func restore(
        _ user: UserID, for owner: UserID
    ) throws(StorageError) -> FriendOutcome {
        try call(by: owner) { (ledger) throws(StorageError) in
            try Dismissals.restore(user, for: owner, in: ledger)
        }
    }

    /// Sets the custom status of `user`, which ends at `expireMs` if that is not 0.
    package func setStatus(
        _ text: String, of user: UserID, until expireMs: Int64 = 0
    ) throws(StorageError) -> FriendOutcome {
        try call(by: user) { (ledger) throws(StorageError) in
            try Statuses.set(StatusRecord(text, until: expireMs), of: user, in: ledger)
        }
    }
}
