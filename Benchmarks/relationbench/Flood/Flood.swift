/// A measured load of unary calls of one method: so many connections to a server on this machine,
/// so many calls in flight on each.
///
/// The generator speaks HTTP/2 by itself, with frames made beforehand, on one thread. It shares no
/// code with the server, so the two cannot be wrong together, and it is cheap enough that the
/// server, on a core of its own, is what limits the run. Every answer is checked.
struct Flood {
    /// What is sent with one call, and what must come back.
    struct Request {
        /// The encoded message.
        var message: [UInt8]

        /// The encoded answer that is expected, or nil if any one message will do.
        var answer: [UInt8]?
    }

    /// The port on 127.0.0.1.
    var port: UInt16

    /// The path of the method, as `/package.Service/Method`.
    var path: String

    /// Metadata of every call; names in lower case.
    var metadata: [(name: String, value: String)] = []

    /// The requests, sent in this order over all connections, and from the beginning again.
    var requests: [Request]

    /// How many connections are opened.
    var connections = 4

    /// How many calls each connection has in flight.
    var streams = 50

    /// How many calls are made in all.
    var calls: Int

    /// When this time is over no further call is started.
    var seconds = 60.0

    /// How many calls begin in a second, whether or not others have ended; nil for as many as end.
    ///
    /// Times then count from when a call was due, so that a server which makes calls wait for a
    /// free stream is not told to be faster than it is.
    var callsPerSecond: Double?

    /// Statuses that are no failures: such calls are counted as refused.
    var refusals: Set<Int> = []

    /// How long a caller waits: a right answer that takes longer is counted as late.
    var patienceSeconds = Double.infinity

    /// Whether the load's processor is busy also while it waits.
    ///
    /// Two processors may be two threads of one core, where a server slows down as the load has
    /// more to do. What compares a small load with a large one would then measure that.
    var staysAwake = false

    /// Other connections that are driven meanwhile.
    var listeners: [any PolledConnection] = []

    /// Called in every turn of the loop with the time.
    var turn: ((_ time: UInt64) -> Void)?

    /// Told of each right answer: the place of its request, and when it came.
    var answered: ((_ request: Int, _ time: UInt64) -> Void)?

    /// Told of each call that was refused: the place of its request, and the status.
    var refused: ((_ request: Int, _ status: Int) -> Void)?

    /// The seconds from the beginning in which good answers are counted by themselves.
    var window: ClosedRange<Double> = 0...0

    /// Makes the calls and waits for their answers.
    ///
    /// - Throws: ``FloodError`` if the load cannot be made as asked: no connection, no greeting, or
    ///   limits of the server that are too small. A connection lost later is not thrown: its calls
    ///   are counted as failures and the others go on.
    func run() throws(FloodError) -> FloodReport {
        precondition(!requests.isEmpty && connections > 0 && streams > 0 && calls >= 0)
        return try FloodRun(self).run()
    }
}
