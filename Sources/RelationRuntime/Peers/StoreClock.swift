package import RelationCalls
import RelationModel
import Support
import Synchronization

/// The clock of a store that several servers share, as this process knows it.
///
/// Rows have times, and the answer to a request id lasts for a day. Each server goes by the store's
/// clock, so it does not matter what the clocks of their machines say. Between two readings it goes
/// on by a counter of this machine that no one sets.
package final class StoreClock: Sendable {
    /// Milliseconds that never go back, and count while the machine sleeps.
    private let counter: @Sendable () -> Int64
    /// The store's time when the counter was 0.
    private let zero: Atomic<Int64>

    /// - Parameters:
    ///   - machine: Gives the time until the store's is known.
    ///   - counter: The counter; nil for the machine's.
    package init(
        startingAt machine: ServiceClock = .system, counter: (@Sendable () -> Int64)? = nil
    ) {
        let counter = counter ?? { SystemClock.boot.milliseconds }
        self.counter = counter
        zero = Atomic(machine.now().milliseconds - counter())
    }

    package var service: ServiceClock {
        ServiceClock { [self] in
            Timestamp(milliseconds: counter() + zero.load(ordering: .relaxed))
        }
    }

    /// Asks the store for its time.
    ///
    /// The store has said it at some time between question and answer. If what is known already
    /// lies between these two, it stays, so that a slow answer does not move the clock.
    package func measure<Failure>(_ ask: () throws(Failure) -> Int64) throws(Failure) {
        let asked = counter()
        let time = try ask()
        let known = zero.load(ordering: .relaxed)
        zero.store(min(max(known, time - counter()), time - asked), ordering: .relaxed)
    }
}
