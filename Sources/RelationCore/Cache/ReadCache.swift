/// All that this process keeps of the store: names, profiles, friends' rows and adjacency lists, in
/// one share of memory and by one set of rules.
///
/// Every answer from it passes the check of its ``CommitClock``, and is what the rows would say.
/// `docs/read-cache.md` has the rules.
package final class ReadCache: Sendable {
    package let names: NameCache
    package let profiles: StoredProfiles
    package let friends: StoredFriends
    package let adjacency: AdjacencyCache
    private let clock: CommitClock

    /// - Parameters:
    ///   - bytes: The memory for all of it.
    ///   - hasAdjacency: Whether adjacency lists are kept.
    ///   - isOnlyWriter: Whether no other process writes to the store.
    package convenience init(
        bytes: Int = CoreLimits.readCacheBytes, hasAdjacency: Bool = true,
        isOnlyWriter: Bool = true
    ) {
        let clock = CommitClock(isOnlyWriter: isOnlyWriter)
        let share = bytes / 5
        self.init(
            names: NameCache(nameBytes: share, friendListBytes: share / 2, clock: clock),
            profiles: StoredProfiles(bytes: share, clock: clock),
            friends: StoredFriends(bytes: share / 2, clock: clock),
            adjacency: AdjacencyCache(bytes: hasAdjacency ? bytes - 3 * share : 0, clock: clock))
    }

    /// Joins these parts; a test gives parts with bounds of their own.
    ///
    /// - Precondition: All have one clock, so that one read version holds for all.
    package init(
        names: NameCache, profiles: StoredProfiles, friends: StoredFriends,
        adjacency: AdjacencyCache
    ) {
        self.names = names
        self.profiles = profiles
        self.friends = friends
        self.adjacency = adjacency
        clock = adjacency.clock
        precondition(
            parts.allSatisfy { $0.clock === adjacency.clock }, "the parts have clocks of their own")
    }

    /// In the order of the metrics.
    private var parts: [any CachePart] { [adjacency, profiles, names, friends] }

    /// How full each part is, with its name.
    package var readings: [(name: String, reading: CacheReading)] { parts.flatMap(\.readings) }

    /// Invalidates what the transaction touches.
    ///
    /// The committer calls it before the transaction's changes can be seen.
    package func willCommit(_ transaction: WatchedTransaction) {
        let version = clock.begin()
        for part in parts { part.willCommit(version, of: transaction) }
    }

    /// Publishes what the transaction wrote; the committer calls it before it answers any caller.
    ///
    /// - Parameter succeeded: Whether the transaction was committed.
    package func didCommit(_ succeeded: Bool) {
        for part in parts { part.didCommit(succeeded) }
        // Last: from now on readers take what was published.
        clock.end()
    }
}
