package import Memory
import Protobuf
package import RelationModel
import Storage

/// How some users stand to one user, with the rows of the friends among them, from memory.
///
/// Applications that wait are not in it: where one may wait, rows show the relations.
package struct KnownRelations {
    package let pairs: KnownPairs
    /// Nil if no row is needed.
    private let rows: StoredFriendRows?

    /// How each of `users` stands to `owner`, from memory alone.
    package static func cached(
        _ users: UnsafeBufferPointer<Text>, of owner: UserID, app: App,
        from adjacency: AdjacencyCache,
        _ friends: StoredFriends, _ arena: Arena
    ) throws(StorageError) -> CacheResult<KnownRelations> {
        // One read version for both, so that both are of one state.
        let readVersion = adjacency.readVersion()
        return try KnownPairs.cached(
            users, of: owner, provedBy: [], app: app, from: adjacency, at: readVersion, arena
        ).map { pairs in
            switch pairs.needed {
            case nil: nil
            case 0: KnownRelations(pairs: pairs, rows: nil)
            default:
                friends.rows(of: owner, app: app, at: readVersion).map {
                    KnownRelations(pairs: pairs, rows: $0)
                }
            }
        }
    }

    /// How each of `users` stands to `owner`, in the view of `transaction`.
    ///
    /// It reads all rows of the owner's friends, if they are not too many to take the place of
    /// those that are needed.
    ///
    /// - Parameters:
    ///   - friends: How many friends the owner has.
    ///   - transaction: It has read a row before, after the read version of `asked`.
    /// - Returns: Nil if memory does not know all of it.
    package static func read(
        _ users: UnsafeBufferPointer<Text>, of owner: UserID, having friends: Int, app: App,
        asking asked: CacheLookup, in transaction: any ReadTransaction, _ arena: Arena
    ) throws(StorageError) -> KnownRelations? {
        let pairs = try KnownPairs.read(
            users, of: owner, provedBy: [], app: app, asking: asked, in: transaction, arena)
        guard let pairs, let needed = pairs.needed else { return nil }
        guard needed > 0 else { return KnownRelations(pairs: pairs, rows: nil) }
        let stored = asked.memory.friends
        var rows = stored.rows(of: owner, app: app, at: asked.readVersion)
        if rows == nil, friends <= needed * stored.rowsWorthLoading {
            rows = try stored.load(
                of: owner, app: app, count: friends, at: asked.readVersion, in: transaction)
        }
        return rows.map { KnownRelations(pairs: pairs, rows: $0) }
    }

    /// Calls `body` with the rows; with nil if none of the users is a friend.
    package func withRows<Result, Failure: Error>(
        _ body: (StoredFriendRows.View?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let rows else { return try body(nil) }
        return try rows.withView(body)
    }
}

extension KnownPairs {
    /// How many of the users are friends of the owner, whose rows an answer shows; nil if an
    /// application may wait between the owner and any of them.
    fileprivate var needed: Int? {
        var friends = 0
        for index in 0..<count where state(index) == .found && !isOwner(index) {
            let facts = facts(index)
            if facts.hasSent || facts.hasReceived { return nil }
            if facts.isMine { friends += 1 }
        }
        return friends
    }
}
