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

    /// The result of a look at memory alone.
    package enum Look {
        case all(KnownRelations)
        case nothing
        /// The owner's adjacency list is not known, and was asked for before: it is worth loading.
        case worthLoading
    }

    /// How each of `users` stands to `owner`, from memory alone.
    package static func recall(
        _ users: UnsafeBufferPointer<Text>, of owner: UserID, app: App,
        from adjacency: AdjacencyCache,
        _ friends: StoredFriends, _ arena: Arena
    ) throws(StorageError) -> Look {
        // One read version for both, so that both are of one state.
        let readVersion = adjacency.readVersion()
        let lookup = try KnownPairs.recall(
            users, of: owner, provedBy: [], app: app, from: adjacency, at: readVersion, arena)
        switch lookup {
        case .all(let pairs):
            switch pairs.needed {
            case nil: return .nothing
            case 0: return .all(KnownRelations(pairs: pairs, rows: nil))
            default:
                guard let rows = friends.rows(of: owner, app: app, at: readVersion) else {
                    return .nothing
                }
                return .all(KnownRelations(pairs: pairs, rows: rows))
            }
        case .open, .nothing: return .nothing
        case .worthLoading: return .worthLoading
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
        for index in 0..<count where standing(index) == .found && !isOwner(index) {
            let facts = facts(index)
            if facts.hasSent || facts.hasReceived { return nil }
            if facts.isMine { friends += 1 }
        }
        return friends
    }
}
