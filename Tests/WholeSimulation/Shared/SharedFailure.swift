/// Something that goes wrong where several servers share a database.
package enum SharedFailure: Sendable, CustomStringConvertible {
    /// A server dies, and begins again.
    case kill(server: Int, downMilliseconds: Int)
    /// A server gets no processor for a while.
    case sleep(server: Int, milliseconds: Int)
    /// A thread of a server gets no processor; one beyond the last is its loop.
    case stall(server: Int, thread: Int, milliseconds: Int)
    /// A server loses its connections to the database; with `losingAnswersOnly`, what it has sent
    /// still comes.
    case cut(server: Int, losingAnswersOnly: Bool)
    /// The database ends all sessions.
    case endSessions
    /// The primary does nothing for a while, or its standby.
    case freeze(standby: Bool, milliseconds: Int)
    /// The primary ends, and begins again.
    case crash(downMilliseconds: Int)
    /// The primary ends, and its standby takes over; later it comes back as the standby.
    case promote(downMilliseconds: Int)
    /// The primary hangs, its standby takes over, and then it wakes up and takes itself for the
    /// primary for a while; then it follows.
    case wakeFormer(asleepMilliseconds: Int, awakeMilliseconds: Int)
    /// The standby shows what has come to it later from now on.
    case lag(milliseconds: Int)
    /// The clocks of the database are ahead by so much from now on.
    case clock(milliseconds: Int)
    /// One way between a server and the primary stands still.
    case hold(server: Int, isUp: Bool, milliseconds: Int)
    /// One way between the primary and its standby stands still.
    case holdStandby(isUp: Bool, milliseconds: Int)
    /// A session of a server hangs, and goes on.
    case hang(server: Int, session: Int, milliseconds: Int)
    /// Notices come later.
    case lateNotices(milliseconds: Int)

    /// The error without its numbers.
    var kind: String {
        switch self {
        case .kill: "death of a server"
        case .sleep: "sleep of a server"
        case .stall: "stalled thread of a server"
        case .cut(_, let losingAnswersOnly):
            losingAnswersOnly ? "lost answers of the database" : "lost connections to the database"
        case .endSessions: "sessions ended by the database"
        case .freeze(let standby, _): standby ? "freeze of the standby" : "freeze of the primary"
        case .crash: "crash of the primary"
        case .promote: "promotion"
        case .wakeFormer: "former primary that wakes up"
        case .lag: "lag of the standby"
        case .clock: "jump of the database's clock"
        case .hold(_, let isUp, _): isUp ? "held way to the primary" : "held way from the primary"
        case .holdStandby(let isUp, _):
            isUp ? "held way from the standby" : "held way to the standby"
        case .hang: "hung session"
        case .lateNotices: "late notices"
        }
    }

    package var description: String {
        switch self {
        case .kill(let server, let milliseconds):
            "server \(server) dies, and begins again after \(milliseconds) ms"
        case .sleep(let server, let milliseconds):
            "server \(server) sleeps for \(milliseconds) ms"
        case .stall(let server, let thread, let milliseconds):
            "thread \(thread) of server \(server) gets no processor for \(milliseconds) ms"
        case .cut(let server, let losingAnswersOnly):
            "server \(server) loses \(losingAnswersOnly ? "the answers of" : "its connections to") "
                + "the database"
        case .endSessions: "the database ends all sessions"
        case .freeze(let standby, let milliseconds):
            "the \(standby ? "standby" : "primary") does nothing for \(milliseconds) ms"
        case .crash(let milliseconds):
            "the primary ends, and begins again after \(milliseconds) ms"
        case .promote(let milliseconds):
            "the primary ends, its standby takes over, and it follows after \(milliseconds) ms"
        case .wakeFormer(let asleep, let awake):
            "the primary hangs for \(asleep) ms, its standby takes over, and then it takes itself "
                + "for the primary for \(awake) ms"
        case .lag(let milliseconds): "the standby shows changes \(milliseconds) ms late"
        case .clock(let milliseconds):
            "the clock of the database is \(milliseconds) ms ahead from now on"
        case .hold(let server, let isUp, let milliseconds):
            "nothing of \(isUp ? "server \(server)" : "the primary") comes to "
                + "\(isUp ? "the primary" : "server \(server)") for \(milliseconds) ms"
        case .holdStandby(let isUp, let milliseconds):
            "nothing passes \(isUp ? "from the standby to" : "to the standby from") the primary "
                + "for \(milliseconds) ms"
        case .hang(let server, let session, let milliseconds):
            "session \(session) of server \(server) hangs for \(milliseconds) ms"
        case .lateNotices(let milliseconds): "notices come up to \(milliseconds) ms later"
        }
    }

    /// - Parameter servers: How many servers there are.
    static func draw(_ chance: inout Chance, servers: Int) -> SharedFailure {
        let server = chance.number(0...(servers - 1))
        switch chance.number(0...36) {
        case 0...2: return .kill(server: server, downMilliseconds: chance.number(1...900))
        case 3...5: return .sleep(server: server, milliseconds: chance.number(5...5_000))
        case 6...7:
            return .stall(
                server: server, thread: chance.number(0...WorldLimits.sharedThreads),
                milliseconds: chance.number(5...1_500))
        case 8...11: return .cut(server: server, losingAnswersOnly: chance.one(in: 2))
        case 12: return .endSessions
        case 13...14:
            return .freeze(standby: chance.one(in: 3), milliseconds: chance.number(5...4_000))
        case 15: return .crash(downMilliseconds: chance.number(1...2_000))
        case 16...17: return .promote(downMilliseconds: chance.number(1...3_000))
        case 19...21:
            return .wakeFormer(
                asleepMilliseconds: chance.number(WorldLimits.formerMilliseconds),
                awakeMilliseconds: chance.number(50...3_000))
        case 22...26: return .lag(milliseconds: chance.pick([0, 300, 1_500, 4_000]))
        case 27...28:
            return .clock(milliseconds: chance.number(WorldLimits.databaseClockMilliseconds))
        case 29...31:
            return .hold(
                server: server, isUp: chance.one(in: 2), milliseconds: chance.number(50...4_000))
        case 32:
            return .holdStandby(
                isUp: chance.one(in: 2), milliseconds: chance.number(50...4_000))
        case 33...35:
            return .hang(
                server: server, session: chance.number(0...15),
                milliseconds: chance.number(50...4_000))
        default: return .lateNotices(milliseconds: chance.number(50...3_000))
        }
    }
}
