/// The sizes and times that this room fixes; ``PostgresOptions`` has those that an operator may
/// choose.
package enum Limits {
    /// Connections for snapshots that stay open while none is kept.
    package static let idleSnapshots = 4

    /// How long an attempt to connect to a standby may take: libpq takes no less.
    static let standbyConnectSeconds = 2
    /// How long a standby that has failed is left alone; the pause doubles up to the longest one.
    package static let firstStandbyPauseMilliseconds = 1_000
    package static let longestStandbyPauseMilliseconds = 60_000

    /// Connections to one standby for ordinary reads.
    package static let standbyReaders = 8
    /// How old the view of a standby may be in which a read looks for a change that it knows of, if
    /// the settings allow no older one.
    package static let tokenStalenessMilliseconds = 10_000
    /// How long the first answer of a standby may take in an ordinary read.
    static let standbyAnswerMilliseconds = 500
    /// How long an ordinary read may take at a standby after the first answer.
    static let standbyViewMilliseconds = 5_000
    /// How long a standby that is behind is left alone by ordinary reads.
    static let standbyLagMilliseconds = 20
    /// Numbers of commits that are remembered with their times.
    package static let keptMarks = 512
    /// The part of the age that a view may have after which another number is committed.
    static let marksPerAge = 4

    /// Keys in one statement.
    ///
    /// A longer list is read by several statements of one view.
    package static let keysPerRead = 1024

    /// Rows that the first statement of a scan asks for; the later ones ask for more.
    ///
    /// Many callers stop early, and a row that crosses the network for nothing costs both sides.
    package static let firstRowsPerScan = 256
    package static let rowsPerScan = 2048

    /// Address space for the records that one transaction decodes; the system gives pages when
    /// touched.
    package static let transactionArenaBytes = 64 << 20

    /// Arenas that are kept for later transactions.
    static let idleArenas = 16

    /// The room in which a write transaction encodes one record at a time; it grows with a longer
    /// record.
    package static let scratchBytes = 4 << 10

    /// Keys and values written by one transaction: one message of the protocol holds them.
    package static let batchBytes = 128 << 20

    /// Memory for a statement's parameters that is used again; more is given back.
    static let keptParameterBytes = 1 << 20

    /// Rows changed by one statement.
    package static let rowsPerStatement = 4096

    /// The pause before something is tried again, at most: it is drawn at random below this bound,
    /// which doubles each time up to the longest one.
    package static let firstPauseMilliseconds = 2
    package static let longestPauseMilliseconds = 200

    /// How much longer an answer is waited for than the database works for it.
    static let lateAnswerMilliseconds = 500

    /// How long an answer is waited for while the process ends; see ``Shutdown``.
    package static let shutdownPatienceMilliseconds = 5_000

    /// How often a wait checks whether the process ends.
    static let endingCheckMilliseconds = 100

    /// How often a start checks whether two connections get one session of the database.
    static let poolerChecks = 3

    /// How long an answer may take before a writer checks whether the holder of a lock has a lease.
    static let slowAnswerMilliseconds = 500
    /// How long such a check waits for the end of a lease, to check again right then.
    package static let leaseEndMilliseconds = 1_000
    /// How long a transaction waits at one time for all others to end, while new ones wait for it.
    static let aloneMilliseconds = 250
    /// How long the end of a transaction is waited for at least, if the time of its write is over.
    static let leastEndMilliseconds = 1_000

    /// After how much silence both ends of a session ask whether the other one is there.
    ///
    /// They ask at this interval and so many times, and then give the session up.
    static let keepaliveIdleSeconds = 5
    static let keepaliveIntervalSeconds = 2
    static let keepaliveCount = 3
    /// How long bytes may stay unacknowledged by the other end of a session.
    static let unacknowledgedMilliseconds = 10_000
    /// How often the database checks, while it works for a session, whether that has ended.
    static let peerCheckMilliseconds = 2_000

    /// How long a mover waits at one time for the table of rows, while writers wait behind it.
    static let tableMilliseconds = 100
    /// The same, at every such attempt: a vacuum gives way after a second.
    static let longTableMilliseconds = 1_300
    static let tableAttemptsPerLongOne = 20
    static let tablePauseMilliseconds = 300
    /// How often it tries: for about two minutes.
    static let tableAttempts = 300
    /// How long it waits to drop a trigger, while readers wait too, and how often it tries.
    static let dropMilliseconds = 30
    static let triggerDrops = 3
    /// Changes of an app that moves which may wait: a list as long as that is given up.
    package static let waitingChanges = 2_000_000
    /// Rounds in a row that leave changes behind, after which those that wait are counted.
    static let fullRoundsPerCount = 20

    /// How long a request that makes an app gets the same number again.
    static let allotmentDays = 2

    /// How long the call may be on its way that makes an app, after the app got its place.
    static let youngPlaceSeconds = 10

    /// How long the row of a writer's last transaction is relied on; it stays for a day.
    static let keptBatchMilliseconds = 12 * 3_600_000
}
