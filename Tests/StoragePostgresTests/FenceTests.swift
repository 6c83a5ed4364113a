import PostgresSupport
import Storage
import StoragePostgres
import StorageSuite
import Testing

/// Looks for the locks of processes whose leases have run out.
///
/// The leases end by the database's clock. So a pause of these tests lets time pass by moving the
/// ends of all leases.
@Suite(.enabled(if: PostgresEngine.isThere)) struct FenceTests {
    private let ann = Partition("ann")
    private let second = 1_000

    private func pass(_ milliseconds: Int, in engine: PostgresEngine) throws(StorageError) {
        try engine.sql(
            "UPDATE relation_server SET until = until - interval '\(milliseconds) ms'")
    }

    @Test func aLookAwaitsTheEndOfALeaseAndNoLonger() throws {
        let engine = try PostgresEngine()
        let first = try Holder(1, 600, in: engine)
        let other = try Holder(2, 900, in: engine)
        let later = try Holder(3, 3_000, in: engine)
        var pauses: [Int] = []
        let ended = try Fence.check(by: PostgresSession(engine.options), within: 1_800 * second) {
            (pause) throws(StorageError) in
            pauses.append(pause)
            try pass(pause, in: engine)
        }
        #expect(ended == 2)
        // Each of them is as long as its lease is good then.
        #expect(pauses.count == 2)
        #expect(pauses.allSatisfy { (1...(600 * second + 1)).contains($0) }, "\(pauses)")
        #expect(pauses.reduce(0, +) <= 900 * second + 2, "\(pauses)")
        #expect([first, other, later].map(\.isThere) == [false, false, true])
    }

    @Test func aLeaseThatIsRenewedMeanwhileEndsNothing() throws {
        let engine = try PostgresEngine()
        let holder = try Holder(1, 600, in: engine)
        var pauses = 0
        let ended = try Fence.check(by: PostgresSession(engine.options), within: 1_800 * second) {
            (pause) throws(StorageError) in
            pauses += 1
            try pass(pause, in: engine)
            try engine.sql("UPDATE relation_server SET until = until + interval '1 hour'")
        }
        #expect((ended, pauses) == (0, 1))
        #expect(holder.isThere)
    }

    @Test func aLeaseThatLastsLongIsNotAwaited() throws {
        let engine = try PostgresEngine()
        let holder = try Holder(1, 600, in: engine)
        let ended = try Fence.check(by: PostgresSession(engine.options)) {
            (_) throws(StorageError) in Issue.record("it waits")
        }
        #expect(ended == 0)
        #expect(holder.isThere)
        #expect(Limits.leaseEndMilliseconds < LeaseLimits.milliseconds)
    }

    /// The whole time for one look has a bound, however many leases run out in turn.
    @Test func aLookEndsAfterItsTime() throws {
        let engine = try PostgresEngine()
        let holder = try Holder(1, 600, in: engine)
        var pauses: [Int] = []
        _ = try Fence.check(by: PostgresSession(engine.options), within: 1_800 * second) {
            (pause) throws(StorageError) in
            pauses.append(pause)
            // It is renewed late each time.
            try pass(pause, in: engine)
            try engine.sql(
                "UPDATE relation_server SET until = clock_timestamp() + interval '600 seconds'")
        }
        #expect(pauses.reduce(0, +) <= 1_801 * second, "\(pauses)")
        #expect(pauses.count <= 4)
        #expect(holder.isThere)
    }
}

/// A session in the name of a process whose lease lasts for so many seconds, with a lock.
private final class Holder {
    private let session: PostgresSession

    init(_ name: Int, _ seconds: Int, in engine: PostgresEngine) throws(StorageError) {
        let id = String(repeating: "\(name)", count: 16)
        session = try PostgresSession(engine.options)
        try session.run(
            """
            SET application_name = 'relationd \(id)'; SELECT pg_advisory_lock(\(name)); \
            INSERT INTO relation_server VALUES ('\(id)', \
            clock_timestamp() + interval '\(seconds) seconds', 1)
            """)
    }

    var isThere: Bool { (try? session.run("SELECT 1")) == ["1"] }
}
