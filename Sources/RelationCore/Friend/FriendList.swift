package import Memory
package import RelationModel
package import Storage

/// Pages of a friend list, as stored bytes.
package enum FriendList {
    /// Calls `body` with the stored rows of `owner`'s friends in order of their ids, beginning
    /// after `position`, until `body` returns ``ScanStep/stop``.
    ///
    /// - Important: The bytes are valid only during that call.
    package static func scanByID(
        of owner: UserID, after position: UserID?, _ order: ScanOrder, limit: Int, app: App,
        in transaction: any ReadTransaction,
        _ body: (UserID, UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        let table = Tables.friends
        let range = table.range(of: app.partition(of: owner), after: position, order)
        try table.scanBytes(range, order, limit: limit, in: transaction) { key, row in
            guard let user = UserID(reading: key) else { return nil }
            return body(user, row)
        }
    }

    /// Says ahead that ``scanByID(of:after:_:limit:app:in:_:)`` will be called.
    package static func expectByID(
        of owner: UserID, after position: UserID?, _ order: ScanOrder, limit: Int, app: App,
        in transaction: any ReadTransaction
    ) {
        let table = Tables.friends
        transaction.expect(
            table.range(of: app.partition(of: owner), after: position, order), order,
            limit: limit)
    }

    /// Calls `body` with the stored rows of `owner`'s friends in order of the times at which they
    /// were added, and then of their ids, beginning after `position`, until `body` returns
    /// ``ScanStep/stop``.
    ///
    /// No index has this order: it would cost every addition two rows. One scan of the list finds
    /// the order, and the rows of the page are read after it.
    ///
    /// - Parameter body: Takes the time and the friend, and the row's bytes, and returns whether to
    ///   go on.
    package static func scanByTime(
        of owner: UserID, after position: TimedUser?, _ order: ScanOrder, limit: Int, app: App,
        in transaction: any ReadTransaction,
        _ body: (TimedUser, UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        let partition = app.partition(of: owner)
        var sortKeys = try sortKeys(of: partition, in: transaction) { sortKey, user in
            TimedUser(timeMs: sortKey.addTimeMs, user: user)
        }
        if let position {
            sortKeys.removeAll { order == .ascending ? $0 <= position : $0 >= position }
        }
        sortKeys.sort(by: order == .ascending ? { $0 < $1 } : { $0 > $1 })
        try read(
            Tables.friends, sortKeys.prefix(limit), of: partition, in: transaction, body)
    }

    /// Calls `body` with the stored rows of the members of the group `number`, in order of their
    /// ids, or of the times at which they were added and then of their ids.
    ///
    /// It reads the members from their index. In order of the ids it reads the rows of the page
    /// alone; in order of the times it reads the rows of all members first.
    ///
    /// - Parameters:
    ///   - position: The row after which it begins; the time counts only in order of the times.
    ///   - body: Takes the time, if it orders the list, with the friend, and the row's bytes. It
    ///     returns whether to go on.
    package static func scanGroup(
        _ number: UInt32, byTime: Bool, of owner: UserID, after position: TimedUser?,
        _ order: ScanOrder, limit: Int, app: App, in transaction: any ReadTransaction,
        _ body: (TimedUser, UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        let partition = app.partition(of: owner)
        guard byTime else {
            let members = try Groups.members(
                of: number, of: owner, after: position?.user, order, limit: limit, app: app,
                in: transaction)
            let keys = members.map { TimedUser(timeMs: 0, user: $0) }
            return try read(Tables.friends, keys[...], of: partition, in: transaction, body)
        }
        let members = try Groups.members(of: number, of: owner, app: app, in: transaction)
        let ids = members.map { TimedUser(timeMs: 0, user: $0) }
        var keys: [TimedUser] = []
        var isBroken = false
        try read(Tables.friends, ids[...], of: partition, in: transaction) { id, row in
            guard let found = FriendSortKey(row) else {
                isBroken = true
                return .stop
            }
            keys.append(TimedUser(timeMs: found.addTimeMs, user: id.user))
            return .more
        }
        guard !isBroken else { throw StorageError.damaged("a friend's row does not decode") }
        if let position {
            keys.removeAll { order == .ascending ? $0 <= position : $0 >= position }
        }
        keys.sort(by: order == .ascending ? { $0 < $1 } : { $0 > $1 })
        try read(Tables.friends, keys.prefix(limit), of: partition, in: transaction, body)
    }

    /// Walks over all rows of a list, and takes of each its position in an order.
    static func sortKeys<SortKey>(
        of partition: Partition, in transaction: any ReadTransaction,
        _ sortKey: (FriendSortKey, UserID) -> SortKey
    ) throws(StorageError) -> [SortKey] {
        let table = Tables.friends
        var sortKeys: [SortKey] = []
        try table.scanBytes(
            table.all(of: partition), .ascending, limit: .max, in: transaction
        ) { key, row in
            guard let user = UserID(reading: key), let found = FriendSortKey(row) else {
                return nil
            }
            sortKeys.append(sortKey(found, user))
            return .more
        }
        return sortKeys
    }

    /// Calls `body` with the rows that an index by time names, in its order.
    package static func scan<Record>(
        _ index: Table<TimedUser, EmptyRecord>, _ rows: Table<UserID, Record>,
        of partition: Partition, after position: TimedUser?, _ order: ScanOrder, limit: Int,
        in transaction: any ReadTransaction,
        _ body: (TimedUser, UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        var indexKeys: [TimedUser] = []
        let range = index.range(of: partition, after: position, order)
        try index.scan(range, order, limit: limit, in: transaction) { key, _ in
            indexKeys.append(key)
            return .more
        }
        try read(rows, indexKeys[...], of: partition, in: transaction, body)
    }

    /// Calls `body` with the rows of those users, in their order.
    static func read<Record>(
        _ rows: Table<UserID, Record>, _ indexKeys: ArraySlice<TimedUser>, of partition: Partition,
        in transaction: any ReadTransaction,
        _ body: (TimedUser, UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        var keys = KeyList()
        for indexKey in indexKeys { rows.add(partition, indexKey.user, to: &keys) }
        let first = indexKeys.startIndex
        var step = ScanStep.more
        var broken = false
        try transaction.read(keys) { number, bytes in
            guard step == .more else { return }
            guard let bytes else {
                broken = true
                step = .stop
                return
            }
            step = body(indexKeys[first + number], bytes)
        }
        if broken { throw StorageError(.corrupted, "an index names a missing row") }
    }

    /// The record of a row's bytes; nil if they are not such a record.
    package static func record(_ row: UnsafeRawBufferPointer, in arena: Arena) -> FriendRecord? {
        Tables.friends.decode(row, in: arena)
    }

    /// For each of `users`, the row by which a friend of `owner` is named; nil for other users.
    package static func nameRecords(
        of users: [UserID], of owner: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [FriendNameRecord?] {
        var keys = KeyList()
        let partition = app.partition(of: owner)
        for user in users { Tables.friendNames.add(partition, user, to: &keys) }
        return try Tables.friendNames.records(keys, in: transaction)
    }

    /// For each of `users`, whether it is an account, and its row if it is a friend of `owner`.
    package static func records(
        of users: [UserID], of owner: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [(exists: Bool, record: FriendRecord?)] {
        var userRecords = KeyList()
        var rows = KeyList()
        Accounts.userRecords(of: users, app: app, into: &userRecords)
        let partition = app.partition(of: owner)
        for user in users { Tables.friends.add(partition, user, to: &rows) }
        let exists = try userRecords.found(in: transaction)
        let records = try Tables.friends.records(rows, in: transaction)
        return zip(exists, records).map { (exists: $0, record: $1) }
    }
}

extension Table {
    /// The rows of `partition` that come after `key` in the given order.
    fileprivate func range(
        of partition: Partition, after key: TableKey?, _ order: ScanOrder
    ) -> KeyRange {
        guard let key else { return all(of: partition) }
        switch order {
        case .ascending: return rows(of: partition, after: key)
        case .descending: return rows(of: partition, before: key)
        }
    }
}
