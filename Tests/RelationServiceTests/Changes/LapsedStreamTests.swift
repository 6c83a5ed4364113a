import RelationAPI
import RelationCore
import RelationModel
import Storage
import Synchronization
import Testing

@testable import RelationAdmission
@testable import RelationChanges

/// Streams of a server whose lease of the shared store runs out, by a clock that the test moves.
@Suite struct LapsedStreamTests {
    private final class Clock: Sendable {
        private let milliseconds = Atomic<UInt64>(1_000)

        var now: UInt64 { milliseconds.load(ordering: .relaxed) * 1_000_000 }

        func lapse() {
            milliseconds.add(UInt64(LeaseLimits.reliedMilliseconds), ordering: .relaxed)
        }
    }

    private let clock = Clock()
    private let lease: Lease
    private let harness: WatchHarness

    init() throws {
        lease = Lease { [clock] in clock.now }
        harness = try WatchHarness("ann", lease: lease)
        renew()
    }

    private func renew() {
        // The first renewal after a gap does not count.
        for _ in 0..<2 { lease.renewed(from: lease.now, tenure: 1) }
    }

    private func live() throws -> (client: WatchClient, stream: Int32, notified: Int) {
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settle()
        try harness.change("ann")
        try harness.settle()
        return (client, stream, client[stream].responses.count)
    }

    @Test func anEventIsReportedWhenTheLeaseIsBack() throws {
        let (client, stream, notified) = try live()
        clock.lapse()
        try harness.change("ann")
        try harness.settleHub()
        #expect(client[stream].responses.count == notified, "nothing is sent without a lease")
        #expect(client[stream].status == nil)
        renew()
        try harness.settle()
        #expect(events(client, stream, behind: notified).count == 1)
        try harness.change("ann")
        try harness.settle()
        let all = events(client, stream, behind: notified)
        #expect(all.count == 2 && all[1] == all[0] + 1, "it is live again")
    }

    /// The sequences of the events of the user's log; a stream that catches up tells profiles too.
    private func events(
        _ client: WatchClient, _ stream: Int32, behind notified: Int
    ) -> [Int64] {
        client[stream].responses[notified...].compactMap(\.event?.sequence).filter { $0 > 0 }
    }

    @Test func aStreamThatReadsWithoutALeaseEndsAndTellsNothing() throws {
        let (client, stream, notified) = try live()
        clock.lapse()
        try harness.change("ann")
        try harness.settle()
        #expect(client[stream].responses.count == notified)
        #expect(client[stream].status == "14", "UNAVAILABLE")
    }

    /// The lease was renewed while the read was under way, with a registry that others had changed.
    @Test func aReadFromBeforeAChangeIsNotSent() throws {
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settleHub()
        #expect(harness.work.runRead())
        clock.lapse()
        lease.changed()
        renew()
        try harness.settle()
        #expect(client[stream].responses.isEmpty)
        #expect(client[stream].status == "14", "UNAVAILABLE")
    }

    @Test func streamsEndWithAStoreThatHasGoneBack() throws {
        let (client, stream, notified) = try live()
        lease.finish()
        try harness.tick(after: 1_000)
        #expect(client[stream].responses.count == notified)
        #expect(client[stream].status == "14", "UNAVAILABLE")
    }

    @Test func noCallIsLetInWithoutALease() throws {
        clock.lapse()
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settle()
        #expect(client[stream].status == "14", "UNAVAILABLE")
        renew()
        let later = try client.watch("ann")
        try harness.settle()
        #expect(client[later].status == nil && !client[later].token.isEmpty)
    }
}
