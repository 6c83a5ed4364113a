package import RelationModel
import Synchronization

/// When each app next has subscriptions to end, so that nobody has to look before.
///
/// A time may be too early and is never too late: whoever adds a subscription lowers it, and
/// whoever has looked sets it. Both do so on the committer's thread; there is an entry for each app
/// at most.
package final class DueTimes: Sendable {
    private let times = Mutex<[UInt32: Int64]>([:])

    package init() {}

    /// Something of the app ends then.
    package func lower(_ app: UInt32, to timeMs: Int64) {
        times.withLock { times in
            times[app] = min(times[app] ?? timeMs, timeMs)
        }
    }

    /// The next end in the app is then; nil if there is none.
    package func set(_ app: UInt32, to timeMs: Int64?) {
        times.withLock { $0[app] = timeMs }
    }

    /// An app of which something is over at `now`; nil if there is none.
    package func next(at now: Timestamp) -> UInt32? {
        times.withLock { times in
            times.first { $0.value <= now.milliseconds }?.key
        }
    }
}
