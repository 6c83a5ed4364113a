/// The sizes of the measurements.
enum BenchLimits {
    static let serverProcessor = 0
    static let loadProcessor = 1
    static let processors = [serverProcessor, loadProcessor]
    /// The friends of each user whose list is read: a page of this size is the whole list.
    static let listedFriends = 50
    /// Different calls that a reading scenario repeats.
    ///
    /// They are so many that neither the server's caches nor the branch predictor know the next
    /// one.
    static let differentReads = 4_096
    /// Files that other threads may open while a server is being started.
    static let descriptorsOpenedMeanwhile: Int32 = 64
    /// How often a small file is synced, to measure one sync.
    static let measuredSyncs = 200
    /// How many messages are sent to a socket, to measure one, and their size: about that of an
    /// event.
    static let measuredSends = 2_000
    static let measuredSendBytes = 512
    /// Streams of changes on one connection: a few less than a server allows.
    static let streamsPerConnection = 1_000
    /// Connections on which streams are reset: so many that none resets more than a server allows.
    static let resetConnections = 16
    /// How many times more calls come than a server can answer.
    static let overloadFactor = 3
    /// How long the callers of these calls wait.
    static let patienceMilliseconds = 150
    /// The connections of these calls.
    static let overloadConnections = 8
    /// Calls in flight on each connection when as many calls come as are answered.
    static let peakStreams = 128
    /// Streams for which the instructions of an event are counted.
    ///
    /// They are fewer than when it is timed, because opening streams under valgrind takes long.
    static let countedStreams = 400
    /// The writes that these streams are notified of, in the shorter and in the longer run.
    static let countedWrites = (4, 24)
    /// More threads than a server has had when it ends.
    static let countedThreads = 99
    /// How long all streams may take to send the present state, even under valgrind.
    static let openSeconds = 300.0
    /// How long the events of a round may take to come.
    static let deliverySeconds = 20.0
    /// How long a server may take to start, even under valgrind.
    static let startSeconds = 120.0
    /// How long a program may take whose output is read.
    static let toolSeconds = 600.0
    /// How long any other program may take.
    static let longestSeconds = 86_400.0
}

/// How long and how often the measurements run.
struct Effort {
    var rounds = 5
    /// The length of a round that reads, in seconds.
    ///
    /// A round that writes has a number of calls instead.
    var seconds = 2.0
    var warmUpSeconds = 0.5
    /// Writes in a round, with one call in flight and with many.
    var loneWrites = 1_000
    var massedWrites = 10_000
    /// How often a round of streams repeats its writes, with many calls in flight.
    var massedTurns = 3
    /// Streams of changes, each of one user.
    var watchers = 10_000
    /// The users that watch a friend of theirs, and a user to whom they subscribe.
    var friends = 3_000
    var subscribers = 5_000
    /// Writes in a round that all watching users are notified of.
    var wideWrites = 100
    /// Streams that are not read, and streams a second that are reset, beside calls.
    var stalledStreams = 1_000
    var resetsPerSecond = 1_000
    /// Writes in a round at the server's peak, and calls in a round of overload.
    ///
    /// Of the latter about as many are answered as in the former. Both are more than the engine
    /// gathers in memory before it writes a file of all of them. In shorter rounds one part would
    /// have to carry this work for both, and mostly it would be the same part.
    var peakWrites = 40_000
    var overloadCalls = 120_000
    /// How many of these calls each connection may have in flight, and the most writes of another
    /// app beside them.
    var overloadStreams = 1_000
    var lightWrites = 10_000
    /// Calls of the shorter and of the longer run in which instructions are counted.
    var instructionCalls: (Int, Int)? = (400, 2_400)

    static let quick = Effort(
        rounds: 1, seconds: 0.2, warmUpSeconds: 0.05, loneWrites: 20, massedWrites: 200,
        massedTurns: 1, watchers: 60, friends: 20, subscribers: 30, wideWrites: 3,
        stalledStreams: 20, resetsPerSecond: 100, peakWrites: 200, overloadCalls: 600,
        overloadStreams: 50, lightWrites: 1_000, instructionCalls: nil)
}
