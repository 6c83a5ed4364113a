import Dispatch
import PostgresSupport
import Storage
import StorageSuite
import Synchronization
import Testing

@testable import StoragePostgres

/// Ordinary reads from standbys.
///
/// The primary stands for a standby that is never behind, and another store for one that never
/// shows a commit. `test_ordinary_standby_reads.py` has real ones.
@Suite(.enabled(if: PostgresEngine.isThere)) struct StandbyReaderTests {
    private let ann = Partition("ann")
    private static let away = "postgresql://127.0.0.1:1/none"

    private func standbys(
        _ engine: PostgresEngine, _ addresses: [String], staleness: Int = 60_000
    ) -> Standbys {
        var options = engine.options
        options.standbys = addresses
        options.standbyStalenessMilliseconds = staleness
        return Standbys(of: PostgresDatabase(options))
    }

    private func put(_ text: String, in engine: PostgresEngine) throws {
        let store = try PostgresStore(engine.options)
        try store.put([Row("a", text)], in: ann)
        store.close()
    }

    /// Asks after the first reads, which come before there is a number, or a connection.
    private func settled(
        _ standbys: Standbys, _ need: StandbyNeed = .recent, _ verdict: StandbyVerdict = .answered
    ) -> (outcome: StandbyOutcome, text: String?) {
        for _ in 0..<2 where need != .present {
            let outcome = standbys.read(need) { _ in .answered }
            #expect(outcome == .away)
            standbys.settle()
        }
        var text: String?
        let outcome = standbys.read(need) { (found) throws(StorageError) in
            text = try found.text(ann.key("a"))
            return verdict
        }
        return (outcome, text)
    }

    @Test(arguments: StandbyNeed.allCases)
    func aStandbyAnswersAReadOfEachNeed(_ need: StandbyNeed) throws {
        let engine = try PostgresEngine()
        try put("1", in: engine)
        let standbys = standbys(engine, [engine.options.address])
        let found = settled(standbys, need)
        #expect(found.outcome == .answered && found.text == "1")
        var expected = NetworkGauges.Standbys()
        expected.count = 1
        if need == .present {
            expected.reads = 1
        } else {
            (expected.answered, expected.away) = (1, 2)
        }
        #expect(standbys.gauges == expected)
        standbys.close()
    }

    @Test(arguments: [
        (StandbyVerdict.behind, StandbyOutcome.behind), (.unsure, .unsure), (.answered, .answered),
    ])
    func whatTheReadSaysOfItsViewIsTheOutcome(
        _ verdict: StandbyVerdict, _ outcome: StandbyOutcome
    ) throws {
        let engine = try PostgresEngine()
        let standbys = standbys(engine, [engine.options.address])
        #expect(settled(standbys, .token, verdict).outcome == outcome)
        standbys.close()
    }

    /// A standby that has shown a number shows it to the same session again.
    @Test func aSessionThatHasShownTheNumberIsNotAskedForItAgain() throws {
        let engine = try PostgresEngine()
        try put("1", in: engine)
        let database = PostgresDatabase(engine.options)
        let mark = StandbyMark(database)
        let number = try mark.advance()
        let primary = Primary()
        let identity = Primary.Identity(system: "7", timeline: 1, started: "a")
        #expect(try primary.admit(identity, for: .other, nil) == number.primary)
        let readers = (0..<2).map { _ in
            StandbyReader(database.standby(at: engine.options.address))
        }
        for reader in readers {
            #expect(reader.read(number, of: primary) { _ in .answered } == .away)
            reader.settle()
        }
        #expect(readers[0].read(number, of: primary) { _ in .answered } == .answered)
        let later = try mark.advance()
        try PostgresSession(engine.options).run("DELETE FROM relation_writer")
        for asks in [true, false, true] {
            var text: String?
            let outcome = readers[0].read(number, of: primary) { (found) throws(StorageError) in
                if asks { text = try found.text(ann.key("a")) }
                return .answered
            }
            #expect(outcome == .answered && text == (asks ? "1" : nil))
        }
        // It has not shown a later one, and another session has shown none.
        #expect(readers[0].read(later, of: primary) { _ in .answered } == .behind)
        #expect(readers[1].read(number, of: primary) { _ in .answered } == .behind)
        for reader in readers { reader.close() }
        mark.close()
    }

    @Test func aStandbyWithoutTheNumberIsBehindWhateverTheReadAsks() throws {
        let (engine, other) = (try PostgresEngine(), try PostgresEngine())
        try withExtendedLifetime(other) {
            try put("2", in: other)
            for asks in [true, false] {
                let standbys = standbys(engine, [other.options.address])
                _ = settled(standbys)
                var isBehind = false
                for _ in 0..<2 {
                    let outcome = standbys.read(.recent) { (found) throws(StorageError) in
                        if asks { _ = try found.text(ann.key("a")) }
                        return .answered
                    }
                    isBehind = outcome == .behind
                }
                #expect(isBehind)
                #expect(standbys.gauges.answered == 0 && standbys.gauges.paused == 0)
                standbys.close()
            }
        }
    }

    @Test func theNextStandbyAnswersForOneThatIsBehindOrAway() throws {
        let (engine, other) = (try PostgresEngine(), try PostgresEngine())
        try withExtendedLifetime(other) {
            try put("1", in: engine)
            let standbys = standbys(
                engine, [Self.away, other.options.address, engine.options.address])
            for _ in 0..<4 {
                _ = standbys.read(.recent) { _ in .answered }
                standbys.settle()
            }
            for _ in 0..<6 {
                var text: String?
                let outcome = standbys.read(.recent) { (found) throws(StorageError) in
                    text = try found.text(ann.key("a"))
                    return .answered
                }
                #expect(outcome == .answered && text == "1")
            }
            #expect(standbys.gauges.paused == 1)
            standbys.close()
        }
    }

    @Test func withoutABoundOfAgeOnlyReadsWithATokenAreTaken() throws {
        let engine = try PostgresEngine()
        let standbys = standbys(engine, [engine.options.address], staleness: 0)
        #expect(!standbys.takesRecentReads)
        #expect(settled(standbys, .token).outcome == .answered)
        standbys.close()
        var options = engine.options
        let alone = try PostgresStore(options)
        #expect(alone.standbys == nil)
        alone.close()
        options.standbys = [engine.options.address]
        let store = try PostgresStore(options)
        #expect(store.standbys != nil)
        store.close()
    }

    @Test func aReadHoldsNoMoreConnectionsThanTheLimit() throws {
        let engine = try PostgresEngine()
        let database = PostgresDatabase(engine.options).standby(at: engine.options.address)
        let pool = ConnectionPool(.standby, Limits.standbyReaders, database)
        #expect(pool.acquireIdle() == nil && pool.hasRoom)
        let taken = try (0..<Limits.standbyReaders).map { _ in try pool.acquire() }
        #expect(!pool.hasRoom && pool.acquireIdle() == nil)
        pool.release(taken[0])
        let idle = try #require(pool.acquireIdle())
        #expect(idle === taken[0] && !pool.hasRoom)
        for connection in taken { pool.release(connection) }
        pool.close()
        #expect(pool.acquireIdle() == nil && !pool.hasRoom)
    }

    @Test func aViewCountsForNothingOnceAnotherServerIsThePrimary() throws {
        let engine = try PostgresEngine()
        let database = PostgresDatabase(engine.options)
        let mark = StandbyMark(database)
        let number = try mark.advance()
        let reader = StandbyReader(database.standby(at: engine.options.address))
        let primary = Primary()
        let first = Primary.Identity(system: "7", timeline: 1, started: "a")
        #expect(try primary.admit(first, for: .other, nil) == number.primary)
        _ = reader.read(number, of: primary) { _ in .answered }
        reader.settle()
        #expect(reader.read(number, of: primary) { _ in .answered } == .answered)
        let next = Primary.Identity(system: "7", timeline: 2, started: "b")
        let late = reader.read(number, of: primary) { (_) throws(StorageError) in
            _ = try primary.admit(next, for: .other, nil)
            return .answered
        }
        #expect(late == .away)
        #expect(!reader.isPaused)
        reader.close()
        mark.close()
    }

    @Test func callsThatWaitForANumberHaveOneTogether() throws {
        let engine = try PostgresEngine()
        let mark = StandbyMark(PostgresDatabase(engine.options))
        let first = try mark.advance()
        let numbers = Mutex<[Int64]>([])
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            guard let number = try? mark.advance() else { return }
            numbers.withLock { $0.append(number.value) }
        }
        let found = numbers.withLock { $0 }
        #expect(found.count == 16)
        #expect(found.allSatisfy { $0 > first.value && $0 <= first.value + 16 })
        #expect(try mark.advance().value > found.max() ?? 0)
        mark.close()
    }
}
