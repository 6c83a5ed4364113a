/// The sizes and times of a simulation.
///
/// Times are virtual: no thread ever waits for them.
package enum WorldLimits {
    /// Where the clock begins: later than any machine's clock shows.
    ///
    /// So a deadline of the simulation is never past for code that reads the machine's clock.
    static let startNanoseconds: UInt64 = 1 << 60
    /// The wall clock at that moment, in milliseconds since 1970 UTC.
    static let startMilliseconds: Int64 = 1_790_000_000_000
    /// How often a server's loop looks at its timers.
    static let tickMicroseconds = 20_000

    static let cacheBytes = 4 << 20

    static let users = 8
    static let callers = 5
    /// The users that a stream follows, one each.
    static let followers = 4
    /// The clients that have a key of their own: callers, then followers.
    static let holders = callers + followers
    /// How many keys a holder has, one after another.
    static let keys = 6
    /// Calls that a caller has open at once.
    static let openCalls = 3

    /// How long a piece of bytes is under way.
    static let deliveryMicroseconds = 50...3_000
    /// How long a thread needs until it runs what it was given.
    static let turnMicroseconds = 10...400
    /// The same, once in ``slowTurns`` turns.
    static let slowTurnMicroseconds = 1_000...30_000
    static let slowTurns = 16
    /// How long a commit waits for the disk.
    static let syncMicroseconds = 100...4_000
    /// How long a reader works on what it has asked of the store.
    static let snapshotMicroseconds = 0...3_000
    /// How long it takes from then on until the caches know of the commit.
    static let publishMicroseconds = 0...200

    static let callMilliseconds = 400...3_000
    /// The time of one call in ``hastyCalls``, which ends while it is under way.
    static let hastyMilliseconds = 2...120
    static let hastyCalls = 6
    static let attempts = 4
    /// One in so many answered writes is sent once more.
    static let echoes = 8
    /// How long a device counts as online: longer than a history lasts.
    static let presenceSeconds: Int64 = 3_600
    /// How far the wall clock of the process may be off: a report of presence may be a minute ahead
    /// of it.
    static let wallMilliseconds = -50_000...300_000
    static let retryMilliseconds = 20...400
    /// One in so many callers of a write believes the first answer that nothing was done.
    static let resignations = 4
    /// The pause before one in ``quickStreams`` streams that go on.
    static let quickMilliseconds = 0...4
    static let quickStreams = 2
    /// How much later than its deadline a call may end at a client whose network is well.
    static let lateMilliseconds = 1_000
    /// The silence after which a server sends a heartbeat, and the one after which a client gives a
    /// stream up.
    static let heartbeatMilliseconds = 1_000
    static let silenceMilliseconds = 5_000

    /// The time in which all must go on after the last error.
    static let calmMilliseconds = 20_000
    /// The time after the last error from which on each attempt must succeed.
    static let settlingMilliseconds = 4_000
    /// The time for all last questions.
    static let verifyingMilliseconds = 8_000
    /// The time in which a server lets go of all that has ended.
    ///
    /// It hears of a lost connection up to two seconds late, and what was under way as it slept, or
    /// as a way stood still, comes at the end of these four seconds.
    static let leavingMilliseconds = 7_000
    /// The numbers of a server's threads that are drawn; those beyond its last one mean its loop.
    static let sharedThreads = 22
    /// How long a primary hangs that wakes up as a former one: longer than a server relies on the
    /// lease that it had there.
    static let formerMilliseconds = 2_600...6_000
    /// How far the clock of a database may be off.
    static let databaseClockMilliseconds = -20_000...20_000
    /// How long a read waits for a connection to a standby.
    static let standbyMilliseconds = 300
    /// One in so many reads shows the sequence of an answered write, where there are standbys.
    static let tokens = 2
    /// The time in which servers that share a database start, before the first step.
    static let startingMilliseconds = 1_000
    /// How long a server is down that could not start.
    static let restartMilliseconds = 300
    /// How often it is looked whether a standby has all, so that it may take over, and how often at
    /// most.
    static let promotionMilliseconds = 5
    static let promotionLooks = 400
    /// The time in which servers that share a database must go on after the last error: leases run
    /// out, and commits find out what became of them.
    static let sharedSettlingMilliseconds = 16_000
    static let sharedCalmMilliseconds = 60_000
    /// The time in which each of them learns of all reports of devices.
    static let convergingMilliseconds = 3_000

    /// How long the receiver of a hook is away.
    static let awayMilliseconds = 100...8_000
    /// How long a request is under way that comes late: longer than a server waits for its answer,
    /// or a little shorter.
    static let lateRequestMicroseconds = 10_000_000...30_000_000
    /// The time after the last fault in which the receiver of a hook gets all events.
    ///
    /// The lease of a server that is gone runs out, another looks for it, and a receiver that was
    /// away is tried again.
    static let hookMilliseconds = 180_000
    /// The number of a server's loop, among those of its threads.
    static let loopThread = 6

    /// The callers that make their calls by the Swift client, in every second history; each has a
    /// client, which also follows the changes of a user.
    static let swiftClients = 2
    /// One in so many of these clients makes each call once.
    static let singleAttempts = 4
    /// How long a job of a client's task, or a turn of its loop, waits for its turn.
    static let jobMicroseconds = 0...40
    /// The highest age of what a client keeps.
    static let cacheAge = Duration.seconds(2)
    /// One in so many questions to a client's cache wants a new answer.
    static let forcedLooks = 4
    /// The calls that a client makes at most, one after another, to read a chain.
    static let callsOfChain = 10
    /// One in so many messages is the last before the program that reads them begins anew.
    static let readerEnds = 30
    /// The time in which a client's stream comes to the end of its log: the longest wait between
    /// two tries of a stream, and a little more.
    static let clientStreamMilliseconds = 35_000
    /// The time in which all tasks of a client end when it is closed.
    static let closingMilliseconds = 500

    /// How many runs may be made to find a shorter history.
    package static let shrinkingRuns = 160
    /// The lines of what happened that a story ends with.
    static let storyLines = 40
}
