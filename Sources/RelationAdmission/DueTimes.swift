package import RelationModel
import Synchronization

/// When each app next has something to end, so that no step has to look before.
///
/// A time may be too early and is never too late: a call that makes something with an end lowers
/// it, and the step that has looked sets it. Both do so on the committer's thread; there is an
/// entry for each app at most.
package final class DueTimes: Sendable {
    private struct State {
        var times: [UInt32: Int64] = [:]
        /// The app that was answered last.
        var last: UInt32 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Something of the app ends then.
    package func lower(_ app: UInt32, to timeMs: Int64) {
        state.withLock { state in
            state.times[app] = min(state.times[app] ?? timeMs, timeMs)
        }
    }

    /// The next end in the app is then; nil if there is none.
    package func set(_ app: UInt32, to timeMs: Int64?) {
        state.withLock { $0.times[app] = timeMs }
    }

    /// An app of which something is over at `now`; nil if there is none.
    ///
    /// Apps take turns: one of which very much is over keeps no other waiting for more than a step.
    package func next(at now: Timestamp) -> UInt32? {
        state.withLock { state in
            let due = state.times.lazy.filter { $0.value <= now.milliseconds }.map(\.key)
            // By number, from the one behind the last and then from the beginning.
            let next = due.min { ($0 &- state.last &- 1) < ($1 &- state.last &- 1) }
            if let next { state.last = next }
            return next
        }
    }
}
