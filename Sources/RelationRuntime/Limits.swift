/// The bounds of the work that waits and runs at one time.
package enum RuntimeLimits {
    /// Operations that one transaction commits.
    ///
    /// More would make the first wait for the last; one request counts as many as it has items.
    package static let operationsPerCommit = 64
    /// How long one transaction works on operations that have gathered before it takes no more.
    ///
    /// A few dear ones would otherwise make many cheap ones wait for a long commit. What counts is
    /// the time of the processor: when others take it, in an overload above all, smaller
    /// transactions would only make each operation dearer.
    package static let nanosecondsPerCommit: UInt64 = 2_000_000
    /// The same by the clock, for a disk that is slow or a processor that others have.
    package static let longestNanosecondsPerCommit: UInt64 = 8_000_000
    /// Operations of all apps that wait for the committer, at most half of them of one app.
    ///
    /// Beyond it a write is refused at once: it would wait longer than its caller does.
    package static let waitingOperations = 16_384
    /// Reads of all apps that wait for a thread which may wait for the disk, at most half of them
    /// of one app; beyond it they are refused.
    package static let waitingReads = 1_024
    /// Operations of one app before it is another's turn, if others wait.
    ///
    /// A quarter of a transaction: so each has room for the turns of several apps, and turns are
    /// long enough to be worth something to callers that send several items.
    package static let operationsPerTurn = 16
    /// Reads of one app before it is another's turn: any of them may be long.
    package static let readsPerTurn = 1
    /// How far reads that scan stand back for what is short, where processors are scarce.
    ///
    /// A thread of this niceness gets a tenth of what another gets that is as busy: a scan, or a
    /// stream that begins, then takes longer, and never makes those wait who ask for a few rows.
    package static let scanNiceness: Int32 = 10
    /// Elements for which an empty queue keeps its memory, so that few in flight take none anew.
    package static let keptSlots = 64
    /// Apps that are looked at to tell what goes before an operation; of more, it is assumed that
    /// each takes all of its turns.
    package static let countedOwners = 64
    /// Transactions that left something waiting before anybody is refused by how long they took.
    ///
    /// One may have met a slow disk.
    package static let commitsOfEvidence = 4
    /// Of how many transactions the time of an operation is about the average, later ones counting
    /// more.
    package static let commitsRemembered = 16
    /// The part of a caller's time that may be spent with waiting, or the call is refused.
    ///
    /// What waits is told by an average: a call that would end just in time would end too late as
    /// often as not, and all work for it would be lost.
    package static let waitingShare = 0.75
    /// Rows of an import that one transaction writes: large enough to pay for its sync, small
    /// enough that other writes do not wait long behind it.
    package static let importRowsPerCommit = 250
    /// Rows of one import that wait for their transaction; beyond it the stream is not read.
    package static let waitingImportRows = 1_000
    /// Transactions of callers that go before one of the work behind the calls, if there always are
    /// some: that work then slows writes by a tenth, and still comes to its end.
    package static let commitsAheadOfMaintenance = 10
    /// Apps that one transaction looks through for what has become old.
    package static let appsPerSweep = 64
    /// How often leases and subscriptions whose time is over are looked for.
    package static let millisecondsBetweenEnds = 1_000
    /// How often the work behind the calls looks for what has become old.
    package static let secondsBetweenMaintenance = 60
}
