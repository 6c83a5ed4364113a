package import Memory
package import RelationModel
import Storage

extension Blacklist {
    /// Answers as ``check(_:of:both:app:in:)`` does, from adjacency lists alone.
    ///
    /// - Parameter body: Called with each user's relation in their order, if adjacency lists say
    ///   all of them; a malformed id has the state ``KnownPairs/UserState/malformed``.
    package static func cached(
        _ users: UnsafeBufferPointer<Text>, of owner: UserID, both: Bool, app: App,
        from adjacency: AdjacencyCache, _ arena: Arena,
        _ body: (KnownPairs.UserState, BlacklistRelation) -> Void
    ) throws(StorageError) -> CacheResult<Void> {
        try KnownPairs.cached(
            users, of: owner, provedBy: [], app: app, from: adjacency, arena
        ).map { report($0, both: both, body) }
    }

    /// Answers as ``check(_:of:both:app:in:)`` does, with adjacency lists instead of the rows of
    /// users in use.
    ///
    /// - Returns: Whether the owner is an account; if not, `body` was not called.
    package static func check(
        _ users: UnsafeBufferPointer<Text>, of owner: UserID, both: Bool, app: App,
        asking adjacency: CacheLookup?, in transaction: any ReadTransaction, _ arena: Arena,
        _ body: (KnownPairs.UserState, BlacklistRelation) -> Void
    ) throws(StorageError) -> Bool {
        if let adjacency {
            let known = try KnownPairs.read(
                users, of: owner, provedBy: [], app: app, asking: adjacency, in: transaction, arena)
            if let known {
                report(known, both: both, body)
                return true
            }
        }
        if transaction.readsAhead {
            transaction.expect(
                [.userRecords, .blacklists], of: owner,
                and: users.compactMap { UserID(String($0)) },
                app: app)
        }
        guard try Accounts.exists(owner, of: app, in: transaction) else { return false }
        let ids = users.map { UserID(String($0)) }
        let relations = try check(
            ids.compactMap { $0 }, of: owner, both: both, app: app, in: transaction)
        var next = relations.makeIterator()
        for id in ids {
            guard id != nil else {
                body(.malformed, .none)
                continue
            }
            let relation = next.next() ?? nil
            body(relation == nil ? .noAccount : .found, relation ?? .none)
        }
        return true
    }

    private static func report(
        _ pairs: KnownPairs, both: Bool, _ body: (KnownPairs.UserState, BlacklistRelation) -> Void
    ) {
        for index in 0..<pairs.count {
            let facts = pairs.facts(index)
            body(
                pairs.state(index),
                BlacklistRelation(mine: facts.isBlocked, theirs: both && facts.isBlocking))
        }
    }
}
