internal import Synchronization

/// Counts how often a thread waited for the database.
package final class RoundTrips: Sendable {
    private let total = Atomic<UInt64>(0)

    package init() {}

    /// The round trips so far, of all connections together.
    package var count: UInt64 { total.load(ordering: .relaxed) }

    func add() {
        total.add(1, ordering: .relaxed)
    }
}
