package import RelationModel
import Storage

/// The friends of a user that use the same client app.
package enum AppFriends {
    /// The friends of `owner` that let `client` see their friendships.
    ///
    /// - Returns: Their ids in the order of the bytes, and the number of all friends of `owner`.
    package static func visible(
        of owner: UserID, to client: ClientAppID, app: App, at now: Timestamp,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> (friends: [UserID], total: Int) {
        var all: [UserID] = []
        try FriendList.scanByID(
            of: owner, after: nil, .ascending, limit: .max, app: app, in: transaction
        ) { friend, _ in
            all.append(friend)
            return .more
        }
        var visible: [UserID] = []
        var rest = all[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(CoreLimits.keysPerRead))
            rest = rest.dropFirst(CoreLimits.keysPerRead)
            var keys = KeyList()
            let key = GrantKey(client, .userFriends)
            for friend in batch { Tables.grants.add(app.partition(of: friend), key, to: &keys) }
            for (friend, grant) in zip(batch, try Tables.grants.records(keys, in: transaction))
            where grant?.status(at: now) == .granted {
                visible.append(friend)
            }
        }
        return (visible, all.count)
    }
}
