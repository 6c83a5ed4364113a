import NIOCore

/// A connection's turn of its loop: it runs what has come, and after a while others have theirs.
///
/// Bytes alone are no measure of it: a few of them may stand for a long list of fields, or for a
/// message that expands. So a turn ends by time, and with one large expansion. The clock is read
/// now and then only: most turns are over before.
struct Turn {
    private var start: NIODeadline?
    private var steps = 0
    private(set) var isOver = false

    /// Takes note that a piece of work follows.
    ///
    /// - Parameter weight: How many of the usual ones it may be worth.
    /// - Returns: Whether the turn has time for it.
    mutating func step(_ weight: Int = 1, _ eventLoop: any EventLoop) -> Bool {
        guard !isOver else { return false }
        steps += weight
        guard steps >= CallLimits.stepsPerLook else { return true }
        steps = 0
        let now = eventLoop.now
        guard let start else {
            self.start = now
            return true
        }
        isOver = now - start >= .microseconds(CallLimits.turnMicroseconds)
        return !isOver
    }

    /// Ends the turn: what was done took long.
    mutating func end() {
        isOver = true
    }
}
