package import RelationModel
import Storage

extension Follows {
    /// Calls `body` with the time and the user of the rows of a list of `owner`, the latest first,
    /// beginning after `position`, until `body` returns ``ScanStep/stop``.
    package static func scan(
        _ list: FollowList, of owner: UserID, after position: TimedUser?, limit: Int, app: App,
        in transaction: any ReadTransaction, _ body: (TimedUser) -> ScanStep
    ) throws(StorageError) {
        let table = Tables.followsByTime
        let range = table.rows(of: app.partition(of: owner), list, before: position)
        try table.scan(range, .descending, limit: limit, in: transaction) { key, _ in
            body(TimedUser(timeMs: key.timeMs, user: key.user))
        }
    }

    /// For each of `users`, which of it and `owner` follows the other; `owner` is A.
    ///
    /// - Returns: The relation of each user, or nil if the user is not an account.
    package static func check(
        _ users: [UserID], of owner: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [FollowRelation?] {
        var keys = KeyList()
        keys.reserve(users.count * 3)
        for user in users {
            Tables.userRecords.add(app.id, user.text.utf8, OnlyKey(), to: &keys)
            keysForPair(owner, user, app: app, into: &keys)
        }
        let found = try keys.found(in: transaction)
        let everyUserExists = app.settings.makesAccountsImplicitly
        return users.indices.map { number in
            guard everyUserExists || found[number * 3] else { return nil }
            return FollowRelation(mine: found[number * 3 + 1], theirs: found[number * 3 + 2])
        }
    }

    /// Says for each of `users` whether it follows `owner`.
    package static func followers(
        of owner: UserID, among users: [UserID], app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Bool] {
        guard !users.isEmpty else { return [] }
        var keys = KeyList()
        for user in users { Tables.follows.add(app.partition(of: user), owner, to: &keys) }
        return try keys.found(in: transaction)
    }

    /// Says for each follow among the rows of an export, in their order, whether the followed user
    /// follows back.
    package static func returned(
        _ rows: [AppExport.Row], app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Bool] {
        var keys = KeyList()
        for row in rows {
            guard case .follow(let record) = row.content else { continue }
            let other = UserID(stored: record.userID)
            Tables.follows.add(app.partition(of: other), row.user, to: &keys)
        }
        return keys.count == 0 ? [] : try keys.found(in: transaction)
    }

    /// How many follows a user has.
    package struct Counts: Equatable, Sendable {
        package var followers: Int64 = 0
        package var following: Int64 = 0
        package var mutual: Int64 = 0

        package init(_ userRecord: UserRecord, _ record: FollowCountRecord?) {
            followers = Int64(record?.followers ?? 0)
            following = Int64(userRecord.followingCount)
            mutual = Int64(record?.mutual ?? 0)
        }

        package subscript(_ list: FollowList) -> Int64 {
            switch list {
            case .following: following
            case .followers: followers
            case .mutual: mutual
            }
        }
    }

    /// The counts of `owner`, whose user record is `userRecord`.
    package static func counts(
        of owner: UserID, _ userRecord: UserRecord, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Counts {
        let record = try Tables.followCounts.record(
            app.partition(of: owner), OnlyKey(), in: transaction)
        return Counts(userRecord, record)
    }

    /// The counts of each of `users`; nil for a user that is not an account.
    package static func counts(
        of users: [UserID], app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Counts?] {
        var userRecords = KeyList()
        Accounts.userRecords(of: users, app: app, into: &userRecords)
        var counts = KeyList()
        for user in users {
            Tables.followCounts.add(app.partition(of: user), OnlyKey(), to: &counts)
        }
        if transaction.readsAhead { transaction.expect(counts) }
        let records = try Tables.userRecords.records(userRecords, in: transaction)
        let found = try Tables.followCounts.records(counts, in: transaction)
        return zip(records, found).map { userRecord, counts in
            if let userRecord { return Counts(userRecord, counts) }
            return app.settings.makesAccountsImplicitly ? Counts(UserRecord(), nil) : nil
        }
    }
}
