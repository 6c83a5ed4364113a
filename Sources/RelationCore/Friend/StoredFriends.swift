import RelationModel
import Storage

/// The rows of the friends of users in use: a use of ``VersionedCache``.
///
/// An adjacency list says who is a friend, and no more. With this, a call that shows friends' rows
/// too looks up none of them.
package final class StoredFriends: CachePart {
    package let clock: CommitClock
    private let hash: IDHash
    private let bytesOfUser: Int
    private let entries: VersionedCache<StoredFriendRows>

    /// - Parameters:
    ///   - bytes: The most bytes of all that is kept.
    ///   - bytesOfUser: The most bytes of one user's rows.
    ///   - hashMask: The bits of hashes that count; a test takes some away.
    package init(
        bytes: Int = CoreLimits.friendRowBytes,
        bytesOfUser: Int = CoreLimits.friendRowsOfUserBytes,
        invalidationSlots: Int = CoreLimits.invalidationSlots, clock: CommitClock = CommitClock(),
        hashMask: UInt64 = .max
    ) {
        self.clock = clock
        self.bytesOfUser = bytesOfUser
        hash = IDHash(mask: hashMask)
        entries = VersionedCache(bytes: bytes, invalidationSlots: invalidationSlots, clock: clock)
    }

    package var readings: [(name: String, reading: CacheReading)] {
        [("friend_rows", entries.reading)]
    }

    // MARK: The committer

    package func willCommit(_ version: UInt64, of transaction: WatchedTransaction) {
        entries.invalidate(transaction.touched.lists, in: version)
    }

    package func didCommit(_ succeeded: Bool) { entries.didCommit(succeeded) }

    // MARK: Readers

    /// How many rows of a user's friends are worth loading for each friend that is asked for.
    var rowsWorthLoading: Int {
        entries.hasRoom ? CoreLimits.friendRowsPerAskedWithRoom : CoreLimits.friendRowsPerAsked
    }

    /// The rows of `owner`'s friends as a reader's view holds them; nil if they are not known.
    ///
    /// - Parameter readVersion: The read version that was taken before that view.
    func rows(of owner: UserID, app: App, at readVersion: ReadVersion) -> StoredFriendRows? {
        entries.value(of: AppUser(app: app.id, user: owner), at: readVersion)
    }

    /// Reads the rows of `owner`'s friends, and inserts them; nil if they are too long for that.
    ///
    /// - Parameters:
    ///   - count: How many friends there are.
    ///   - readVersion: The read version that was taken before the transaction's view.
    func load(
        of owner: UserID, app: App, count: Int, at readVersion: ReadVersion,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> StoredFriendRows? {
        let rows = try StoredFriendRows.read(
            of: owner, app: app, count: count, atMost: bytesOfUser, hash, in: transaction)
        guard let rows else { return nil }
        entries.insert(rows, of: AppUser(app: app.id, user: owner), at: readVersion)
        return rows
    }
}
