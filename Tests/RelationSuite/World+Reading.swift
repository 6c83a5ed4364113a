import Memory
import Protobuf
package import RelationCore
package import RelationModel
package import Storage
package import StorageSuite

extension World {
    package func read<Result>(
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try store.read(body)
    }

    package func userRecord(of user: UserID) throws(StorageError) -> UserRecord? {
        try read { (transaction) throws(StorageError) in
            try Tables.userRecords.record(app.partition(of: user), OnlyKey(), in: transaction)
        }
    }

    package func friend(_ friend: UserID, of owner: UserID) throws(StorageError) -> FriendRecord? {
        try read { (transaction) throws(StorageError) in
            try Friendship.record(friend, of: owner, app: app, in: transaction)
        }
    }

    package func friends(of owner: UserID) throws(StorageError) -> [UserID] {
        try rows(of: Tables.friends, of: owner).map(\.key)
    }

    package func group(_ name: String, of owner: UserID) throws(StorageError) -> GroupRecord? {
        try read { (transaction) throws(StorageError) in
            try Groups.record(name, of: owner, app: app, in: transaction)
        }
    }

    /// The names of `owner`'s groups in the order in which they were made.
    package func groups(of owner: UserID) throws(StorageError) -> [String] {
        try rows(of: Tables.groups, of: owner)
            .sorted { $0.record.number < $1.record.number }.map(\.key.text)
    }

    package func pendency(
        _ type: PendencyType, with other: UserID, of owner: UserID
    ) throws(StorageError) -> PendencyRecord? {
        try read { (transaction) throws(StorageError) in
            try Tables.pendencies.record(
                app.partition(of: owner), PendencyKey(type, other), in: transaction)
        }
    }

    /// The profile of `user`, without its position in the feed and the versions that other users
    /// get.
    package func profile(of user: UserID) throws(StorageError) -> ProfileRecord {
        var profile = try storedProfile(of: user)
        profile.position = 0
        profile.openVersion = nil
        profile.fieldChoices = []
        profile.reviews = []
        profile.cardVersion = nil
        return profile
    }

    package func storedProfile(of user: UserID) throws(StorageError) -> ProfileRecord {
        try read { (transaction) throws(StorageError) in
            try Profiles.record(of: user, app: app, in: transaction)
        }
    }

    package func blocks(_ user: UserID, by owner: UserID) throws(StorageError) -> Bool {
        try read { (transaction) throws(StorageError) in
            try Blacklist.contains(user, of: owner, app: app, in: transaction)
        }
    }

    package func relation(
        of owner: UserID, to user: UserID, _ type: CheckType = .bidirection
    ) throws(StorageError) -> FriendRelation? {
        try relations(of: owner, to: [user], type)[0]
    }

    /// The relations of a user that has an account; nil for users that have none.
    package func relations(
        of owner: UserID, to users: [UserID], _ type: CheckType = .bidirection
    ) throws(StorageError) -> [FriendRelation?] {
        try read { (transaction) throws(StorageError) in
            try Arena.temporary { (arena) throws(StorageError) in
                // An arena has room for the few names of a test.
                let names = users.map { arena.text($0.text) ?? Text() }
                return try names.withUnsafeBufferPointer { (names) throws(StorageError) in
                    try FriendCheck.run(names, of: owner, type, app: app, in: transaction, arena)?
                        .map(\.relation)
                }
            }
        } ?? users.map { _ in nil }
    }

    package func pendencies(
        of user: UserID, knowing sequence: Int64 = -1, from timestampMs: Int64 = 0,
        limit: Int = 100, _ type: PendencyType = .both
    ) throws(StorageError) -> ApplicationRules.Page {
        try read { (transaction) throws(StorageError) in
            let userRecord = try Tables.userRecords.record(
                app.partition(of: user), OnlyKey(), in: transaction)
            return try ApplicationRules.list(
                of: user, userRecord ?? UserRecord(), at: now, app: app, knowing: sequence,
                from: timestampMs, limit: limit, type, in: transaction)
        }
    }

    package func applications(
        of user: UserID, after position: ApplicationRules.Position? = nil, limit: Int = 1_000,
        _ edit: (inout ApplicationRules.Query) -> Void = { _ in }
    ) throws(StorageError) -> ApplicationRules.Lines {
        var query = ApplicationRules.Query()
        edit(&query)
        return try read { (transaction) throws(StorageError) in
            try ApplicationRules.lines(
                of: user, query, at: now, app: app, after: position, limit: limit,
                in: transaction)
        }
    }

    /// The log of `user` after the event `last`, oldest first, with each event's sequence.
    package func log(
        of user: UserID, after last: Int64 = 0
    ) throws(StorageError) -> [(sequence: Int64, ChangeRecord)] {
        let table = Tables.changes
        let range = table.rows(of: app.partition(of: user), after: UInt64(last))
        return try rows(of: table, range).map { (Int64($0.key), $0.record) }
    }

    /// The events of `user` after its first `count`.
    package func events(
        of user: UserID, after count: Int64 = 0
    ) throws(StorageError) -> [ChangeRecord] {
        try log(of: user, after: count).map(\.1)
    }

    /// Every row of a table in the partition of `user`, in the order of the keys.
    package func rows<TableKey, Record>(
        of table: Table<TableKey, Record>, of user: UserID
    ) throws(StorageError) -> [(key: TableKey, record: Record)] {
        try rows(of: table, in: app.partition(of: user))
    }

    package func rows<TableKey, Record>(
        of table: Table<TableKey, Record>, in partition: Partition
    ) throws(StorageError) -> [(key: TableKey, record: Record)] {
        try rows(of: table, table.all(of: partition))
    }

    private func rows<TableKey, Record>(
        of table: Table<TableKey, Record>, _ range: KeyRange
    ) throws(StorageError) -> [(key: TableKey, record: Record)] {
        try read { (transaction) throws(StorageError) in
            var rows: [(key: TableKey, record: Record)] = []
            var broken = 0
            try table.scan(range, limit: .max, in: transaction) { key, bytes in
                if let record = table.decode(bytes, in: transaction.arena) {
                    rows.append((key, record))
                } else {
                    broken += 1
                }
                return .more
            }
            precondition(broken == 0, "\(broken) rows of table \(table.kind) do not decode")
            return rows
        }
    }

    package func feedState() throws(StorageError) -> FeedState {
        try read { (transaction) throws(StorageError) in
            try Feed.state(of: app, in: transaction)
        }
    }

    /// All rows of `users` and of the app's feed, as bytes.
    package func snapshot(of users: [UserID]) throws(StorageError) -> [[Row]] {
        var partitions = users.map(app.partition(of:))
        partitions.append(app.feed)
        for bucket in 0..<EndIndex.applicationBuckets {
            partitions.append(app.partition(ofExpiryBucket: bucket))
        }
        var snapshot: [[Row]] = []
        for partition in partitions {
            snapshot.append(try store.rows(KeyRange(all: partition)))
        }
        return snapshot
    }

    /// Writes rows without any rule, to build a state to which no history leads.
    package func write(
        _ body: (any WriteTransaction) throws(StorageError) -> Void
    ) throws(StorageError) {
        try commit { (transaction) throws(StorageError) in try body(transaction) }
    }

    /// Sets one row without any rule, or removes it.
    package func set<TableKey, Record>(
        _ table: Table<TableKey, Record>, _ record: Record?, of user: UserID, _ key: TableKey
    ) throws(StorageError) {
        let partition = app.partition(of: user)
        try write { (transaction) throws(StorageError) in
            if let record {
                try table.set(record, at: partition, key, in: transaction)
            } else {
                table.remove(partition, key, in: transaction)
            }
        }
    }

    /// Changes a user record without any rule.
    package func changeUserRecord(
        of user: UserID, _ change: (inout UserRecord) -> Void
    ) throws(StorageError) {
        var userRecord = try userRecord(of: user) ?? UserRecord()
        change(&userRecord)
        try set(Tables.userRecords, userRecord, of: user, OnlyKey())
    }
}
