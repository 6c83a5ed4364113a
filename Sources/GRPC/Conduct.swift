import NIOCore

/// How a peer behaves over time: what it may do often, and what it must do soon.
struct Conduct {
    enum Verdict {
        case fine
        /// Nothing was heard for long: ask.
        case ping
        case slowHandshake
        case silent
        case stalled
    }

    private let start: NIODeadline
    private(set) var isHandshakeDone = false
    private var lastHeard: NIODeadline
    private var asked: NIODeadline?
    private var stalledSince: NIODeadline?

    private var lastPing: NIODeadline?
    private var strikes = 0

    /// Resets that may come now, in thousandths, and when that was true.
    private var resetTokens = CallLimits.resetBurst * 1_000
    private var resetTime: NIODeadline

    /// Bytes to which compressed messages may expand now, and when that was true.
    private var expansion = CallLimits.expandedBurstBytes
    private var expansionTime: NIODeadline

    init(now: NIODeadline) {
        start = now
        lastHeard = now
        resetTime = now
        expansionTime = now
    }

    mutating func heard(at now: NIODeadline) {
        lastHeard = now
        asked = nil
    }

    mutating func handshakeDone() {
        isHandshakeDone = true
    }

    mutating func writable(_ isWritable: Bool, at now: NIODeadline) {
        stalledSince = isWritable ? nil : stalledSince ?? now
    }

    /// Frames of ours forgive the peer's pings: it measures the line while data flows.
    mutating func sent(_ something: Bool) {
        guard something else { return }
        strikes = 0
        lastPing = nil
    }

    /// Whether a ping that arrives now is within what gRPC lets a client do.
    mutating func allowsPing(at now: NIODeadline, hasCalls: Bool) -> Bool {
        let apart = TimeAmount.seconds(
            hasCalls ? CallLimits.pingSecondsWithCalls : CallLimits.pingSecondsWithoutCalls)
        if let lastPing, now - lastPing < apart { strikes += 1 }
        lastPing = now
        return strikes <= CallLimits.pingStrikes
    }

    /// Whether that many resets may arrive now.
    mutating func allows(resets: Int, at now: NIODeadline) -> Bool {
        guard resets > 0 else { return true }
        let milliseconds = (now - resetTime).nanoseconds / 1_000_000
        if milliseconds > 0 {
            let earned = min(milliseconds, 1_000_000) * Int64(CallLimits.resetsPerSecond)
            resetTokens = min(CallLimits.resetBurst * 1_000, resetTokens + Int(earned))
            resetTime = now
        }
        resetTokens -= resets * 1_000
        return resetTokens >= 0
    }

    /// Whether one more compressed message may be expanded now; ``expanded(_:)`` counts it.
    mutating func allowsExpansion(at now: NIODeadline) -> Bool {
        let milliseconds = min(1_000_000, (now - expansionTime).nanoseconds / 1_000_000)
        if milliseconds > 0 {
            let earned = Int(milliseconds) * CallLimits.expandedBytesPerSecond / 1_000
            expansion = min(CallLimits.expandedBurstBytes, expansion + earned)
            expansionTime = now
        }
        return expansion > 0
    }

    /// Counts the bytes that a message became; the last one that is allowed may leave a debt.
    mutating func expanded(_ bytes: Int) {
        expansion -= bytes
    }

    mutating func verdict(at now: NIODeadline) -> Verdict {
        if !isHandshakeDone, now - start >= .seconds(CallLimits.handshakeSeconds) {
            return .slowHandshake
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
