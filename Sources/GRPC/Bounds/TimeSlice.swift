import GRPCWire
import NIOCore

/// A connection's time slice on its loop: the time in which its calls run before other connections
/// have their time slices.
///
/// Bytes alone do not measure the work: a few bytes may stand for a long list of fields, or for a
/// message that expands. So a time slice ends by time, or after one large expansion. The clock is
/// read only now and then, and most time slices end before the first reading.
struct TimeSlice {
    private var start: NIODeadline?
    private var steps = 0
    private(set) var isOver = false

    /// Counts a piece of work that is about to begin.
    ///
    /// - Parameter weight: How many usual pieces its cost may equal.
    /// - Returns: Whether the time slice has time for it.
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
        isOver = now - start >= .microseconds(CallLimits.sliceMicroseconds)
        return !isOver
    }

    /// Ends the time slice, because the last piece of work took long.
    mutating func end() {
        isOver = true
    }
}
