import RelationModel
import Storage

extension IntegrityCheck {
    /// Checks the follows of the user and those by others: each row with its other side, its
    /// indexes and its counters.
    ///
    /// Followers are looked at in batches, because a user may have more than memory holds.
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
        var count = FollowCountRecord()
        count.mutual = UInt32(mutual.count)
        count.followers = try checkFollowers()
        let user = user
        let known = try Tables.followCounts.record(partition, OnlyKey(), in: transaction)
        guard known ?? FollowCountRecord() != count else { return }
        note(.wrongCounter, "follow_count") { (ledger) throws(StorageError) in
            try Follows.recount(user, in: ledger)
        }
    }

    /// The time at which each of `users` began to follow this user; nil if it does not.
    private func times(ofFollowsBy users: [UserID]) throws(StorageError) -> [Int64?] {
        var keys = KeyList()
        for user in users { Tables.follows.add(app.partition(of: user), self.user, to: &keys) }
        guard keys.count > 0 else { return [] }
        return try Tables.follows.records(keys, in: transaction).map { $0?.followTimeMs }
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
        if try isNobody(other) {
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
            try Follows.recount(other, in: ledger)
        }
    }

    /// Checks that each user in the index of followers follows this user since the time given
    /// there.
    ///
    /// - Returns: How many rows the index has.
    private mutating func checkFollowers() throws(StorageError) -> UInt32 {
        let table = Tables.followsByTime
        let (user, partition) = (user, partition)
        var count: UInt32 = 0
        var last: ListedFollow?
        while true {
            var part: [ListedFollow] = []
            try table.scan(
                table.rows(of: partition, .followers, after: last),
                limit: CoreLimits.followersPerCheck, in: transaction
            ) { key, _ in
                part.append(key)
                return .more
            }
            guard let end = part.last else { return count }
            last = end
            count += UInt32(part.count)
            for (listed, timeMs) in zip(part, try times(ofFollowsBy: part.map(\.user)))
            where timeMs != listed.timeMs {
                note(.indexWithoutRow, "followers_by_time", listed.user) {
                    (ledger) throws(StorageError) in
                    table.remove(partition, listed, in: ledger.transaction)
                    try Follows.recount(user, in: ledger)
                }
            }
        }
    }
}

extension Follows {
    /// Counts the followers and the mutual follows of `user` anew.
    fileprivate static func recount(
        _ user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        var count = FollowCountRecord()
        let table = Tables.followsByTime
        let partition = ledger.partition(of: user)
        for list in [FollowList.followers, .mutual] {
            var rows: UInt32 = 0
            try table.scan(
                table.rows(of: partition, list), limit: .max, in: ledger.transaction
            ) { _, _ in
                rows += 1
                return .more
            }
            if list == .followers { count.followers = rows } else { count.mutual = rows }
        }
        try setCounts(count, of: user, in: ledger)
    }
}
