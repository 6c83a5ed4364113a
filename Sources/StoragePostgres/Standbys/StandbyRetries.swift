/// When a standby that has failed is tried again: after pauses that double.
///
/// Times are in milliseconds of a clock that never goes back.
package struct StandbyRetries: Sendable {
    private var failures = 0
    /// When the last failure was noted.
    private var last = Int.min
    /// When it is tried again.
    private var next = Int.min

    package init() {}

    /// Whether it has failed since it last served a read.
    package var isPaused: Bool { failures > 0 }

    /// Whether a read may try it now; of several after a pause, one may.
    package mutating func claim(at now: Int) -> Bool {
        guard isPaused else { return true }
        guard now >= next else { return false }
        next = now + pause
        return true
    }

    /// Notes that it has failed.
    ///
    /// - Parameters:
    ///   - begun: When the read began to try it. Of reads at once that fail, one counts.
    ///   - now: The present time.
    ///   - drawn: Draws the pause from its bounds.
    package mutating func failed(
        since begun: Int, at now: Int,
        drawn: (ClosedRange<Int>) -> Int = { Int.random(in: $0) }
    ) {
        guard begun >= last else { return }
        failures += 1
        last = now
        next = now + drawn(pause / 2...pause)
    }

    /// Notes that it has served a read.
    package mutating func succeeded() {
        self = StandbyRetries()
    }

    private var pause: Int {
        let doublings = min(failures - 1, 16)
        return min(
            Limits.firstStandbyPauseMilliseconds << doublings,
            Limits.longestStandbyPauseMilliseconds)
    }
}
