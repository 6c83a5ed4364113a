import RelationModel
import Storage
import Synchronization

/// The rows of the friends of users in use, kept in this process and bounded in size.
///
/// An adjacency list says who is a friend, and no more. With this, a call that shows friends' rows
/// too looks up none of them. Its answers are exactly what the reader's own view holds, by the
/// rules of ``CommitClock``.
package final class StoredFriends: Sendable {
    package let order: CommitClock
    private let hash: IDHash
    private let bytesOfUser: Int
    private let kept: Mutex<ExactEntries<StoredFriendRows>>

    /// - Parameters:
    ///   - bytes: The most bytes of all that is kept.
    ///   - bytesOfUser: The most bytes of one user's rows.
    ///   - hashMask: The bits of hashes that count; a test takes some away.
    package init(
        bytes: Int = CoreLimits.friendRowBytes,
        bytesOfUser: Int = CoreLimits.friendRowsOfUserBytes,
        rememberedTouches: Int = CoreLimits.rememberedTouches, order: CommitClock = CommitClock(),
        hashMask: UInt64 = .max
    ) {
        self.order = order
        self.bytesOfUser = bytesOfUser
        hash = IDHash(mask: hashMask)
        kept = Mutex(
            ExactEntries(bytes: bytes, rememberedTouches: rememberedTouches, order: order))
    }

    /// How full it is.
    package var reading: CacheReading { kept.withLock { $0.reading } }

    // MARK: The committer

    /// Forgets the rows of those whose lists the transaction touches.
    ///
    /// The committer calls it before the transaction's changes can be seen.
    package func willCommit(_ touched: Touches) {
        guard !touched.lists.isEmpty else { return }
        let number = order.begin()
        kept.withLock { $0.begin(number, touched.lists) }
    }

    /// Ends the commit, whether it succeeded or not; the committer calls it before it answers any
    /// caller.
    package func didCommit() {
        order.end()
    }

    // MARK: Readers

    /// The rows of a user's friends, for each that is asked for, up to which they are worth
    /// loading.
    var rowsWorthLoading: Int {
        let hasRoom = kept.withLock { $0.hasRoom }
        return hasRoom
            ? CoreLimits.friendRowsPerAskedWithRoom : CoreLimits.friendRowsPerAsked
    }

    /// The rows of `owner`'s friends as a reader's view holds them; nil if they are not known.
    ///
    /// - Parameter readVersion: The read version that was taken before that view.
    func rows(of owner: UserID, app: App, at readVersion: ReadVersion) -> StoredFriendRows? {
        kept.withLock { $0.value(of: AppUser(app: app.id, user: owner), at: readVersion) }
    }

    /// Reads the rows of `owner`'s friends, and keeps them; nil if they are too long for that.
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
        kept.withLock { kept in
            kept.keep(
                rows, of: AppUser(app: app.id, user: owner), at: readVersion, cost: rows.cost)
        }
        return rows
    }
}
