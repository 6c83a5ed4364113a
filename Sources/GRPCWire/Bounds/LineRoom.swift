/// The room for lines of a log that clients can cause: so many at once, and so many a second.
///
/// Times are nanoseconds of a clock that only rises.
package struct LineRoom: Sendable {
    /// Lines that could be written at ``time``.
    private var room = CallLimits.logBurst
    private var time: UInt64?
    /// Lines left out since the last one that reported them, and when the first of them was.
    private var leftOut = 0
    private var leftOutSince: UInt64 = 0

    package init() {}

    /// Takes room for one line, or counts it as left out.
    ///
    /// - Returns: How many lines were left out before it, or nil if there is no room.
    package mutating func consume(at now: UInt64) -> Int? {
        let past = time.map { now > $0 ? now - $0 : 0 }
        let seconds = Int(clamping: (past ?? 0) / 1_000_000_000)
        if past == nil || seconds > 0 {
            let earned = min(seconds, CallLimits.logBurst) * CallLimits.logPerSecond
            room = min(CallLimits.logBurst, room + earned)
            time = now
        }
        guard room > 0 else {
            if leftOut == 0 { leftOutSince = now }
            leftOut += 1
            return nil
        }
        room -= 1
        return takeLeftOut()
    }

    /// How many lines were left out, if no line has reported it for
    /// ``CallLimits/logSummarySeconds``; 0 if there is nothing to report yet.
    package mutating func summary(at now: UInt64) -> Int {
        let patience = UInt64(CallLimits.logSummarySeconds) * 1_000_000_000
        guard owes, now >= leftOutSince + patience else { return 0 }
        return takeLeftOut()
    }

    /// Whether lines were left out that no line has reported.
    package var owes: Bool { leftOut > 0 }

    /// How many lines were left out; they count as reported.
    package mutating func takeLeftOut() -> Int {
        defer { leftOut = 0 }
        return leftOut
    }
}
