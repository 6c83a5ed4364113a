package import RelationModel
import Synchronization

/// The next time at which something of each app ends, so that no step has to look earlier.
///
/// A time may be too early and is never too late. A call lowers it when it makes something that
/// ends, and a step sets it after it has looked. Both run on the committer's thread. Each app has
/// one entry at most.
package final class DueTimes: Sendable {
    private struct State {
        var times: [UInt32: Int64] = [:]
        /// The app that ``next(at:)`` returned last.
        var last: UInt32 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Notes that something of the app ends at `timeMs`.
    package func lower(_ app: UInt32, to timeMs: Int64) {
        state.withLock { state in
            state.times[app] = min(state.times[app] ?? timeMs, timeMs)
        }
    }

    /// Sets the next end in the app; nil if there is none.
    package func set(_ app: UInt32, to timeMs: Int64?) {
        state.withLock { $0.times[app] = timeMs }
    }

    /// Returns an app with something that has ended by `now`; nil if there is none.
    ///
    /// Apps take turns, so an app with very many ends keeps the others waiting for one step only.
    package func next(at now: Timestamp) -> UInt32? {
        state.withLock { state in
            let due = state.times.lazy.filter { $0.value <= now.milliseconds }.map(\.key)
            // In order of number, beginning after the last app and then from 0.
            let next = due.min { ($0 &- state.last &- 1) < ($1 &- state.last &- 1) }
            if let next { state.last = next }
            return next
        }
    }
}
