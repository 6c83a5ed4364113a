import PostgresSupport
import Storage
import StorageSuite
import Testing

@testable import StoragePostgres

/// The changes of an app that moves, as triggers note them.
@Suite(.enabled(if: PostgresEngine.isThere)) struct PostgresMoveLogTests {
    private func key(_ app: UInt32, _ name: String, _ number: UInt8) -> Key {
        Key(Partition(app: app, name: name.utf8), suffix: [1, number])
    }

    private func log(
        _ engine: PostgresEngine, _ app: UInt32 = 7, _ session: String = "00000000000000aa"
    ) -> PostgresMoveLog {
        PostgresMoveLog(engine.options, target: engine.options, app: app, sessions: [session])
    }

    private func write(
        _ store: PostgresStore, _ body: (any WriteTransaction) -> Void
    ) throws {
        try store.write(touching: []) { (transaction) throws(StorageError) in body(transaction) }
    }

    @Test func theKeysOfTheOneAppAreNoted() throws {
        let engine = try PostgresEngine()
        let store = try PostgresStore(engine.options)
        defer { store.close() }
        let log = log(engine)
        try log.take(force: false)
        try write(store) { $0.set(key(7, "ann", 1), to: [1]) }
        #expect(try !log.begin())
        #expect(try log.begin())
        try write(store) { transaction in
            // Of two of them the numbers are beside the app's.
            for app in [UInt32(6), 7, 8, 0x0700] { transaction.set(key(app, "bob", 2), to: [2]) }
            transaction.set(key(7, "ann", 1), to: [3])
            transaction.remove(key(7, "cid", 9))
        }
        try write(store) { $0.remove(key(7, "bob", 2)) }
        let changes = try log.changes(limit: 10)
        #expect(
            Set(changes.map(\.key)) == [key(7, "ann", 1), key(7, "bob", 2)])
        #expect(changes.count == 3)
        #expect(try log.changes(limit: 2).count == 2)
        // One change of a key is forgotten, and not a later one.
        try log.forget([changes[0].number])
        #expect(try log.changes(limit: 10).map(\.number) == changes.dropFirst().map(\.number))
        try log.end()
        try write(store) { $0.set(key(7, "ann", 1), to: [4]) }
        #expect(try log.changes(limit: 10).isEmpty)
        #expect(try !log.begin())
        try log.end()
    }

    @Test func aListOfChangesThatBecomesTooLongIsGivenUp() throws {
        let engine = try PostgresEngine()
        let store = try PostgresStore(engine.options)
        defer { store.close() }
        let sessions = ["00000000000000aa"]
        func log(_ most: Int) -> PostgresMoveLog {
            PostgresMoveLog(
                engine.options, target: engine.options, app: 7, sessions: sessions,
                mostWaiting: most)
        }
        let (roomy, narrow) = (log(6), log(5))
        try roomy.take(force: false)
        #expect(try !roomy.begin())
        try write(store) { transaction in
            for number in UInt8(1)...5 { transaction.set(key(7, "ann", number), to: [1]) }
        }
        for _ in 0..<2 * Limits.fullRoundsPerCount {
            #expect(try roomy.changes(limit: 2).count == 2)
        }
        for _ in 1..<Limits.fullRoundsPerCount {
            #expect(try narrow.changes(limit: 2).count == 2)
        }
        // A round that leaves nothing behind begins the count anew.
        #expect(try narrow.changes(limit: 9).count == 5)
        for _ in 1..<Limits.fullRoundsPerCount {
            #expect(try narrow.changes(limit: 2).count == 2)
        }
        #expect(throws: StorageError(.unavailable, "")) { try narrow.changes(limit: 2) }
        // The same mover applies nothing any more, and the next one begins anew.
        #expect(throws: StorageError(.unavailable, "")) { try narrow.changes(limit: 2) }
        #expect(try roomy.changes(limit: 2).isEmpty)
        #expect(try !roomy.begin())
        try roomy.end()
    }

    @Test func oneMoverAtATimeHasAnApp() throws {
        let engine = try PostgresEngine()
        let (one, other) = (log(engine), log(engine, 7, "00000000000000bb"))
        try one.take(force: false)
        try one.take(force: false)
        #expect(throws: StorageError(.locked, "")) { try other.take(force: false) }
        try log(engine, 8).take(force: false)
        try other.take(force: true)
        #expect(throws: StorageError(.locked, "")) { try one.beat() }
        try other.beat()
        // The end of an earlier mover leaves the present one alone.
        try one.leave()
        try other.beat()
        try engine.sql(
            """
            UPDATE relation_move SET beat = clock_timestamp() \
            - interval '\(MoveLogLimits.silenceMilliseconds) ms'
            """)
        try one.take(force: false)
        try one.leave()
        try other.take(force: false)
    }

    @Test func theSessionsOfTheMoverBeforeAreEnded() throws {
        let engine = try PostgresEngine()
        let store = try PostgresStore(engine.options)
        defer { store.close() }
        try log(engine, 7, store.sessionName).take(force: false)
        let partition = Partition(app: 7, name: "ann".utf8)
        var isTaken = false
        try? store.write(touching: [partition]) { (transaction) throws(StorageError) in
            transaction.set(key(7, "ann", 1), to: [1])
            try transaction.lock([])
            guard !isTaken else { return }
            isTaken = true
            // It is stopped here, with its locks.
            try log(engine, 7, "00000000000000bb").take(force: true)
            let next = try PostgresStore(engine.options)
            defer { next.close() }
            try next.write(touching: [partition]) { (transaction) throws(StorageError) in
                transaction.set(key(7, "ann", 1), to: [2])
            }
        }
        #expect(isTaken)
    }
}
