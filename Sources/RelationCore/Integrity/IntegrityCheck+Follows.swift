import RelationModel
import Storage

extension IntegrityCheck {
    /// Checks the follows of the user: each row with its other side, its indexes and its counters.
    ///
    /// A user may have more followers than memory holds: ``FollowersCheck`` looks at them.
    mutating func checkFollows() throws(StorageError) {
        let rows = try rows(of: Tables.follows)
        let returned = try times(ofFollowsBy: rows.map(\.key))
        var mutual: [ListedFollow] = []
        for (row, theirs) in zip(rows, returned) {
            guard let theirs else { continue }
            mutual.append(
                ListedFollow(
                    .mutual, timeMs: max(row.record.followTimeMs, theirs), user: row.key))
        }
        try checkFollows(
            .following, "following_by_time",
            rows.map { ListedFollow(.following, timeMs: $0.record.followTimeMs, user: $0.key) })
        try checkFollows(.mutual, "mutual_follows_by_time", mutual)
        for row in rows { try checkFollowed(row.key, since: row.record.followTimeMs) }
        checkCount("following_count", \.followingCount, rows.count)
        let user = user
        let count = UInt32(mutual.count)
        let known = try Tables.followCounts.record(partition, OnlyKey(), in: transaction)
        guard known?.mutual ?? 0 != count else { return }
        note(.wrongCounter, "follow_count") { (ledger) throws(StorageError) in
            try Follows.changeCounts(of: user, in: ledger) { $0.mutual = count }
        }
    }

    /// The time at which each of `users` began to follow this user; nil if it does not.
    private func times(ofFollowsBy users: [UserID]) throws(StorageError) -> [Int64?] {
        try Follows.times(ofFollowsOf: user, by: users, app: app, in: transaction)
    }

    /// Compares one list of the index by time with the row keys that follow from the rows.
    private mutating func checkFollows(
        _ list: FollowList, _ subject: String, _ wanted: [ListedFollow]
    ) throws(StorageError) {
        let table = Tables.followsByTime
        var missing = Set(wanted)
        var strays: [ListedFollow] = []
        try table.scan(
            table.rows(of: partition, list), limit: .max, in: transaction
        ) { key, _ in
            if missing.remove(key) == nil { strays.append(key) }
            return .more
        }
        for key in strays { noteStray(in: table, subject, key, at: nil, key.user) }
        for key in wanted where missing.contains(key) {
            noteMissing(in: table, subject, key, at: nil, key.user)
        }
    }

    /// Checks that the followed user has this user among its followers; if it is not an account,
    /// the follow is an error.
    private mutating func checkFollowed(
        _ other: UserID, since timeMs: Int64
    ) throws(StorageError) {
        let user = user
        if try isUnknown(other) {
            return note(.halfPair, "follows", other) { (ledger) throws(StorageError) in
                try Follows.end(from: user, to: other, in: ledger)
            }
        }
        let listed = ListedFollow(.followers, timeMs: timeMs, user: user)
        let theirs = app.partition(of: other)
        guard try !Tables.followsByTime.contains(theirs, listed, in: transaction) else { return }
        note(.rowWithoutIndex, "followers_by_time", other) { (ledger) throws(StorageError) in
            try Tables.followsByTime.set(
                EmptyRecord(), at: theirs, listed, in: ledger.transaction)
            // If the counter had it, the check of the other user's followers takes it off again.
            try Follows.changeCounts(of: other, in: ledger) { $0.followers += 1 }
        }
    }
}
