package import Storage

/// An engine whose data several processes share, with what an operator or another program does.
package protocol SharedEngine: Engine {
    /// Opens the store as one more process.
    func open(_ options: SharedOptions) throws(StorageError) -> any Store

    /// Moves the ends of all leases, as if so much time had passed.
    func moveLeases(milliseconds: Int) throws(StorageError)

    /// Gives each process another lease, as if it had renewed one that had run out.
    func renewLeasesElsewhere() throws(StorageError)

    /// Ends the sessions of all processes, and returns when they have ended.
    func endSessions() throws(StorageError)

    /// Loses all notes, as a crash does.
    func loseNotes() throws(StorageError)

    /// Takes the lock of a partition for another program.
    ///
    /// - Returns: Gives it back.
    func takeLock(of partition: Partition) throws(StorageError) -> @Sendable () -> Void

    /// Renews all leases in a transaction of another program, which stays open.
    ///
    /// - Returns: Ends it; it is committed or taken back.
    func beginRenewal() throws(StorageError) -> @Sendable (_ isCommitted: Bool) -> Void

    /// How many transactions wait for a lock.
    func waitingTransactions() throws(StorageError) -> Int

    /// Lets commits of rows be refused, or no more.
    func refuseCommits(_ isRefused: Bool) throws(StorageError)

    /// Keeps the present state.
    ///
    /// - Returns: Goes back to it, as a restore does: all sessions end.
    func keepState() throws(StorageError) -> () throws(StorageError) -> Void
}

/// How a process opens a store that it shares.
package struct SharedOptions: Sendable {
    package var readers = 8
    package var snapshots = 8
    package var writers = 8
    package var patienceMilliseconds = 10_000
    /// The lease of the process; nil for one by the engine's clock.
    package var lease: Lease?

    package init(_ change: (inout SharedOptions) -> Void = { _ in }) { change(&self) }
}

/// A promise that an engine keeps to several processes, and its check.
package struct SharedPromise: Sendable, CustomStringConvertible {
    /// The promise in words.
    package let claim: String
    package let check: @Sendable (any SharedEngine) throws -> Void

    init(_ claim: String, _ check: @escaping @Sendable (any SharedEngine) throws -> Void) {
        (self.claim, self.check) = (claim, check)
    }

    package var description: String { claim }
}

/// The promises of a store that processes share, for each engine's own tests to check one by one.
package let sharedPromises: [SharedPromise] =
    lockingPromises + leasingPromises + notePromises + sessionPromises

/// Runs `body`, and answers the code of its error; nil if there is none.
func code(_ body: () throws(StorageError) -> Void) -> StorageError.Code? {
    do throws(StorageError) {
        try body()
        return nil
    } catch {
        return error.code
    }
}

/// The other processes of a store that is shared.
func peers(_ store: any Store) -> any StorePeers {
    guard let peers = store.peers else { preconditionFailure("the store has no peers") }
    return peers
}
