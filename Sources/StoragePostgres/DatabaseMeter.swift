internal import Storage
internal import Synchronization

/// Counts what a store asks of its database; any thread may count.
package final class DatabaseMeter: Sendable {
    private let waits = Atomic<UInt64>(0)
    private let connects = Atomic<UInt64>(0)
    private let reruns = Atomic<UInt64>(0)
    private let settled = Atomic<UInt64>(0)

    package init() {}

    /// How often a thread waited for an answer, on all connections together.
    package var roundTrips: UInt64 { waits.load(ordering: .relaxed) }

    func waited() { waits.add(1, ordering: .relaxed) }

    func connected() { connects.add(1, ordering: .relaxed) }

    /// A transaction runs again, because it lost a race or its connection.
    func runsAgain() { reruns.add(1, ordering: .relaxed) }

    /// A commit whose answer was lost was looked up.
    func settledCommit() { settled.add(1, ordering: .relaxed) }

    var reading: NetworkGauges {
        var gauges = NetworkGauges()
        gauges.roundTrips = roundTrips
        gauges.connects = connects.load(ordering: .relaxed)
        gauges.reruns = reruns.load(ordering: .relaxed)
        gauges.settled = settled.load(ordering: .relaxed)
        return gauges
    }
}
