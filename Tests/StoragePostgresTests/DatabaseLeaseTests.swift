import Dispatch
import Foundation
import PostgresSupport
import Storage
import StoragePostgres
import StorageSuite
import Testing

/// The rights of a process at a database after its lease has run out, and how others see it.
@Suite(.enabled(if: PostgresEngine.isThere)) struct DatabaseLeaseTests {
    private let ann = Partition("ann")
    private let bob = Partition("bob")

    /// A store whose lease is good by its own clock, which stands still.
    private func leased(_ engine: PostgresEngine) throws -> PostgresStore {
        let store = try PostgresStore(engine.options, lease: Lease { 1_000_000_000 })
        let isGood = try (0..<2).map { _ in try store.peers!.renew(knowing: 1) }
        #expect(isGood == [false, true])
        return store
    }

    @Test(arguments: [
        "UPDATE relation_server SET until = now() - interval '1 ms'",
        // It ran out, and was renewed while this process was stopped before its commit.
        "UPDATE relation_server SET renewal = ((renewal >> 32) + 1) << 32",
    ])
    func theDatabaseRefusesACommitWithoutTheLease(_ change: String) throws {
        let engine = try PostgresEngine { $0.patienceMilliseconds = 300 }
        let store = try leased(engine)
        try store.put([Row("a", "1")], in: ann)
        // The process does not know, as if it had been stopped just before it sent the commit.
        try engine.sql(change)
        #expect(throws: StorageError(.unavailable, "")) {
            try store.put([Row("a", "2")], in: ann)
        }
        #expect(try store.text(ann.key("a")) == "1")
        store.close()
    }

    @Test func aProcessThatNeverTookALeaseMayWrite() throws {
        let engine = try PostgresEngine()
        let store = try engine.open()
        try store.put([Row("a", "1")], in: ann)
        #expect(try store.text(ann.key("a")) == "1")
        store.close()
    }

    @Test func aLeaseThatRanOutIsFollowedByAnother() throws {
        let engine = try PostgresEngine()
        let store = try leased(engine)
        let peers = store.peers!
        #expect(peers.lease.tenure == 1)
        try engine.sql("UPDATE relation_server SET until = now() - interval '1 ms'")
        #expect(!(try peers.renew(knowing: 1)))
        #expect(try peers.renew(knowing: 1))
        #expect(try engine.sql("SELECT renewal >> 32 FROM relation_server") == ["2"])
        store.close()
    }

    @Test func theRegistryIsReadInTheTransactionThatRenews() throws {
        let engine = try PostgresEngine()
        let store = try engine.open()
        try store.put([Row("a", "1")], in: ann)
        var seen: [String?] = []
        _ = try store.peers!.renew { (transaction) throws(StorageError) in
            seen.append(try transaction.text(ann.key("a")))
            try store.put([Row("a", "2")], in: ann)
            seen.append(try transaction.text(ann.key("a")))
            return 7
        }
        #expect(seen == ["1", "1"], "one view")
        #expect(try engine.sql("SELECT version FROM relation_server") == ["7"])
        // A failure in it renews nothing.
        let before = try engine.sql("SELECT until FROM relation_server")
        #expect(throws: StorageError(.failed, "")) {
            _ = try store.peers!.renew { (_) throws(StorageError) in
                throw StorageError(.failed, "")
            }
        }
        #expect(try engine.sql("SELECT until FROM relation_server") == before)
        store.close()
    }

    /// A process that waits for the locks of a process without a lease ends its session.
    @Test(arguments: ["a partition", "another partition", "all", "init", "a revocation"])
    func aProcessWithoutALeaseHoldsUpNoOther(_ waiting: String) throws {
        let engine = try PostgresEngine()
        var options = engine.options
        options.patienceMilliseconds = 300
        let stopped = try PostgresStore(options, lease: Lease { 1_000_000_000 })
        for _ in 0..<2 { try stopped.peers!.renew(knowing: 1) }
        try engine.sql("CREATE TABLE stopped AS SELECT id FROM relation_server")
        let other = try leased(engine)
        #expect(throws: StorageError(.unavailable, "")) {
            try stopped.write(touching: [ann]) { (transaction) throws(StorageError) in
                _ = try transaction.text(ann.key("a"))
                transaction.set(ann.key("a"), "stopped")
                try engine.sql(
                    """
                    UPDATE relation_server SET until = now() - interval '1 ms' \
                    WHERE id IN (SELECT id FROM stopped)
                    """)
                // An error of it must not look like that of the transaction that was stopped.
                #expect(throws: Never.self) {
                    switch waiting {
                    case "a partition": try other.put([Row("a", "other")], in: ann)
                    case "another partition": try other.put([Row("a", "other")], in: bob)
                    case "all":
                        try other.write(touching: []) { $0.set(ann.key("a"), "other") }
                    case "init":
                        _ = try Schema.make(engine.options, format: PostgresStore.format)
                    default: other.peers!.settle(2, byThisProcessToo: false)
                    }
                }
            }
        }
        #expect(try other.text(ann.key("a")) != "stopped")
        for store in [stopped, other] { store.close() }
    }

    @Test func aProcessWithALeaseIsWaitedFor() throws {
        let engine = try PostgresEngine()
        var options = engine.options
        options.patienceMilliseconds = 1_500
        let (one, other) = (try leased(engine), try PostgresStore(options))
        try engine.sql("UPDATE relation_server SET until = now() + interval '1 hour'")
        try one.write(touching: [ann]) { (transaction) throws(StorageError) in
            _ = try transaction.text(ann.key("a"))
            transaction.set(ann.key("a"), "1")
            // It looks for those without a lease meanwhile, and finds none.
            #expect(throws: StorageError(.unavailable, "")) {
                try other.put([Row("a", "2")], in: ann)
            }
        }
        #expect(try one.text(ann.key("a")) == "1")
        for store in [one, other] { store.close() }
    }

    @Test func oneThatWaitsForAllLetsTheOthersBy() throws {
        let engine = try PostgresEngine { $0.writers = 2 }
        let store = try engine.open()
        let done = DispatchSemaphore(value: 0)
        try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            _ = try transaction.text(ann.key("a"))
            let other = try engine.open()
            Thread.detachNewThread {
                _ = try? other.write(touching: []) { $0.set(ann.key("b"), "1") }
                other.close()
                done.signal()
            }
            let waits = """
                SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory' \
                AND mode = 'ExclusiveLock' AND database = (SELECT oid FROM pg_database \
                WHERE datname = current_database())
                """
            while try engine.sql(waits) == ["0"] {}
            // These come behind it, and need not wait until this transaction ends.
            for _ in 0..<3 { try store.put([Row("a", "1")], in: bob) }
        }
        done.wait()
        #expect(try store.text(ann.key("b")) == "1")
        store.close()
    }

    @Test func theDatabaseFindsOutThatTheOtherEndIsGone() throws {
        let engine = try PostgresEngine()
        let store = try leased(engine)
        try store.put([Row("a", "1")], in: ann)
        _ = try store.peers!.wait(milliseconds: 0)
        let names = try engine.sql(
            """
            SELECT application_name FROM pg_stat_activity \
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
        let id = try engine.sql("SELECT id FROM relation_server")[0]
        #expect(names.count == 3)
        #expect(names.allSatisfy { $0 == "relationd \(id)" }, "\(names)")
        store.close()
    }

    @Test func connectionsThatBrokeWhileTheyWereIdleFailNoRead() throws {
        let engine = try PostgresEngine()
        let store = try engine.open()
        try store.put([Row("a", "1")], in: ann)
        for _ in 0..<3 {
            let snapshots = try (0..<3).map { _ in try store.snapshot() }
            for snapshot in snapshots { snapshot.close() }
            try engine.sql(
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
            for _ in 0..<3 {
                let snapshot = try store.snapshot()
                #expect(
                    try snapshot.read { (found) throws(StorageError) in
                        try found.text(ann.key("a"))
                    } == "1")
                snapshot.close()
            }
            #expect(try store.text(ann.key("a")) == "1")
        }
        store.close()
    }
}
