/// The bounds of the work that waits or runs at one time.
package enum RuntimeLimits {
    /// Calls whose lines wait for the log; beyond them lines are left out.
    ///
    /// They take some two megabytes.
    package static let loggedCalls = 8_192

    /// How often a server checks whether its lease has run out.
    package static let leaseCheckMilliseconds = 100
    /// How often a server checks whether the tables of a shared store are there.
    package static let tableCheckMilliseconds = 1_000
    /// How long another session may lock a table before the server's health reports it.
    package static let lockedTableMilliseconds = 5_000
    /// How long a server waits for words of others before it sees whether it stops; also its pause
    /// after a failure.
    package static let peerWaitMilliseconds = 250

    /// How long the first of them waits for others, so that one wake-up serves many.
    package static let logMilliseconds = 20

    /// Operations that one transaction commits.
    ///
    /// More would make the first wait for the last. A request counts as many operations as it has
    /// items.
    package static let operationsPerCommit = 64
    /// Operations that one transaction commits at most where each commit waits long, as it does for
    /// a standby far away.
    ///
    /// So many of them take some seventy milliseconds of this server and of the database.
    package static let operationsPerSlowCommit = 640
    /// The wait of a commit for which a transaction takes one operation.
    ///
    /// A database nearby waits less than this for each of ``operationsPerCommit`` operations, with
    /// its own work for them. So only a long wait makes transactions larger.
    package static let commitNanosecondsPerOperation: UInt64 = 125_000
    /// Bytes that the jobs of a transaction write before it takes no more.
    ///
    /// A store refuses a transaction of more than four times as many, and all of its jobs would
    /// fail: a test compares this with the `batchBytes` of each engine.
    package static let bytesPerCommit = 32 << 20
    /// How long one transaction works on the gathered operations before it takes no more.
    ///
    /// A few costly operations would otherwise make many cheap ones wait for a long commit. This
    /// counts processor time. In an overload others take the processor, and smaller transactions
    /// would only raise the cost of each operation.
    /// It has room for ``operationsPerCommit`` usual writes: a bound below that would only make
    /// more syncs of the same work.
    package static let nanosecondsPerCommit: UInt64 = 3_000_000
    /// How long one transaction may work by the clock, for a slow disk or a busy processor.
    package static let longestNanosecondsPerCommit: UInt64 = 8_000_000
    /// Operations of all apps that wait for the committer, at most half of them of one app.
    ///
    /// Beyond this bound a write is refused at once: it would wait longer than its caller does.
    package static let waitingOperations = 16_384
    /// The part of a store's snapshots that exports and checks of all apps take: a half, in a store
    /// that has a bound.
    ///
    /// The rest is for the streams that begin at one time.
    package static let partOfSnapshots = 2

    /// Apps that wait at one time for locks that other servers have, each on a thread and a
    /// connection of its own; more of them are served one after the other.
    package static let heldAppWorkers = 6
    /// Reads of all apps that wait for a thread which may wait for the disk.
    ///
    /// At most half of them belong to one app. Beyond this bound a read is refused.
    package static let waitingReads = 1_024
    /// Long reads and long requests of all apps that wait for a thread.
    ///
    /// At most half of them belong to one app. Beyond this bound a call is refused. Most of them
    /// take less than a tenth of a millisecond, so their queue is longer than that of scans.
    package static let waitingLongReads = 8_192
    /// Operations that one app commits before another is served, if others wait.
    ///
    /// This is a quarter of a transaction. So each transaction has room for the quanta of several
    /// apps, and a quantum is long enough for callers that send several items.
    package static let operationsPerQuantum = 16
    /// Reads of one app before another is served: any of them may be long.
    package static let readsPerQuantum = 1
    /// Rows that a read on a loop looks up, as far as its request says; a longer read goes to
    /// another thread.
    ///
    /// That is some twenty microseconds, no more than the way to another thread and back costs a
    /// caller. So a few callers at once with the longest of such reads double the time of one who
    /// asks for a single row.
    package static let rowsOnLoop = 16
    /// How long a read waits for a standby that is behind, if its caller asks for that.
    package static let behindMilliseconds = 1_000
    /// The pauses between the tries of such a read: each is twice as long as the one before.
    package static let firstBehindPauseMilliseconds = 5
    package static let longestBehindPauseMilliseconds = 80
    /// Rows that a read on a loop looks up in a store that holds all of them in memory, if the read
    /// does nothing but look up and answer.
    ///
    /// That is a hundred users, who take as long as ``rowsOnLoop`` of the engine's rows.
    package static let heldRowsOnLoop = 300
    /// Rows that a read on a loop may stand for, if adjacency lists in memory say all of its
    /// answer.
    ///
    /// That is 128 users, whom an adjacency list answers in about the time of ``rowsOnLoop`` of the
    /// engine's rows.
    package static let cachedRowsOnLoop = 384
    /// The longest request that a loop decodes; the thread that does a longer one decodes it.
    ///
    /// It has room for any single item, and for as many identifiers as a loop decodes in some ten
    /// microseconds.
    package static let requestBytesOnLoop = 1_024
    /// How far the threads for long reads and long requests stand back for loops when processors
    /// are scarce.
    ///
    /// There are two such threads or more. Two get an eighth of a processor whose loop is as busy.
    /// With a third for each, callers of long requests took half of the processor from neighbours
    /// who ask for little.
    package static let longReadNiceness: Int32 = 12
    /// How far reads that scan stand back for short reads when processors are scarce.
    ///
    /// A thread of this niceness gets a tenth of the time of another thread that is as busy. A
    /// scan, or a stream that begins, then takes longer. It never delays callers that ask for a few
    /// rows.
    package static let scanNiceness: Int32 = 10
    /// Elements for which an empty queue keeps its memory, so that a few in flight allocate
    /// nothing.
    package static let keptSlots = 64
    /// Apps that are counted one by one to estimate the cost ahead of an operation.
    ///
    /// Of further apps it is assumed that each uses all of its quanta.
    package static let countedOwners = 64
    /// Transactions that left work waiting before writes are refused by how long they took.
    ///
    /// One alone may have met a slow disk.
    package static let commitsOfEvidence = 4
    /// The number of transactions over which the time of an operation is averaged.
    ///
    /// Later transactions count more.
    package static let commitsRemembered = 16
    /// The share of a caller's time that the call may spend waiting; beyond it the call is refused.
    ///
    /// The waiting time is an average. A call that should end just in time would end too late every
    /// second time, and all work for it would be lost.
    package static let waitingShare = 0.75
    /// How long a transaction may be under way before a server of a shared store asks for no more
    /// calls, in seconds.
    ///
    /// Other servers may be able to write. A server that was stopped in the middle of a transaction
    /// loses its lease, and so its locks, in less time.
    package static let stalledCommitSeconds: UInt64 = 5
    /// How many times the lease is renewed at once, if it has to be taken again.
    package static let renewalsAtOnce = 3
    /// How long a transaction may be under way before the server counts as hung, in seconds.
    ///
    /// A device that stalls for some seconds comes back; one that has not after this time does not.
    package static let hungCommitSeconds: UInt64 = 30
    /// Last uses of credentials that one transaction stores.
    package static let credentialUsesPerCommit = 64
    /// Rows of an import that one transaction writes.
    ///
    /// That is enough to pay for its sync, and so few that other writes do not wait long for it.
    package static let importRowsPerCommit = 1_000
    /// Rows of one import that wait for a transaction; beyond this bound the stream is not read.
    package static let waitingImportRows = 4_000
    /// Transactions of callers that go before one of the background work, if callers always have
    /// some.
    ///
    /// The background work then slows writes by a tenth, and still comes to its end.
    package static let commitsAheadOfMaintenance = 10
    /// Apps that one transaction searches for old rows.
    package static let appsPerSweep = 64
    /// How often the server looks for leases and subscriptions that have ended.
    package static let millisecondsBetweenEnds = 1_000
    /// How often the server checks whether a backup is due.
    package static let millisecondsBetweenBackupChecks = 10_000
    /// The pause between two steps of a backup, each of some milliseconds.
    package static let millisecondsBetweenBackupSteps = 5
    /// The pause after a backup that failed.
    package static let millisecondsBetweenBackupAttempts: Int64 = 600_000

    /// How often the background work looks for old rows.
    package static let secondsBetweenMaintenance = 60
    /// The part of the process's memory for what is read of the store, unless an operator says how
    /// much.
    ///
    /// It is one in so many. The rest is for calls, for the engine's new rows, and for other
    /// programs.
    package static let cachePart = 4
    /// The least that is taken for it unless an operator says how much.
    package static let leastCacheBytes = 128 << 20
    /// The part of the process's memory that the system may fill with files of the store after a
    /// start: one in so many.
    package static let filePart = 2
}
