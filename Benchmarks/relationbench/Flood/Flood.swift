import Protobuf
import RelationAPI

/// A measured load of unary calls of one method, on some connections to a server on this machine.
///
/// Each connection has a number of calls in flight. One thread drives the session that the server
/// has too, over sockets of its own, with requests that were encoded beforehand. So the server, on
/// a core of its own, limits the run. Every answer is checked.
struct Flood: MeasuredLoad {
    /// The message that one call sends, and the answer that must come back.
    struct Request {
        /// The encoded message.
        var message: [UInt8]

        /// The encoded answer that is expected; nil if any one message will do.
        var answer: [UInt8]?
    }

    /// The port on 127.0.0.1.
    var port: UInt16
    /// Servers that have connections too, each as many as the first one.
    var otherPorts: [UInt16] = []
    /// The path of the method, as `/package.Service/Method`.
    var path = FriendMethods.checkFriends.path
    /// Metadata of every call; names in lower case.
    var metadata: [(name: String, value: String)] = []
    /// The requests, sent in this order over all connections, and from the beginning again.
    var requests: [Request]
    /// The connections, and the calls that each has in flight.
    var load = Load.reads
    /// The number of calls in all.
    var calls = Int.max
    /// After this time no further call is started.
    var seconds = 60.0
    /// How many calls begin in a second, whether or not others have ended; nil begins one as one
    /// ends.
    ///
    /// Times then count from the moment when a call was due. So a server that makes calls wait for
    /// a free stream does not seem faster than it is.
    var callsPerSecond: Double?
    /// Statuses that are not failures: calls with them are counted as refused.
    var refusals: Set<Int> = []
    /// How long a caller waits: a correct answer that takes longer is counted as late.
    var patienceSeconds = Double.infinity
    /// Whether the load's processor stays busy while it waits.
    ///
    /// Two processors may be two threads of one core. There a server slows down as the load has
    /// more to do. A comparison of a small load with a large one would then measure this effect.
    var staysAwake = false
    /// Other connections that the loop drives at the same time.
    var listeners: [any PolledConnection] = []
    /// Called in every turn of the loop with the time.
    var turn: ((_ time: UInt64) -> Void)?
    /// Gets each correct answer: the index of its request, and when it came.
    var answered: ((_ request: Int, _ time: UInt64) -> Void)?
    /// Gets the bytes of each correct answer, where they are wanted.
    var taken: ((_ request: Int, _ message: UnsafeRawBufferPointer) -> Void)?
    /// Gets each refused call: the index of its request, and the status.
    var refused: ((_ request: Int, _ status: Int) -> Void)?
    /// The seconds from the beginning in which good answers are counted separately.
    var window: ClosedRange<Double> = 0...0

    /// Makes the calls, and waits for their answers.
    ///
    /// - Throws: ``FloodError`` if the load cannot be made: no connection, no greeting, or limits
    ///   of the server that are too small. If a connection is lost later, this throws nothing: its
    ///   calls are counted as failures, and the others go on.
    func run() throws(FloodError) -> FloodReport {
        precondition(!requests.isEmpty && load.isSome && calls >= 0)
        return try FloodRun(self).run()
    }

    /// Makes the calls as ``run()``, and refuses a run with a wrong answer or without any.
    @discardableResult
    func checkedRun(_ title: String) throws(FloodError) -> FloodReport { try run().checked(title) }

    /// Makes each of these calls once, one after another, and returns the messages that the server
    /// answers.
    func answers() throws(FloodError) -> [[UInt8]] {
        var answers = [[UInt8]](repeating: [], count: requests.count)
        var flood = self
        (flood.load, flood.calls) = (Load(), requests.count)
        flood.taken = { answers[$0] = Array($1) }
        try flood.checkedRun(path)
        return answers
    }

    /// Makes each of these checks once.
    static func once(
        _ checks: [Request], _ port: UInt16, _ title: String, seconds: Double = 60
    ) throws(FloodError) {
        try Flood(port: port, requests: checks, calls: checks.count, seconds: seconds)
            .checkedRun(title)
    }
}

/// A load that lasts for a time, or until a number of calls were made.
protocol MeasuredLoad {
    var calls: Int { get }
    var seconds: Double { get set }
    /// Makes the load, and refuses a wrong answer.
    func checkedRun(_ title: String) throws(FloodError) -> FloodReport
}
