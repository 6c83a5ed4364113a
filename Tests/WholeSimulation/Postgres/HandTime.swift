/// A clock that is turned by hand, for processes that take turns on one thread.
///
/// One that waits lets the others go on, and goes on itself when they have returned.
package final class HandTime: ModelTime, @unchecked Sendable {
    private let scheduler = Scheduler()
    /// Whether the process has died.
    package var hasEnded = false

    package init() {}

    package var now: UInt64 { scheduler.now }

    package func wait(until time: UInt64, or isOver: () -> Bool) {
        scheduler.run(until: time) { hasEnded || isOver() }
    }

    package func changed() {}

    /// Runs `work` so many milliseconds after the present time.
    package func after(milliseconds: Int, _ work: @escaping () -> Void) {
        scheduler.after(microseconds: milliseconds * 1_000, work)
    }

    /// Lets so many milliseconds pass.
    package func pass(milliseconds: Int) {
        wait(until: now + UInt64(milliseconds) * 1_000_000) { false }
    }
}
