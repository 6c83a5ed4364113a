import GRPCWire
import Synchronization

/// The slowest calls of a loop in the present span of time, and in the one before it.
///
/// `@unchecked Sendable`: the loop alone touches what is not behind the lock. The lock is taken for
/// a call that is slower than the slowest so far: that becomes rare within a few calls of a span.
package final class SlowCalls: @unchecked Sendable {
    private struct State {
        var present: [SlowCall] = []
        var previous: [SlowCall] = []
    }

    private let state = Mutex(State())
    /// The shortest call of a full list.
    @exclusivity(unchecked) private var floor: UInt64 = 0
    @exclusivity(unchecked) private var spanEnd: Int64 = 0

    @inline(__always)
    func isWorthNoting(_ latency: UInt64, at now: Int64) -> Bool {
        latency > floor || now >= spanEnd
    }

    func note(_ method: Int, _ code: UInt8, _ times: CallTimes, at now: Int64) {
        let isOver = now >= spanEnd
        if isOver {
            spanEnd = now + CallLimits.slowSpanSeconds * 1_000_000_000
            floor = 0
        }
        let call = SlowCall(method: method, code: code, times: times, end: now)
        let list = state.withLock { state in
            if isOver { (state.previous, state.present) = (state.present, []) }
            let index = state.present.firstIndex { $0.nanoseconds < call.nanoseconds }
            state.present.insert(call, at: index ?? state.present.count)
            if state.present.count > CallLimits.slowCalls { state.present.removeLast() }
            return (
                count: state.present.count, shortest: state.present.last?.nanoseconds ?? 0
            )
        }
        let isFull = list.count == CallLimits.slowCalls
        floor = isFull ? UInt64(clamping: list.shortest) : 0
    }

    /// The calls of the last two spans that ended after `time`.
    package func calls(endedAfter time: Int64) -> [SlowCall] {
        state.withLock { $0.present + $0.previous }.filter { $0.end > time }
    }
}

/// A call that took long.
package struct SlowCall: Sendable, Equatable {
    package let method: Int
    package let code: UInt8
    package let times: CallTimes
    /// When its answer was written.
    package let end: Int64

    package var nanoseconds: Int64 { end - times.arrival }
}
