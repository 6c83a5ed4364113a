import PostgresSupport
import Storage
import StorageSuite
import Testing

@testable import StoragePostgres

/// Long reads from standbys.
///
/// The primary stands for a standby that is never behind, and another store for one that never
/// shows a commit. `test_standby_reads.py` has real ones.
@Suite(.enabled(if: PostgresEngine.isThere)) struct StandbyTests {
    private let ann = Partition("ann")
    private static let away = "postgresql://127.0.0.1:1/none"

    private func store(
        _ engine: PostgresEngine, _ standbys: [String], wait: Int = 10_000
    ) throws -> PostgresStore {
        var options = engine.options
        options.standbys = standbys
        options.standbyWaitMilliseconds = wait
        return try PostgresStore(options)
    }

    private func gauges(_ store: PostgresStore) throws -> NetworkGauges.Standbys {
        try #require(store.gauges().network?.standbys)
    }

    /// The text of a row as a long read that begins now sees it.
    private func seen(_ store: PostgresStore) throws -> String? {
        let snapshot = try store.longSnapshot()
        defer { snapshot.close() }
        return try snapshot.read { (found) throws(StorageError) in try found.text(ann.key("a")) }
    }

    @Test func aLongReadSeesAllThatWasCommittedBeforeIt() throws {
        let engine = try PostgresEngine()
        let store = try store(engine, [engine.options.address])
        for text in ["1", "2", "3", "4", "5"] {
            try store.put([Row("a", text)], in: ann)
            #expect(try seen(store) == text)
        }
        var expected = NetworkGauges.Standbys()
        (expected.count, expected.reads) = (1, 5)
        #expect(try gauges(store) == expected)
        store.close()
    }

    @Test func aViewStaysAsItWasWhenItBegan() throws {
        let engine = try PostgresEngine()
        let store = try store(engine, [engine.options.address])
        try store.put([Row("a", "1")], in: ann)
        let snapshot = try store.longSnapshot()
        try store.put([Row("a", "2")], in: ann)
        for _ in 0..<2 {
            let text = try snapshot.read { (found) throws(StorageError) in
                try found.text(ann.key("a"))
            }
            #expect(text == "1")
        }
        #expect(store.gauges().network?.pools.last == .init(name: "standbys", used: 1, most: 64))
        snapshot.close()
        #expect(store.gauges().network?.pools.last == .init(name: "standbys", used: 0, most: 64))
        store.close()
    }

    @Test func aStandbyWithoutTheCommitIsLeftForThePrimary() throws {
        let (engine, other) = (try PostgresEngine(), try PostgresEngine())
        try withExtendedLifetime(other) {
            let store = try store(engine, [other.options.address], wait: 100)
            try store.put([Row("a", "1")], in: ann)
            #expect(try seen(store) == "1")
            var expected = NetworkGauges.Standbys()
            (expected.count, expected.paused, expected.primaryReads) = (1, 1, 1)
            #expect(try gauges(store) == expected)
            store.close()
        }
    }

    @Test func aReadIsTakenByTheStandbyThatIsThere() throws {
        let engine = try PostgresEngine()
        let store = try store(engine, [Self.away, engine.options.address, Self.away])
        try store.put([Row("a", "1")], in: ann)
        for _ in 0..<6 { #expect(try seen(store) == "1") }
        let found = try gauges(store)
        #expect(found.reads == 6 && found.primaryReads == 0)
        #expect(found.count == 3 && found.paused > 0)
        store.close()
    }

    @Test func aStandbyForWhichNoTimeWasLeftHasNotFailed() throws {
        let (engine, other) = (try PostgresEngine(), try PostgresEngine())
        try withExtendedLifetime(other) {
            let addresses = [other.options.address, engine.options.address]
            let store = try store(engine, addresses, wait: 1_000)
            try store.put([Row("a", "1")], in: ann)
            for _ in 0..<2 { #expect(try seen(store) == "1") }
            var expected = NetworkGauges.Standbys()
            (expected.count, expected.paused) = (2, 1)
            (expected.reads, expected.primaryReads) = (1, 1)
            #expect(try gauges(store) == expected)
            store.close()
        }
    }

    @Test func withoutAStandbyThePrimaryTakesAllReads() throws {
        let engine = try PostgresEngine()
        let store = try store(engine, [Self.away])
        try store.put([Row("a", "1")], in: ann)
        for _ in 0..<3 { #expect(try seen(store) == "1") }
        let found = try gauges(store)
        #expect(found.reads == 0 && found.primaryReads == 3 && found.paused == 1)
        store.close()
        let alone = try PostgresStore(engine.options)
        #expect(try seen(alone) == "1")
        #expect(alone.gauges().network?.standbys == nil)
        alone.close()
    }

    @Test func eachMarkIsAnotherNumberAndOneRow() throws {
        let engine = try PostgresEngine()
        let mark = StandbyMark(PostgresDatabase(engine.options))
        let numbers = try (0..<3).map { _ in try mark.advance() }
        #expect(numbers.map(\.value) == [1, 2, 3])
        #expect(try engine.sql("SELECT batch FROM relation_writer") == ["3"])
        mark.close()
    }

    @Test func aViewEndsWhenAnotherServerBecomesThePrimary() throws {
        let engine = try PostgresEngine()
        let database = PostgresDatabase(engine.options).standby(at: engine.options.address)
        let pool = ConnectionPool(.standby, 1, database)
        let primary = Primary()
        let identity = Primary.Identity(system: "7", timeline: 1, started: "a")
        let number = try primary.admit(identity, for: .other, nil)
        let snapshot = PostgresSnapshot(
            try pool.acquire(), of: pool, since: .init(primary: primary, number: number))
        let read = { () throws in
            try snapshot.read { (found) throws(StorageError) in try found.text(ann.key("a")) }
        }
        #expect(try read() == nil)
        let next = Primary.Identity(system: "7", timeline: 2, started: "b")
        _ = try primary.admit(next, for: .other, nil)
        #expect(throws: StorageError(.unavailable, "")) { try read() }
        snapshot.close()
        pool.close()
    }
}
