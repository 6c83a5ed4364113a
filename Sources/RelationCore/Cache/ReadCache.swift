import Storage

/// All that this process keeps of the store: names, profiles, friends' rows and adjacency lists, in
/// one share of memory and by one set of rules.
///
/// Every answer from it passes the check of its ``CommitClock``, and is what the rows would say.
package final class ReadCache: Sendable {
    package let names: NameCache
    package let profiles: StoredProfiles
    package let friends: StoredFriends
    package let adjacency: AdjacencyCache

    /// - Parameters:
    ///   - bytes: The memory for all of it.
    ///   - hasAdjacency: Whether adjacency lists are kept.
    ///   - isOnlyWriter: Whether no other process writes to the store.
    package convenience init(
        bytes: Int = CoreLimits.readCacheBytes, hasAdjacency: Bool = true,
        isOnlyWriter: Bool = true
    ) {
        let order = CommitClock(isOnlyWriter: isOnlyWriter)
        let share = bytes / 5
        self.init(
            names: NameCache(nameBytes: share, friendListBytes: share / 2, order: order),
            profiles: StoredProfiles(bytes: share, order: order),
            friends: StoredFriends(bytes: share / 2, order: order),
            adjacency: AdjacencyCache(bytes: hasAdjacency ? bytes - 3 * share : 0, order: order))
    }

    /// The memory of these parts; a test gives parts with bounds of their own.
    ///
    /// - Precondition: All have one order of commits, so that one read version holds for all.
    package init(
        names: NameCache, profiles: StoredProfiles, friends: StoredFriends? = nil,
        adjacency: AdjacencyCache
    ) {
        let friends = friends ?? StoredFriends(order: adjacency.order)
        precondition(
            names.order === adjacency.order && profiles.order === adjacency.order
                && friends.order === adjacency.order,
            "the parts have orders of their own")
        self.names = names
        self.profiles = profiles
        self.friends = friends
        self.adjacency = adjacency
    }

    /// How full each part is, with its name.
    package var readings: [(name: String, reading: CacheReading)] {
        let counts = adjacency.counts
        let adjacency = CacheReading(
            entries: counts.adjacency, bytes: counts.bytes, mostBytes: self.adjacency.bytes,
            found: counts.found, notFound: counts.notFound, evictions: counts.evictions)
        let names = names.readings
        return [
            ("circles", adjacency), ("profiles", profiles.reading), ("names", names.names),
            ("friend_lists", names.lists), ("friend_rows", friends.reading),
        ]
    }

    /// Forgets or changes what the transaction touches.
    ///
    /// The committer calls it before the transaction's changes can be seen.
    ///
    /// - Parameter transaction: The transaction itself, which sees what it wrote.
    package func willCommit(_ watched: WatchedTransaction, in transaction: any ReadTransaction) {
        names.willCommit(watched.touched, in: transaction)
        profiles.willCommit(watched.touched)
        friends.willCommit(watched.touched)
        adjacency.willCommit(watched.adjacencyChanges)
    }

    /// Publishes what the transaction wrote; the committer calls it before it answers any caller.
    ///
    /// - Parameter succeeded: Whether the transaction was committed.
    package func didCommit(_ succeeded: Bool) {
        // First, because the adjacency lists of a commit that failed go before the commit has
        // ended.
        adjacency.didCommit(succeeded)
        profiles.didCommit()
        friends.didCommit()
        names.didCommit(succeeded)
    }
}
