package import RelationCore
package import RelationModel
import Storage

/// A client's copy of one friend list, which is kept only by the changes since its last request.
package struct FriendCopy {
    package let owner: UserID
    package private(set) var rows: [UserID: FriendRecord] = [:]
    package private(set) var sequence: Int64 = 0
    /// How often the copy had to be dropped.
    package private(set) var resyncs = 0
    /// How many pages came.
    package private(set) var pages = 0
    /// The friends that pages had, in order.
    package private(set) var received: [UserID] = []
    /// The removals that pages had, in order.
    package private(set) var removed: [UserID] = []

    package init(of owner: UserID) {
        self.owner = owner
    }

    /// Asks for all changes, by pages of `limit`.
    ///
    /// - Parameter between: Runs after every page, while the copy is not complete.
    package mutating func sync(
        _ world: World, limit: Int,
        between: () throws(StorageError) -> Void = {}
    ) throws(StorageError) {
        (received, removed) = ([], [])
        var point: FriendSync.Point?
        repeat {
            point = try page(world, after: point, limit: limit)
            pages += 1
            try between()
        } while point != nil
    }

    private mutating func page(
        _ world: World, after last: FriendSync.Point?, limit: Int
    ) throws(StorageError) -> FriendSync.Point? {
        let userRecord = try world.userRecord(of: owner) ?? UserRecord()
        let (point, isWhole) = FriendSync.next(since: sequence, after: last, userRecord)
        if isWhole {
            rows = [:]
            resyncs += 1
        }
        let entries = try world.read { (transaction) throws(StorageError) in
            try FriendSync.entries(
                of: owner, after: point, limit: limit + 1, app: world.app, in: transaction)
        }
        for entry in entries.prefix(limit) {
            let user = entry.key.user
            if entry.isRemoved {
                rows[user] = nil
                removed.append(user)
            } else {
                rows[user] = try world.friend(user, of: owner)
                received.append(user)
            }
        }
        guard entries.count > limit else {
            sequence = userRecord.friendsSequence
            return nil
        }
        return FriendSync.Point(base: point.base, position: entries[limit - 1].key)
    }

    /// Whether the copy equals the present list.
    package func isExact(_ world: World) throws(StorageError) -> Bool {
        var list: [UserID: FriendRecord] = [:]
        for row in try world.rows(of: Tables.friends, of: owner) { list[row.key] = row.record }
        return rows == list
    }
}
