import Support
internal import Synchronization

/// How long a process may rely on what it knows of a store that other processes write too.
///
/// It is an end on a clock, which whoever relies on it compares. A flag would have to be cleared by
/// a thread, and in a process that was stopped for a while other threads may run before that one.
/// The clock goes on while the machine sleeps.
package final class Lease: Sendable {
    package typealias Clock = @Sendable () -> UInt64

    private struct Renewals {
        /// How long the last renewal can be relied on.
        var until: UInt64 = 0
        /// The number of the store's lease that it has renewed.
        var tenure: Int64 = 0
        /// Whether others have changed what this process knows since the lease was last good.
        var hasChanges = false
    }

    private let clock: Clock
    private let end = Atomic<UInt64>(0)
    private let presentEpoch = Atomic<Int64>(1)
    private let presentTenure = Atomic<Int64>(0)
    private let hasFinished = Atomic(false)
    private let renewals = Mutex(Renewals())

    /// - Parameter clock: Nanoseconds that never go back, and count suspended time.
    package init(clock: @escaping Clock = { Lease.nanoseconds }) {
        self.clock = clock
    }

    /// The nanoseconds since the machine has started, with those in which it was suspended.
    package static var nanoseconds: UInt64 { SystemClock.boot.nanoseconds }

    package var now: UInt64 { clock() }

    /// Whether this process may rely on what it knows.
    package var isGood: Bool { clock() < end.load(ordering: .acquiring) }

    /// How many nanoseconds are left in which this process may rely on what it knows.
    package var remainingNanoseconds: UInt64 {
        let (now, end) = (clock(), self.end.load(ordering: .acquiring))
        return end > now ? end - now : 0
    }

    /// The number of times that others have changed what this process knows while it had no lease.
    ///
    /// A caller that was admitted before such a time may not be admitted after it.
    package var epoch: Int64 { presentEpoch.load(ordering: .acquiring) }

    /// Whether a caller that was admitted during `epoch` may still get something.
    package func isValid(for epoch: Int64) -> Bool { isGood && epoch == self.epoch }

    /// The number of the store's lease that makes this one good; 0 before the first one.
    package var tenure: Int64 { presentTenure.load(ordering: .acquiring) }

    /// Whether it has ended for good.
    package var isOver: Bool { hasFinished.load(ordering: .acquiring) }

    /// Notes that others have changed what this process knows.
    package func changed() {
        renewals.withLock { $0.hasChanges = true }
    }

    /// Notes that the store has renewed the lease.
    ///
    /// A renewal confirms facts that may have been read while the store had no lease of this
    /// process. Then a change may have been answered that this process has not read. So the renewal
    /// counts only if the one before it was good until this one was answered.
    ///
    /// - Parameters:
    ///   - began: The time before the renewal was sent.
    ///   - tenure: The number of the store's lease, which is another one after each gap.
    /// - Returns: Whether the lease is good; if not, another renewal at once may make it good.
    @discardableResult
    package func renewed(from began: UInt64, tenure: Int64) -> Bool {
        renewals.withLock { renewals in
            guard !isOver else { return true }
            let now = clock()
            let isContinued = now < renewals.until && tenure == renewals.tenure
            renewals.until = began + UInt64(LeaseLimits.reliedMilliseconds) * 1_000_000
            renewals.tenure = tenure
            guard isContinued else {
                // The store's lease had run out by the store's clock, which may have been set. So
                // others have not waited for this process, and its writes have the old number.
                if tenure != presentTenure.load(ordering: .acquiring) {
                    end.store(0, ordering: .releasing)
                }
                return false
            }
            if now >= end.load(ordering: .acquiring) {
                if renewals.hasChanges { presentEpoch.add(1, ordering: .releasing) }
                presentTenure.store(tenure, ordering: .releasing)
            }
            renewals.hasChanges = false
            end.store(renewals.until, ordering: .releasing)
            return clock() < renewals.until
        }
    }

    /// Ends it until it is renewed: the store is another one than that which has renewed it.
    package func suspend() {
        renewals.withLock { renewals in
            renewals.until = 0
            renewals.hasChanges = true
            end.store(0, ordering: .releasing)
        }
    }

    /// Ends it for good.
    package func finish() {
        renewals.withLock { _ in
            hasFinished.store(true, ordering: .releasing)
            end.store(0, ordering: .releasing)
        }
    }
}
