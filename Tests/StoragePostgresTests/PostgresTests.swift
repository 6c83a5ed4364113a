import Dispatch
import Foundation
import PostgresSupport
import Storage
import StorageSuite
import Synchronization
import Testing

@testable import StoragePostgres

private let ann = Partition("ann")
private let bob = Partition("bob")

@Suite(.enabled(if: PostgresEngine.isThere)) struct PostgresTests {
    @Test(arguments: storagePromises)
    func theDatabaseKeeps(_ promise: Promise) throws {
        try promise.check(try PostgresEngine())
    }

    @Test(arguments: sharedPromises)
    func theDatabaseShares(_ promise: SharedPromise) throws {
        try promise.check(try PostgresEngine())
    }

    /// A store that waits for a moment only, with as few connections as it can have.
    private func narrowStore(writers: Int = 1) throws -> (PostgresEngine, PostgresStore) {
        let engine = try PostgresEngine { options in
            options.readers = 1
            options.snapshots = 1
            options.writers = writers
            options.patienceMilliseconds = 200
        }
        return (engine, try PostgresStore(engine.options))
    }

    @Test func aReaderTooManyIsUnavailable() throws {
        let (engine, store) = try narrowStore()
        try withExtendedLifetime(engine) {
            try store.read { (transaction) throws(StorageError) in
                _ = try transaction.text(ann.key("a"))
                #expect(throws: StorageError(.unavailable, "")) { try store.text(ann.key("a")) }
            }
            #expect(try store.text(ann.key("a")) == nil, "the connection came back")
            store.close()
        }
    }

    @Test func aSnapshotTooManyIsUnavailable() throws {
        let (engine, store) = try narrowStore()
        try withExtendedLifetime(engine) {
            let first = try store.snapshot()
            #expect(throws: StorageError(.unavailable, "")) { _ = try store.snapshot() }
            first.close()
            try store.snapshot().close()
            store.close()
        }
    }

    @Test func aWriterTooManyIsUnavailable() throws {
        let (engine, store) = try narrowStore()
        try withExtendedLifetime(engine) {
            try store.write(touching: [ann]) { (transaction) throws(StorageError) in
                _ = try transaction.text(ann.key("a"))
                #expect(throws: StorageError(.unavailable, "")) {
                    try store.put([Row("a", "1")], in: bob)
                }
            }
            store.close()
        }
    }

    @Test func writesOfOtherPartitionsRunBesideOneAnotherAndThoseOfTheSameWait() throws {
        let (engine, store) = try narrowStore(writers: 2)
        try withExtendedLifetime(engine) {
            try store.write(touching: [ann]) { (transaction) throws(StorageError) in
                _ = try transaction.text(ann.key("a"))
                try store.put([Row("a", "1")], in: bob)
                #expect(throws: StorageError(.unavailable, "")) {
                    try store.put([Row("a", "1")], in: ann)
                }
                // A transaction that names nothing may be about anything.
                #expect(throws: StorageError(.unavailable, "")) {
                    try store.write(touching: []) { $0.set(bob.key("b"), "1") }
                }
            }
            try store.put([Row("a", "2")], in: ann)
            #expect(try store.rows(KeyRange(all: bob)) == [Row("a", "1")])
            store.close()
        }
    }

    @Test func aWriteThatNamesNothingKeepsAllOthersOut() throws {
        let (engine, store) = try narrowStore(writers: 2)
        try withExtendedLifetime(engine) {
            try store.write(touching: []) { (transaction) throws(StorageError) in
                _ = try transaction.text(ann.key("a"))
                #expect(throws: StorageError(.unavailable, "")) {
                    try store.put([Row("a", "1")], in: bob)
                }
            }
            store.close()
        }
    }

    @Test func aPartitionThatIsLockedLaterIsLocked() throws {
        let (engine, store) = try narrowStore(writers: 2)
        try withExtendedLifetime(engine) {
            try store.write(touching: [ann]) { (transaction) throws(StorageError) in
                try transaction.lock([bob])
                #expect(throws: StorageError(.unavailable, "")) {
                    try store.put([Row("a", "1")], in: bob)
                }
            }
            store.close()
        }
    }

    @Test func aTransactionTellsWhetherAnotherHadItsLock() throws {
        let engine = try PostgresEngine()
        let (one, other) = (try engine.open(), try engine.open())
        @Sendable func write(_ store: any Store, _ partition: Partition) throws -> Bool {
            try store.write(touching: [partition]) { (transaction) throws(StorageError) in
                _ = try transaction.text(partition.key("a"))
                return transaction.hasWaited
            }
        }
        let begun = DispatchSemaphore(value: 0)
        let late = Mutex<Bool?>(nil)
        let done = DispatchSemaphore(value: 0)
        try one.write(touching: [ann]) { (transaction) throws(StorageError) in
            _ = try transaction.text(ann.key("a"))
            #expect(!transaction.hasWaited)
            #expect((try? write(other, bob)) == false)
            Thread.detachNewThread {
                begun.signal()
                let waited = try? write(other, ann)
                late.withLock { $0 = waited }
                done.signal()
            }
            begun.wait()
            var waiting: [String] = []
            while waiting != ["1"] {
                waiting = try engine.sql(
                    "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory' "
                        + "AND database = (SELECT oid FROM pg_database "
                        + "WHERE datname = current_database())")
            }
        }
        done.wait()
        #expect(late.withLock { $0 } == true)
        for store in [one, other] { store.close() }
    }

    @Test func aWriteThatWaitsForNoneLeavesThoseAloneThatAnotherHas() throws {
        let engine = try PostgresEngine()
        let (one, other) = (try engine.open(), try engine.open())
        @Sendable func refused() throws -> [Int] {
            try other.write(touching: [ann, bob], waiting: false) {
                (transaction) throws(StorageError) in
                _ = try transaction.text(bob.key("a"))
                #expect(!transaction.hasWaited)
                transaction.set(bob.key("a"), "1")
                return transaction.refused
            }
        }
        try one.write(touching: [ann]) { (transaction) throws(StorageError) in
            _ = try transaction.text(ann.key("a"))
            // A transaction that changes something has ended when it is answered.
            transaction.set(ann.key("a"), "1")
            #expect((try? refused()) == [0])
        }
        #expect(try refused() == [])
        #expect(try one.rows(KeyRange(all: bob)) == [Row("a", "1")])
        for store in [one, other] { store.close() }
    }

    /// A write that waits for one partition is in the way of no other, not even of the whole store.
    @Test func aWriteThatWaitsKeepsNoOtherOut() throws {
        let engine = try PostgresEngine()
        let store = try engine.open()
        let holder = try PostgresSession(engine.options)
        try holder.run("SELECT pg_advisory_lock(\(Lock.number(of: ann.bytes)))")
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            try? store.put([Row("a", "1")], in: ann)
            done.signal()
        }
        var waiting: [String] = []
        while waiting != ["1"] {
            waiting = try engine.sql(
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory' "
                    + "AND database = (SELECT oid FROM pg_database "
                    + "WHERE datname = current_database())")
        }
        try store.put([Row("b", "1")], in: bob)
        try store.write(touching: []) { $0.set(bob.key("c"), "1") }
        #expect(try store.rows(KeyRange(all: bob)).count == 2)
        #expect(try store.rows(KeyRange(all: ann)).isEmpty)
        try holder.run("SELECT pg_advisory_unlock_all()")
        done.wait()
        #expect(try store.rows(KeyRange(all: ann)) == [Row("a", "1")])
        store.close()
    }

    @Test func readsWaitWhereTheDatabaseHasNoRoomForMoreConnections() throws {
        let engine = try PostgresEngine()
        let role = "few_\(UInt32.random(in: 0 ... .max))"
        let address = engine.options.address
        try engine.sql(
            """
            CREATE ROLE \(role) LOGIN CONNECTION LIMIT 2;
            GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)
            """)
        defer { _ = try? engine.sql("DROP OWNED BY \(role); DROP ROLE \(role)") }
        let options = PostgresOptions(
            address: address.replacingOccurrences(of: "postgres@", with: "\(role)@"))
        let store = try PostgresStore(options)
        let failed = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            for _ in 0..<5 {
                do {
                    _ = try store.text(ann.key("a"))
                } catch {
                    failed.add(1, ordering: .relaxed)
                }
            }
        }
        #expect(failed.load(ordering: .relaxed) == 0)
        store.close()
    }

    @Test func aLookTellsTheTimeAndWhatIsGoneOrLocked() throws {
        let engine = try PostgresEngine()
        let store = try engine.open()
        let peers = store.peers!
        let before = try peers.checkTables()
        let time = try engine.sql("SELECT (extract(epoch FROM now()) * 1000)::bigint")
        #expect(try #require(time.first.flatMap { Int64($0) }) - before < 600_000)
        let other = try PostgresSession(engine.options)
        for mode in ["SHARE", "EXCLUSIVE", "ACCESS EXCLUSIVE"] {
            for table in ["relation_kv", "relation_writer", "relation_note"] {
                try other.run("BEGIN; LOCK TABLE \(table) IN \(mode) MODE")
                #expect(throws: StorageError(.unavailable, "")) { try peers.checkTables() }
                try other.run("ROLLBACK")
                _ = try peers.checkTables()
            }
        }
        // The lock that vacuum takes is in the way of no write.
        try other.run("BEGIN; LOCK TABLE relation_kv IN SHARE UPDATE EXCLUSIVE MODE")
        _ = try peers.checkTables()
        try other.run("ROLLBACK")
        try engine.sql("ALTER TABLE relation_kv DROP CONSTRAINT relation_kv_pkey")
        #expect(throws: StorageError(.foreign, "")) { try peers.checkTables() }
        try engine.sql("DROP TABLE relation_writer")
        #expect(throws: StorageError(.foreign, "")) { try peers.checkTables() }
        store.close()
    }

    /// A process that ends waits for one answer, and for no other.
    @Test func aStoreThatIsAboutToCloseWaitsNotLongForADatabaseThatHangs() throws {
        let engine = try PostgresEngine { options in
            options.patienceMilliseconds = 600_000
            options.shutdown = Shutdown(patience: 100)
        }
        let store = try engine.open()
        // Another process, which does not end.
        var others = engine.options
        others.shutdown = Shutdown()
        let holder = try PostgresSession(others)
        try holder.run("BEGIN; LOCK TABLE relation_kv IN ACCESS EXCLUSIVE MODE")
        let ended = DispatchSemaphore(value: 0)
        let codes = Mutex<[StorageError.Code]>([])
        for number in 0..<12 {
            Thread.detachNewThread {
                do {
                    if number % 2 == 0 {
                        _ = try store.text(ann.key("a"))
                    } else {
                        try store.put([Row("a", "1")], in: ann)
                    }
                } catch {
                    codes.withLock { $0.append((error as? StorageError)?.code ?? .failed) }
                }
                ended.signal()
            }
        }
        store.willClose()
        for _ in 0..<12 { ended.wait() }
        #expect(codes.withLock { $0.count } == 12)
        #expect(codes.withLock { $0.allSatisfy { [.unavailable, .outcomeUnknown].contains($0) } })
        store.close()
        try holder.run("ROLLBACK")
    }

    @Test func aCommitThatTheDatabaseRefusesWritesNothingAndTheNextOneIsMade() throws {
        let engine = try PostgresEngine()
        let store = try engine.open()
        try engine.sql(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'not today'; END $$;
            CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON relation_kv
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()
            """)
        for _ in 0..<2 {
            #expect {
                try store.put([Row("a", "1")], in: ann)
            } throws: { error in
                (error as? StorageError)?.code == .failed && "\(error)".contains("not today")
            }
        }
        try engine.sql("DROP TRIGGER refuse ON relation_kv")
        #expect(try store.rows(KeyRange(all: ann)).isEmpty)
        try store.put([Row("a", "2")], in: ann)
        #expect(try store.rows(KeyRange(all: ann)) == [Row("a", "2")])
        store.close()
    }

    @Test func aTransactionHasABoundAndWritesNothingBeyondIt() throws {
        let engine = try PostgresEngine()
        let store = try engine.open()
        let part = [UInt8](repeating: 7, count: 48 << 20)
        #expect(throws: StorageError(.failed, "")) {
            try store.write(touching: [ann]) { transaction in
                for name in ["a", "b", "c"] { transaction.set(ann.key(name), to: part) }
            }
        }
        #expect(try store.rows(KeyRange(all: ann)).isEmpty)
        store.close()
    }

    /// A round trip is a wait for an answer; the end of a transaction that only read is none.
    @Test func aReadIsOneRoundTripAndAWriteTwo() throws {
        let engine = try PostgresEngine()
        let store = try PostgresStore(engine.options)
        let keys = (0..<100).map { ann.key("\($0)") }
        try store.put([Row("1", "one")], in: ann)
        _ = try store.text(ann.key("1"))
        func trips(_ body: () throws -> Void) rethrows -> UInt64 {
            let before = store.meter.roundTrips
            try body()
            return store.meter.roundTrips - before
        }
        let read = try trips {
            try store.read { (transaction) throws(StorageError) in
                _ = try transaction.values(keys)
            }
        }
        #expect(read == 1)
        let expecting = try trips {
            try store.read { (transaction) throws(StorageError) in
                transaction.expect(KeyList(keys))
                transaction.expect(KeyRange(all: ann), .ascending, limit: 50)
                _ = try transaction.text(keys[0])
                #expect(try transaction.text(keys[1]) == "one")
                let rows = try transaction.rows(KeyRange(all: ann), .ascending, limit: 50)
                #expect(rows == [Row("1", "one")])
            }
        }
        #expect(expecting == 1)
        let write = try trips {
            try store.write(touching: [ann, bob]) { (transaction) throws(StorageError) in
                try transaction.prefetch(KeyList(keys))
                for key in keys { transaction.set(key, try transaction.text(key) ?? "new") }
            }
        }
        #expect(write == 2)
        store.close()
    }
}
