import GRPCWire
import HTTP2
import NIOCore

/// The state machine of a client's connection: from its first bytes to its end, and how its client
/// is notified of that.
///
/// It is notified of each event, and answers with the action that follows. It does no I/O, reads no
/// clock and calls no one: ``ServerConnection`` does what it says. A connection that is closed
/// needs no action.
struct ConnectionStateMachine {
    private enum Phase {
        case open
        /// The first `GOAWAY` is out, or on its way; the second follows when the ping after it is
        /// answered.
        case announcing(since: NIODeadline, isPingDue: Bool)
        /// New streams are refused; the connection closes when it has nothing to do.
        case draining
        case closed
    }

    /// How soon the next read follows.
    private enum NextRead {
        case usual
        /// There is most likely more to read, so nothing delays it.
        case full
        /// A little later; see ``refusedCall()``.
        case delayed
    }

    /// The work that waits until other connections have had their time slices.
    private enum Waiting {
        case nothing
        case slice
        /// More is to be read when all is taken that was read.
        case sliceAndRead
    }

    private var phase = Phase.open

    /// Whether the first bytes have shown which protocol the client speaks.
    private(set) var isProtocolKnown = false

    private(set) var isWritable = true
    private(set) var isFlushing = false

    private var nextRead = NextRead.usual
    private var waiting = Waiting.nothing

    /// Whether the client was seen to be gone.
    private(set) var hasLeft = false

    private var hasLoggedViolation = false

    private var limits: PeerLimits

    private let made: NIODeadline

    /// When a call began last, or was seen to be open.
    private var lastCall: NIODeadline

    /// When the client is asked to make another connection.
    private var end: NIODeadline?

    /// - Parameter ageSeconds: The age that a connection may reach. Connections that were made
    ///   together end at different times: each ends up to a part of that age sooner.
    init(now: NIODeadline, ageSeconds: Int64?) {
        made = now
        lastCall = now
        limits = PeerLimits(now: now)
        end = ageSeconds.map { age in
            let spread = age * 1_000 / Int64(CallLimits.connectionAgeSpread)
            return now + .milliseconds(age * 1_000 - Int64.random(in: 0...spread))
        }
    }

    /// The thing that is done because of an event.
    enum Action: Equatable {
        case nothing
        /// Ask whether the client is there.
        case ping
        /// Send the first `GOAWAY`, and notify the handlers of the calls, unless the loop notifies
        /// all handlers.
        case announce(notifiesCalls: Bool)
        /// Send the last `GOAWAY`, and refuse new calls; those that run finish.
        case drain
        /// End the calls that still run with a status, and then ``leave``.
        case cutOff
        /// Send the client the number of the last call that was answered, and ``part``.
        case leave
        /// Send what waits, and close the socket once the client has taken it.
        case part
        /// Send what waits, and close the socket.
        case close
        /// Log it, and ``close``: the client reads nothing.
        case giveUp(Violation)
        /// Log it, send the client an error, refuse new streams, and ``close``.
        case refuse(Violation)
        /// Have the session end with an error, which ``close`` logs.
        case terminate(Violation)
        /// Log it, have the session end with an error, and ``part``.
        case turnAway(Violation)
    }

    /// Something that no client should do.
    enum Violation: Equatable {
        case notHTTP2
        case tooManyPings
        case tooManyResets
        case tooManySettings
        case slowHandshake
        case slowHeaders
        case slowFrame
        case unreadSocket
    }

    /// Whether its client does not know, and is not about to learn, that it ends.
    var isOpen: Bool { if case .open = phase { true } else { false } }
    var isClosed: Bool { if case .closed = phase { true } else { false } }
    private var isAnnouncing: Bool { if case .announcing = phase { true } else { false } }
    private var isDraining: Bool { if case .draining = phase { true } else { false } }

    // MARK: - The protocol

    /// The things to do with the first bytes.
    enum Choice {
        case wait
        case takeHTTP2
        case speakHTTP1
        /// No answer would be understood.
        case drop
    }

    /// The first bytes have come, which no handshake has named.
    mutating func begins(with bytes: FirstBytes) -> Choice {
        guard !isClosed else { return .wait }
        switch bytes {
        case .undecided: return .wait
        case .http2:
            isProtocolKnown = true
            return .takeHTTP2
        case .http1:
            isProtocolKnown = true
            return .speakHTTP1
        case .foreign: return .drop
        }
    }

    /// The protocol was agreed, or no longer matters.
    mutating func protocolAgreed() {
        isProtocolKnown = true
    }

    /// The session could not take what came.
    func failed(_ error: SessionError) -> Action {
        guard !isClosed else { return .nothing }
        return error == .badPreface ? .turnAway(.notHTTP2) : .close
    }

    // MARK: - Reads

    /// Bytes have come.
    ///
    /// - Returns: Whether they are to be taken.
    @inline(__always)
    mutating func received(_ count: Int, at now: NIODeadline) -> Bool {
        limits.noteActivity(at: now)
        guard !isClosed else { return false }
        nextRead = count >= CallLimits.bytesPerSlice ? .full : .usual
        return true
    }

    /// The client is there, though it has sent nothing.
    mutating func noteActivity(at now: NIODeadline) {
        limits.noteActivity(at: now)
    }

    /// Whether bytes that have come may be taken now.
    @inline(__always)
    var takesBytes: Bool { !isClosed && waiting == .nothing }

    /// Whether calls may run now.
    @inline(__always)
    var runsCalls: Bool { waiting == .nothing }

    /// Bytes were taken, up to that position in the client's frames.
    mutating func noteFrame(at walk: FrameWalk, _ now: NIODeadline) {
        limits.noteFrame(at: walk, now)
    }

    /// When the socket is read again.
    enum Read {
        case now
        case later
        /// When the time slice comes that is waited for.
        case inSlice
    }

    /// The channel asks for more bytes: at once, a little later, or when all is done that has come.
    mutating func read() -> Read {
        guard waiting == .nothing else {
            waiting = .sliceAndRead
            return .inSlice
        }
        guard nextRead == .delayed else { return .now }
        nextRead = .usual
        return .later
    }

    /// A call was refused since there is too much to do.
    ///
    /// A client that is refused tends to come again at once, with many calls. Read one by one as
    /// they come, each would take a wake-up and a write. These cost more than the refusal itself,
    /// and that time is missing for other calls. So the next read waits until a few have come, and
    /// connections that wait are read together.
    mutating func refusedCall() {
        if nextRead == .usual { nextRead = .delayed }
    }

    /// The time slice is over, and not all is done.
    ///
    /// - Returns: Whether another time slice is to be asked for.
    mutating func sliceEnds() -> Bool {
        guard takesBytes else { return false }
        waiting = .slice
        return true
    }

    /// The time slice that was waited for begins.
    ///
    /// - Returns: Whether more is to be read in it.
    mutating func sliceBegins() -> Bool {
        defer { waiting = .nothing }
        return waiting == .sliceAndRead
    }

    // MARK: - Writes

    /// The socket takes bytes from now on, or does not.
    ///
    /// - Returns: Whether to flush.
    mutating func writable(_ isWritable: Bool, at now: NIODeadline) -> Bool {
        self.isWritable = isWritable
        limits.writable(isWritable, at: now)
        return isWritable && !isFlushing
    }

    /// The bytes that wait are to be written.
    ///
    /// - Returns: Whether that begins, until ``flushEnds()``.
    @inline(__always)
    mutating func flushBegins() -> Bool {
        guard !isClosed, !isFlushing, isProtocolKnown else { return false }
        isFlushing = true
        return true
    }

    mutating func flushEnds() {
        isFlushing = false
    }

    /// Whether the ping that goes after the first `GOAWAY` has still to be sent; from now on it
    /// has been.
    ///
    /// It asks how far the client has read. It is not sent sooner: nghttp2 sends pings before
    /// everything else.
    @inline(__always)
    mutating func takePing() -> Bool {
        guard case .announcing(let since, isPingDue: true) = phase, isWritable else { return false }
        phase = .announcing(since: since, isPingDue: false)
        return true
    }

    /// The session has nothing more to send or to receive.
    func finished() -> Action {
        if isDraining { finishedWriting() } else { isClosed ? .nothing : .close }
    }

    // MARK: - Events of the client

    /// A call begins.
    mutating func called(at now: NIODeadline) {
        lastCall = now
    }

    /// The client has acknowledged our settings.
    mutating func settingsAcknowledged() {
        limits.handshakeDone()
    }

    mutating func pingAcknowledged() -> Action {
        isAnnouncing ? drain() : .nothing
    }

    /// - Parameter hasSent: Whether frames went out since the ping before, which forgive it.
    mutating func pinged(at now: NIODeadline, hasCalls: Bool, hasSent: Bool) -> Action {
        limits.sent(hasSent)
        return limits.allowsPing(at: now, hasCalls: hasCalls) ? .nothing : refuse(.tooManyPings)
    }

    mutating func settingsChanged(at now: NIODeadline) -> Action {
        limits.allowsSettings(at: now) ? .nothing : refuse(.tooManySettings)
    }

    /// The session has taken what came.
    @inline(__always)
    mutating func processed(resets: Int, at now: NIODeadline, hasSent: Bool) -> Action {
        limits.sent(hasSent)
        return limits.allows(resets: resets, at: now) ? .nothing : refuse(.tooManyResets)
    }

    private func refuse(_ violation: Violation) -> Action {
        isClosed ? .nothing : .refuse(violation)
    }

    /// The client was seen to be gone.
    mutating func left() {
        hasLeft = true
    }

    /// The client has done something wrong.
    ///
    /// - Returns: Whether a line is to be logged: only the first violation has one.
    mutating func logViolation() -> Bool {
        defer { hasLoggedViolation = true }
        return !hasLoggedViolation
    }

    // MARK: - Time

    /// The process did not run for so long: that time is not the client's.
    mutating func forgive(_ lost: TimeAmount, at now: NIODeadline) {
        limits.forgive(lost, at: now)
    }

    /// Looks at the client, as the loop has it done at equal distances in time.
    ///
    /// - Parameter walk: The client's position in its frames.
    mutating func checkTime(at now: NIODeadline, _ walk: FrameWalk) -> Action {
        guard !isClosed else { return .nothing }
        switch limits.verdict(at: now, walk) {
        case .fine: return .nothing
        case .ping: return .ping
        case .slowHandshake: return .terminate(.slowHandshake)
        case .slowHeaders: return .terminate(.slowHeaders)
        case .slowFrame: return .terminate(.slowFrame)
        case .stalled: return .giveUp(.unreadSocket)
        // A client that lost its network has done nothing wrong.
        case .silent: return .close
        }
    }

    /// Goes on if the client has had time to answer the ping: it may be gone, or read nothing, and
    /// must not hold up a stop if nothing runs for it.
    mutating func endWarning(at now: NIODeadline, hasCalls: Bool) -> Action {
        guard case .announcing(let since, _) = phase,
            now - since >= .seconds(CallLimits.warningSeconds)
        else { return .nothing }
        return hasCalls ? drain() : .leave
    }

    /// Asks a client to go that has had no call for long: it makes another connection when it has.
    ///
    /// - Parameter seconds: How long; nil for a connection that may stay.
    mutating func endIdleness(
        at now: NIODeadline, hasCalls: Bool, after seconds: Int64?
    ) -> Action {
        guard isOpen, let seconds else { return .nothing }
        if hasCalls { lastCall = now }
        return now - lastCall >= .seconds(seconds) ? shutDown(at: now, hasCalls) : .nothing
    }

    /// Asks the client of an old connection to make another one.
    ///
    /// - Parameter graceSeconds: How long calls may go on after the client was asked.
    mutating func endLife(at now: NIODeadline, hasCalls: Bool, graceSeconds: Int64) -> Action {
        guard let end, now >= end else { return .nothing }
        switch phase {
        case .open: return shutDown(at: now, hasCalls, notifiesCalls: true)
        case .announcing, .draining:
            return now >= end + .seconds(graceSeconds) ? .cutOff : .nothing
        case .closed: return .nothing
        }
    }

    /// Lets the connection last no longer than until `time`.
    mutating func end(by time: NIODeadline) {
        end = min(end ?? time, time)
    }

    /// How long it has been there, in seconds.
    func ageSeconds(at now: NIODeadline) -> Int64 { (now - made).nanoseconds / 1_000_000_000 }

    /// How long no call has begun, in seconds.
    func idleSeconds(at now: NIODeadline) -> Int64 {
        (now - lastCall).nanoseconds / 1_000_000_000
    }

    // MARK: - The end

    /// Lets running calls finish and refuses new ones.
    mutating func shutDown(
        at now: NIODeadline, _ hasCalls: Bool, notifiesCalls: Bool = false
    ) -> Action {
        guard isOpen else { return .nothing }
        // A client that has hardly begun has no running call. If it has sent requests meanwhile,
        // their stream ids are above the last one that the `GOAWAY` names.
        guard limits.isHandshakeDone || hasCalls else { return .leave }
        phase = .announcing(since: now, isPingDue: true)
        return .announce(notifiesCalls: notifiesCalls)
    }

    private mutating func drain() -> Action {
        phase = .draining
        return .drain
    }

    /// The connection has sent all, or can send no more.
    func finishedWriting() -> Action {
        guard !isClosed else { return .nothing }
        return isWritable ? .part : .close
    }

    /// The connection is gone, or about to be.
    ///
    /// - Returns: Whether it was there until now.
    mutating func close() -> Bool {
        guard !isClosed else { return false }
        phase = .closed
        return true
    }
}

extension ConnectionStateMachine.Violation {
    /// The name by which it is counted and logged.
    var name: StaticString {
        switch self {
        case .notHTTP2: "not_http2"
        case .tooManyPings: "too_many_pings"
        case .tooManyResets: "too_many_resets"
        case .tooManySettings: "too_many_settings"
        case .slowHandshake: "slow_handshake"
        case .slowHeaders: "slow_head"
        case .slowFrame: "slow_frame"
        case .unreadSocket: "unread_socket"
        }
    }

    /// The error of HTTP/2 that its client gets.
    var code: ErrorCode {
        switch self {
        case .notHTTP2: .protocolError
        case .slowHandshake: .settingsTimeout
        case .tooManyPings, .tooManyResets, .tooManySettings, .slowHeaders, .slowFrame,
            .unreadSocket:
            .enhanceYourCalm
        }
    }
}
