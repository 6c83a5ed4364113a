import Memory
import Protobuf
package import RelationModel
import Storage
import Synchronization

/// The adjacency lists of users in use: everyone that a user has to do with, kept in this process,
/// bounded in size, and read by all threads without a lock.
///
/// With them a check of any pair reads no row. The rules are those of ``CommitClock``, as in
/// ``VersionedCache``, with two differences. Readers take no lock. A commit does not remove an
/// adjacency list that it touches: it replaces it by a new version, which no reader takes before
/// the commit has ended.
///
/// A user that stands here is an account. Nothing is kept of other ids, so that asking for ids that
/// are not accounts fills nothing.
///
/// `@unchecked Sendable` because of a pointer, which never changes: all that it points to is
/// atomic.
package final class AdjacencyCache: CachePart, @unchecked Sendable {
    package let clock: CommitClock
    let hash: IDHash
    let readers = EpochReaders()
    let table: AdjacencyTable
    /// The most bytes that adjacency lists may take; 0 keeps none.
    package let bytes: Int
    private let writers: Mutex<AdjacencyWriters>
    /// Whether there is room for all that is asked for, so that nothing has to go for it.
    private let hasRoom: Atomic<Bool>
    /// The hashes of users that were missed lately: about as many as adjacency lists have room.
    private let missed: UnsafeMutablePointer<Atomic<UInt32>>
    private let missedCount: Int

    /// - Parameter hashMask: The bits of hashes that count; a test takes some away.
    package init(
        bytes: Int = CoreLimits.adjacencyBytes,
        invalidationSlots: Int = CoreLimits.invalidationSlots, clock: CommitClock = CommitClock(),
        hashMask: UInt64 = .max
    ) {
        self.bytes = bytes
        self.clock = clock
        isOn = bytes > 0 && clock.isOnlyWriter
        writers = Mutex(AdjacencyWriters(invalidationSlots: isOn ? invalidationSlots : 1))
        hash = IDHash(mask: hashMask)
        table = AdjacencyTable(bytes: bytes)
        hasRoom = Atomic(bytes > 0)
        var count = CoreLimits.leastMissedLists
        while count < CoreLimits.mostMissedLists, count * CoreLimits.usualAdjacencyBytes < bytes {
            count *= 2
        }
        missedCount = count
        // Freed in `deinit`, and read and written only as atomic words.
        missed = ZeroedWords.allocate(count)
    }

    deinit {
        writers.withLock { $0.freeAll() }
        ZeroedWords.free(missed)
    }

    /// Whether any adjacency list is kept: none is where none could be proved.
    package let isOn: Bool

    // MARK: The committer

    package func willCommit(_ version: UInt64, of transaction: WatchedTransaction) {
        guard isOn else { return }
        writers.withLock { $0.begin(version, transaction.adjacencyChanges, in: self) }
    }

    package func didCommit(_ succeeded: Bool) {
        guard isOn else { return }
        writers.withLock { writers in
            // It may be unknown what a commit that failed has written.
            if !succeeded { writers.removeInstalled(in: self) }
            writers.end(in: self)
            noteRoom(writers)
        }
    }

    // MARK: Inserting what readers find

    /// A load of a user's adjacency list that has begun.
    package final class Load: Sendable {
        let app: App
        let user: UserID
        let hash: UInt64
        /// The read version that was taken before the loader's view.
        package let readVersion: ReadVersion
        private let number: UInt64
        private let adjacency: AdjacencyCache

        var idHash: IDHash { adjacency.hash }

        fileprivate init(
            _ user: UserID, _ app: App, _ hash: UInt64, _ number: UInt64,
            _ readVersion: ReadVersion,
            _ adjacency: AdjacencyCache
        ) {
            self.user = user
            self.app = app
            self.hash = hash
            self.number = number
            self.readVersion = readVersion
            self.adjacency = adjacency
        }

        deinit {
            adjacency.writers.withLock { _ = $0.endLoad(number) }
        }

        /// Inserts the adjacency list that was loaded, unless a commit has touched its user since
        /// the read version.
        ///
        /// - Returns: Whether it is inserted. If not, its memory is free again.
        func finish(with list: AdjacencyList) -> Bool {
            adjacency.writers.withLock { writers in
                guard writers.endLoad(number) else {
                    list.free()
                    return false
                }
                defer { adjacency.noteRoom(writers) }
                return writers.insert(list, in: adjacency)
            }
        }
    }

    /// Begins to load the adjacency list of `user`, before the view is taken in which its rows are
    /// read.
    ///
    /// - Returns: Nil if it could not be inserted.
    package func beginLoad(of user: UserID, _ app: App) -> Load? {
        guard isOn else { return nil }
        var text = user.text
        let hash = text.withUTF8 { self.hash(UnsafeRawBufferPointer($0)) }
        return writers.withLock { writers in
            let readVersion = readVersion()
            let slot = IDHash.slot(hash, in: app.id)
            guard let number = writers.beginLoad(of: slot, at: readVersion) else { return nil }
            return Load(user, app, hash, number, readVersion, self)
        }
    }

    /// Inserts the notes that `users` are accounts, as the rows showed a reader whose read version
    /// that was.
    ///
    /// It waits for no one: if another thread is writing, the next reader may note it again.
    ///
    /// - Parameter isUnsuspended: Whether the rows showed too that they are not suspended.
    func insertAccounts(
        _ users: UnsafeBufferPointer<Text>, isUnsuspended: Bool = false, of app: UInt32,
        at readVersion: ReadVersion
    ) {
        _ = writers.withLockIfAvailable { writers in
            for user in users {
                user.withBytes { id in
                    let hash = self.hash(id)
                    if let known = writers.find(app, id, hash, in: self)?.list {
                        guard isUnsuspended, !known.isUnsuspended else { return }
                    }
                    let note = AdjacencyList.make(
                        app: app, id, hash, version: readVersion.commit, members: nil)
                    if isUnsuspended { note.header.pointee.note = .unsuspended }
                    _ = writers.insert(note, in: self)
                }
            }
            noteRoom(writers)
        }
    }

    /// Notes that the adjacency list of that hash was missed, and returns whether it is worth
    /// loading.
    ///
    /// It is if there is room. Where others would have to go for it, it must have been missed
    /// before, not long ago: a walk over all users would otherwise drive out those in use.
    func isWorthKeeping(_ slot: UInt64) -> Bool {
        let word = UInt32(truncatingIfNeeded: slot >> 32) | 1
        let slot = Int(truncatingIfNeeded: slot) & (missedCount - 1)
        let wasMissed = missed[slot].exchange(word, ordering: .relaxed) == word
        return wasMissed || hasRoom.load(ordering: .relaxed)
    }

    private func noteRoom(_ writers: borrowing AdjacencyWriters) {
        hasRoom.store(writers.cost <= bytes - bytes / 8, ordering: .relaxed)
    }

    // MARK: Counts

    package var readings: [(name: String, reading: CacheReading)] {
        let counts = counts
        let reading = CacheReading(
            entries: counts.adjacency, bytes: counts.bytes, mostBytes: bytes, found: counts.found,
            notFound: counts.notFound, evictions: counts.evictions)
        return [("adjacency", reading)]
    }

    /// How full the memory is, and how often it answered.
    package struct Counts: Equatable, Sendable {
        /// Accounts that are known, and those of them whose adjacency lists are.
        package var accounts = 0
        package var adjacency = 0
        /// Bytes of all that is kept, with what waits to be freed.
        package var bytes = 0
        package var found: UInt64 = 0
        package var notFound: UInt64 = 0
        package var loads: UInt64 = 0
        package var evictions: UInt64 = 0
    }

    package var counts: Counts {
        writers.withLock { writers in
            writers.reclaim(in: self)
            var counts = Counts()
            counts.accounts = writers.accounts
            counts.adjacency = writers.adjacency
            counts.bytes = writers.cost + writers.waitingBytes
            (counts.found, counts.notFound) = readers.counts()
            counts.loads = writers.loaded
            counts.evictions = writers.evictions
            return counts
        }
    }
}
