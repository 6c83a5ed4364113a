/// The other processes that serve the same store.
///
/// All of them are equals. Each learns of the others' changes here, and holds a lease. As long as
/// it renews the lease, the others may trust that it knows the registry of apps as far as it said.
package protocol StorePeers: AnyObject, Sendable {
    /// Waits until a process of the store, which may be this one, has said that something changed.
    ///
    /// - Returns: The kinds of changes; none if the time is over. A word may be lost with a
    ///   connection, so a caller polls from time to time without one.
    func wait(milliseconds: Int) throws(StorageError) -> Set<PeerSignal>

    /// The lease of this process.
    var lease: Lease { get }

    /// Reads the registry and renews the lease, in one transaction.
    ///
    /// - Parameter read: Takes over what it reads, and returns the version of the registry that
    ///   this process then knows.
    /// - Returns: Whether the lease is good; if not, another renewal at once may make it good.
    /// - Throws: ``StorageError`` with the code `lostData` from then on at which the store is found
    ///   to have gone back to an earlier state than this process has seen.
    func renew(
        _ read: (any ReadTransaction) throws(StorageError) -> Int64
    ) throws(StorageError) -> Bool

    /// Notes that the store lacks what this process has answered its callers: from now on
    /// ``renew(_:)`` throws `lostData`.
    func noteRollback()

    /// Checks whether all tables are there, and no other session has locked one against writing.
    ///
    /// - Returns: The time of the store's clock, in milliseconds.
    /// - Throws: ``StorageError`` with the code `foreign` if a table or a part of one is gone,
    ///   `unavailable` if one is locked, or the store is away.
    func checkTables() throws(StorageError) -> Int64

    /// Whether this process does the work of which one process is enough.
    ///
    /// One of those that have renewed their leases lately says so. While processes come or go, it
    /// may be none or two for a while.
    var doesUpkeep: Bool { get }

    /// The processes that had a lease when this one renewed its own last, this one included.
    var processCount: Int { get }

    /// Waits until no process relies on a lease with an older version of the registry.
    ///
    /// It returns in any case when every process has stopped that may have relied on one, by this
    /// process's clock. Where such a lease is left, it also waits for the transactions that run
    /// then.
    ///
    /// - Parameter byThisProcessToo: Whether this process may have an older version itself: another
    ///   one has made the change.
    func settle(_ version: Int64, byThisProcessToo: Bool)

    /// Keeps notes for all processes of the store, in place of earlier ones with the same keys, and
    /// reads those after a position, the kept ones among them.
    ///
    /// When it returns, each note that any process begins to keep later comes after these. Notes
    /// are not durable: a crash of the store takes all of them. They stay for a day.
    ///
    /// - Parameters:
    ///   - notes: At most ``NoteLimits/posted``, of different keys.
    ///   - position: Where an earlier reading ended; nil for all notes that there are.
    func post(
        _ notes: [PeerNote], readingAfter position: NotePosition?
    ) throws(StorageError) -> PeerNotes

    /// Reads the notes after a position, in the order in which they were posted: at most
    /// ``NoteLimits/read``.
    ///
    /// - Parameter position: Where an earlier reading ended; nil for all notes that there are.
    func notes(after position: NotePosition?) throws(StorageError) -> PeerNotes

    /// Removes the notes that are older than a day, and the oldest ones if there are more than
    /// `count`.
    func trimNotes(to count: Int) throws(StorageError)

    /// Gives the lease back.
    func releaseLease()
}

extension StorePeers {
    /// Renews the lease of this process, which knows that version of the registry.
    @discardableResult
    package func renew(knowing version: Int64) throws(StorageError) -> Bool {
        try renew { _ in version }
    }
}

/// The kinds of changes of which processes notify one another.
package enum PeerSignal: String, Sendable {
    /// There are new events in the feed of an app.
    case feed = "f"
    /// The registry has a new version.
    case registry = "r"
    /// There are new notes.
    case notes = "n"
    /// The directory of a fleet has a new version, in the database that has it.
    case directory = "d"
}
