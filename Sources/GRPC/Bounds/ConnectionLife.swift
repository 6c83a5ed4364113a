import NIOCore

/// How long a connection lasts, and how far its client has been told of its end.
///
/// It judges, and ``ServerConnection`` acts.
struct ConnectionLife {
    private enum Phase {
        case open
        /// The first `GOAWAY` is out, or on its way; the second follows when the ping behind it is
        /// answered.
        case announcing(since: NIODeadline, isPingDue: Bool)
        /// New streams are refused; the connection closes when it has nothing to do.
        case draining
        case closed
    }

    /// The thing that is to be done because of the connection's age.
    enum Due {
        case nothing
        /// The client is asked to make another connection.
        case warning
        /// The calls that still run are cut off.
        case end
    }

    private var phase = Phase.open

    /// When the client is asked to make another connection.
    private var end: NIODeadline?

    private let made: NIODeadline

    /// When a call began last, or was seen to be open.
    private var lastCall: NIODeadline

    /// - Parameter ageSeconds: The age that a connection may reach. Connections that were made
    ///   together end at different times: each ends up to a part of that age sooner.
    init(now: NIODeadline, ageSeconds: Int64?) {
        made = now
        lastCall = now
        end = ageSeconds.map { age in
            let spread = age * 1_000 / Int64(CallLimits.connectionAgeSpread)
            return now + .milliseconds(age * 1_000 - Int64.random(in: 0...spread))
        }
    }

    var isOpen: Bool { if case .open = phase { true } else { false } }
    var isAnnouncing: Bool { if case .announcing = phase { true } else { false } }
    var isDraining: Bool { if case .draining = phase { true } else { false } }
    var isClosed: Bool { if case .closed = phase { true } else { false } }

    // MARK: Age

    /// Lets the connection last no longer than until `time`.
    mutating func end(by time: NIODeadline) {
        end = min(end ?? time, time)
    }

    /// - Parameter graceSeconds: How long calls may go on after the client was asked.
    func due(at now: NIODeadline, graceSeconds: Int64) -> Due {
        guard let end, now >= end else { return .nothing }
        switch phase {
        case .open: return .warning
        case .announcing, .draining:
            return now >= end + .seconds(graceSeconds) ? .end : .nothing
        case .closed: return .nothing
        }
    }

    /// How long it has been there, in seconds.
    func ageSeconds(at now: NIODeadline) -> Int64 { (now - made).nanoseconds / 1_000_000_000 }

    // MARK: Idleness

    /// How long no call has begun, in seconds.
    func idleSeconds(at now: NIODeadline) -> Int64 {
        (now - lastCall).nanoseconds / 1_000_000_000
    }

    /// Notes that a call begins, or is open.
    mutating func called(at now: NIODeadline) {
        lastCall = now
    }

    /// Whether an open connection has had no call for that time.
    func isIdle(at now: NIODeadline, forSeconds seconds: Int64) -> Bool {
        isOpen && now - lastCall >= .seconds(seconds)
    }

    // MARK: The end

    /// The first `GOAWAY` was made; a ping goes behind it.
    mutating func announce(at now: NIODeadline) {
        phase = .announcing(since: now, isPingDue: true)
    }

    /// Whether the ping that goes behind the first `GOAWAY` has still to be sent; from now on it
    /// has been.
    mutating func takePing() -> Bool {
        guard case .announcing(let since, isPingDue: true) = phase else { return false }
        phase = .announcing(since: since, isPingDue: false)
        return true
    }

    /// Whether the client has had time to answer that ping and has not.
    func isWarningOver(at now: NIODeadline) -> Bool {
        guard case .announcing(let since, _) = phase else { return false }
        return now - since >= .seconds(CallLimits.warningSeconds)
    }

    /// New streams are refused from now on.
    mutating func drain() {
        phase = .draining
    }

    mutating func close() {
        phase = .closed
    }
}
