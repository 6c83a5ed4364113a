import GRPCWire
import HTTP2
import NIOCore

/// How a peer behaves over time: how often it may do some things, and how soon it must do others.
struct PeerLimits {
    /// The judgement of the limits about the peer at one moment.
    enum Verdict {
        case fine
        /// Nothing was heard for long: ping the peer.
        case ping
        case slowHandshake
        /// A header block has begun and does not come to its end.
        case slowHeaders
        /// Any other frame has begun and does not come to its end.
        case slowFrame
        case silent
        case stalled
    }

    private var start: NIODeadline
    private(set) var isHandshakeDone = false
    private var lastHeard: NIODeadline
    private var asked: NIODeadline?
    private var stalledSince: NIODeadline?

    private var lastPing: NIODeadline?
    private var strikes = 0

    private var resets: Allowance
    private var settings: Allowance

    /// The frame or header block that has begun, and when it was first seen.
    private var unit = (number: 0, since: NIODeadline.uptimeNanoseconds(0))

    init(now: NIODeadline) {
        start = now
        lastHeard = now
        resets = Allowance(
            burst: CallLimits.resetBurst, perSecond: CallLimits.resetsPerSecond, at: now)
        settings = Allowance(
            burst: CallLimits.settingsBurst, perSecond: CallLimits.settingsPerSecond, at: now)
    }

    mutating func noteActivity(at now: NIODeadline) {
        lastHeard = now
        asked = nil
    }

    mutating func handshakeDone() {
        isHandshakeDone = true
    }

    mutating func writable(_ isWritable: Bool, at now: NIODeadline) {
        stalledSince = isWritable ? nil : stalledSince ?? now
    }

    /// Takes the time back in which this process did not run: the peer could not be answered, and
    /// its bytes could not be read.
    mutating func forgive(_ lost: TimeAmount, at now: NIODeadline) {
        start = start.later(by: lost, until: now)
        lastHeard = lastHeard.later(by: lost, until: now)
        asked = asked?.later(by: lost, until: now)
        stalledSince = stalledSince?.later(by: lost, until: now)
        unit.since = unit.since.later(by: lost, until: now)
    }

    /// Forgives the peer's pings if we have sent frames: it measures the line while data flows.
    mutating func sent(_ something: Bool) {
        guard something else { return }
        strikes = 0
        lastPing = nil
    }

    /// Counts a ping that arrives now; false if there were more than gRPC allows a client.
    mutating func allowsPing(at now: NIODeadline, hasCalls: Bool) -> Bool {
        let apart = TimeAmount.seconds(
            hasCalls ? CallLimits.pingSecondsWithCalls : CallLimits.pingSecondsWithoutCalls)
        if let lastPing, now - lastPing < apart { strikes += 1 }
        lastPing = now
        return strikes <= CallLimits.pingStrikes
    }

    /// Counts resets that arrive now; false if there were too many.
    mutating func allows(resets count: Int, at now: NIODeadline) -> Bool {
        count == 0 || resets.consume(count, at: now)
    }

    /// Counts a `SETTINGS` frame that arrives now; false if there were too many.
    mutating func allowsSettings(at now: NIODeadline) -> Bool {
        settings.consume(1, at: now)
    }

    /// Notes when the frame or header block began that the peer is sending now.
    mutating func noteFrame(at walk: FrameWalk, _ now: NIODeadline) {
        guard walk.isInside, walk.number != unit.number else { return }
        unit = (walk.number, now)
    }

    /// Judges the peer at this moment.
    ///
    /// - Parameter walk: The peer's position in its frames.
    mutating func verdict(at now: NIODeadline, _ walk: FrameWalk) -> Verdict {
        if !isHandshakeDone, now - start >= .seconds(CallLimits.handshakeSeconds) {
            return .slowHandshake
        }
        if isHandshakeDone, walk.isInside, walk.number == unit.number {
            let time = now - unit.since
            if walk.isInHeaderBlock, time >= .seconds(CallLimits.headerSeconds) {
                return .slowHeaders
            }
            if time >= .seconds(CallLimits.messageSeconds) { return .slowFrame }
        }
        if let stalledSince, now - stalledSince >= .seconds(CallLimits.stalledSeconds) {
            return .stalled
        }
        if let asked {
            let isLate = now - asked >= .seconds(CallLimits.keepaliveAnswerSeconds)
            return isLate ? .silent : .fine
        }
        guard now - lastHeard >= .seconds(CallLimits.keepaliveSeconds) else { return .fine }
        asked = now
        return .ping
    }
}

extension NIODeadline {
    /// A moment that is later by a span of time, but not later than `now`.
    func later(by span: TimeAmount, until now: NIODeadline) -> NIODeadline {
        min(self + span, max(self, now))
    }
}

/// How often a peer may do something: a number of times at once, and a number of times a second.
private struct Allowance {
    private let burst: Int
    private let perSecond: Int
    /// How many times were allowed at ``time``, in thousandths.
    private var left: Int
    private var time: NIODeadline

    init(burst: Int, perSecond: Int, at now: NIODeadline) {
        self.burst = burst
        self.perSecond = perSecond
        left = burst * 1_000
        time = now
    }

    mutating func consume(_ count: Int, at now: NIODeadline) -> Bool {
        let milliseconds = (now - time).nanoseconds / 1_000_000
        if milliseconds > 0 {
            left = min(burst * 1_000, left + Int(min(milliseconds, 1_000_000)) * perSecond)
            time = now
        }
        left -= count * 1_000
        return left >= 0
    }
}
