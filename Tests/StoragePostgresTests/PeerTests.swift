import PostgresSupport
import Storage
import StoragePostgres
import StorageSuite
import Testing

/// Servers of one database: the notes among them, and a database that goes back.
@Suite(.enabled(if: PostgresEngine.isThere)) struct PeerTests {
    private func note(_ key: String, _ value: String) -> PeerNote {
        PeerNote(key: Array(key.utf8), value: Array(value.utf8))
    }

    private func texts(_ found: PeerNotes) -> [String] {
        found.notes.map { String(decoding: $0.key + [0x3D] + $0.value, as: UTF8.self) }
    }

    @Test func notesAreReadByAllInTheOrderInWhichTheyWerePosted() throws {
        let engine = try PostgresEngine()
        let stores = [try engine.open(), try engine.open()]
        let (one, other) = (stores[0].peers!, stores[1].peers!)
        #expect(try one.notes(after: nil).position == nil)
        _ = try one.post([note("a", "1"), note("b", "1")], readingAfter: nil)
        _ = try other.post([note("c", "1")], readingAfter: nil)
        _ = try one.post([note("a", "2")], readingAfter: nil)
        var found = try other.notes(after: nil)
        #expect(Set(texts(found)) == ["a=2", "b=1", "c=1"])
        #expect(texts(found).last == "a=2")
        #expect(!found.hasMore && !found.beginsAnew)
        let position = found.position
        found = try other.notes(after: position)
        #expect(texts(found) == [] && found.position == position)
        _ = try one.post([note("d", "1")], readingAfter: nil)
        #expect(texts(try other.notes(after: position)) == ["d=1"])
        for store in stores { store.close() }
    }

    /// So a board takes its own notes among those of others, in their one order.
    @Test func aPostReadsAllNotesUpToItsOwnInOneRoundTrip() throws {
        let engine = try PostgresEngine()
        let stores = [try engine.open(), try engine.open()]
        let (one, other) = (stores[0].peers!, stores[1].peers!)
        let position = try one.post([note("a", "1")], readingAfter: nil).position
        _ = try other.post([note("a", "2"), note("b", "1")], readingAfter: nil)
        let found = try one.post([note("b", "2")], readingAfter: position)
        #expect(texts(found) == ["a=2", "b=2"])
        #expect(texts(try one.notes(after: found.position)) == [])
        try engine.sql("TRUNCATE relation_note")
        let anew = try one.post([note("c", "1")], readingAfter: found.position)
        #expect(anew.beginsAnew && texts(anew) == ["c=1"])
        for store in stores { store.close() }
    }

    /// A note of a lesser rank leaves the one that is there, unless it replaces later ones.
    @Test func aNoteDoesNotReplaceOneOfAGreaterRank() throws {
        let engine = try PostgresEngine()
        let stores = [try engine.open(), try engine.open()]
        let (one, other) = (stores[0].peers!, stores[1].peers!)
        func ranked(_ value: String, _ rank: UInt8, replacesLater: Bool = false) -> PeerNote {
            PeerNote(
                key: Array("a".utf8), value: Array(value.utf8),
                rank: NoteRank(
                    bytes: [UInt8](repeating: 0, count: NoteRank.length - 1) + [rank],
                    replacesLater: replacesLater))
        }
        _ = try one.post([note("a", "none")], readingAfter: nil)
        _ = try one.post([ranked("five", 5)], readingAfter: nil)
        #expect(texts(try other.notes(after: nil)) == ["a=five"], "it replaces one without a rank")
        let found = try other.post([ranked("four", 4)], readingAfter: nil)
        #expect(texts(found) == ["a=five"])
        for (next, isKept) in [
            (ranked("again", 5), true), (ranked("nine", 9), true), (ranked("eight", 8), false),
            (ranked("least", 1, replacesLater: true), true), (ranked("two", 2), true),
            (note("a", "none"), true), (ranked("zero", 0), true),
        ] {
            let before = try one.notes(after: nil)
            let posted = try other.post([next], readingAfter: before.position)
            var kept = PeerNotes()
            kept.notes = [next]
            let wanted = texts(kept)
            #expect(texts(posted) == (isKept ? wanted : []))
            #expect(texts(try one.notes(after: nil)) == (isKept ? wanted : texts(before)))
        }
        for store in stores { store.close() }
    }

    @Test func oneServerOfAllDoesTheUpkeep() throws {
        let engine = try PostgresEngine()
        let stores = try (0..<3).map { _ in try engine.open() }
        let peers = stores.map { $0.peers! }
        /// Renews the lease while no other one runs out, however slow the machine is.
        func renew(_ peer: any StorePeers) throws {
            try engine.sql("UPDATE relation_server SET until = now() + interval '1 hour'")
            try peer.renew(knowing: 1)
        }
        #expect(peers.filter(\.doesUpkeep).count == 0, "no lease yet")
        try renew(peers[0])
        #expect(peers[0].doesUpkeep)
        // In the second round each knows of all others.
        for _ in 0..<2 {
            for peer in peers { try renew(peer) }
        }
        #expect(peers.filter(\.doesUpkeep).count == 1)
        #expect(peers.map(\.processCount) == [3, 3, 3])
        let first = peers.firstIndex { $0.doesUpkeep }!
        peers[first].releaseLease()
        let rest = peers.indices.filter { $0 != first }
        for index in rest { try renew(peers[index]) }
        #expect(rest.filter { peers[$0].doesUpkeep }.count == 1)
        #expect(rest.map { peers[$0].processCount } == [2, 2])
        for store in stores { store.close() }
    }

    @Test func aPostWakesThoseWhoWait() throws {
        let engine = try PostgresEngine()
        let stores = [try engine.open(), try engine.open()]
        // The first wait begins to listen.
        #expect(try stores[1].peers!.wait(milliseconds: 0) == [])
        _ = try stores[0].peers!.post([note("a", "1")], readingAfter: nil)
        #expect(try stores[1].peers!.wait(milliseconds: 10_000) == [.notes])
        for store in stores { store.close() }
    }

    @Test func manyNotesAreReadPieceByPiece() throws {
        let engine = try PostgresEngine()
        let store = try engine.open()
        let peers = store.peers!
        let count = NoteLimits.read + 1
        for start in stride(from: 0, to: count, by: NoteLimits.posted) {
            let end = min(count, start + NoteLimits.posted)
            _ = try peers.post((start..<end).map { note("\($0)", "") }, readingAfter: nil)
        }
        let first = try peers.notes(after: nil)
        #expect(first.notes.count == NoteLimits.read && first.hasMore)
        let second = try peers.notes(after: first.position)
        #expect(second.notes.count == 1 && !second.hasMore)
        #expect(Set((first.notes + second.notes).map(\.key)).count == count)
        store.close()
    }

    @Test func aReaderLearnsThatTheNotesAreLost() throws {
        let engine = try PostgresEngine()
        let store = try engine.open()
        let peers = store.peers!
        _ = try peers.post([note("a", "1"), note("b", "1")], readingAfter: nil)
        let position = try peers.notes(after: nil).position
        // A crash of the database does this to a table that it does not log.
        try engine.sql("TRUNCATE relation_note")
        let empty = try peers.notes(after: position)
        #expect(empty.beginsAnew && empty.notes.isEmpty && empty.position == nil)
        _ = try peers.post([note("c", "1")], readingAfter: nil)
        let anew = try peers.notes(after: position)
        #expect(anew.beginsAnew && texts(anew) == ["c=1"])
        #expect(!(try peers.notes(after: anew.position).beginsAnew))
        store.close()
    }

    @Test func oldNotesAndThoseBeyondTheBoundAreRemoved() throws {
        let engine = try PostgresEngine()
        let store = try engine.open()
        let peers = store.peers!
        for name in ["a", "b", "c", "d"] {
            _ = try peers.post([note(name, "")], readingAfter: nil)
        }
        try engine.sql("UPDATE relation_note SET posted = now() - interval '2 days' WHERE k = 'b'")
        try peers.trimNotes(to: 4)
        #expect(texts(try peers.notes(after: nil)) == ["a=", "c=", "d="])
        try peers.trimNotes(to: 2)
        #expect(texts(try peers.notes(after: nil)) == ["c=", "d="])
        store.close()
    }

    @Test(arguments: [
        "DELETE FROM relation_server", "UPDATE relation_server SET renewal = renewal - 1",
        "DELETE FROM relation_writer", "UPDATE relation_writer SET batch = batch - 1",
    ])
    func aDatabaseThatLostDataIsServedNoMore(_ restore: String) throws {
        let engine = try PostgresEngine()
        let store = try engine.open()
        let partition = Partition("ann")
        for _ in 0..<3 { try store.peers!.renew(knowing: 1) }
        try store.put([Row("a", "1")], in: partition)
        // As a restore does: the rows are those of earlier, and all connections broke.
        try engine.sql(restore)
        try engine.sql(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
        let lostData = StorageError(.lostData, "")
        // This write may be sent as a whole, on a connection whose end is not known yet.
        do throws(StorageError) {
            try store.put([Row("a", "2")], in: partition)
            Issue.record("the write was answered")
        } catch {
            #expect([.outcomeUnknown, .lostData].contains(error.code))
        }
        #expect(throws: lostData) { try store.text(partition.key("a")) }
        #expect(throws: lostData) { try store.put([Row("a", "2")], in: partition) }
        #expect(throws: lostData) { try store.peers!.renew(knowing: 1) }
        // Another process has seen nothing of what is lost.
        let anew = try engine.open()
        #expect(try anew.text(partition.key("a")) == "1")
        try anew.peers!.renew(knowing: 1)
        for store in [store, anew] { store.close() }
    }

    @Test func tablesOfAnEarlierFormAreBroughtUpToDate() throws {
        let engine = try PostgresEngine()
        let store = try engine.open()
        try store.put([Row("a", "1")], in: Partition("ann"))
        store.close()
        try engine.sql(
            """
            DROP TABLE relation_note; ALTER TABLE relation_server DROP COLUMN renewal;
            UPDATE relation_store SET value = '1' WHERE name = 'tables'
            """)
        #expect(throws: StorageError(.foreign, "")) { _ = try engine.open() }
        #expect(try Schema.make(engine.options, format: PostgresStore.format))
        #expect(!(try Schema.make(engine.options, format: PostgresStore.format)))
        let anew = try engine.open()
        #expect(try anew.text(Partition("ann").key("a")) == "1")
        try anew.peers!.renew(knowing: 1)
        _ = try anew.peers!.post([note("a", "1")], readingAfter: nil)
        anew.close()
        try engine.sql("UPDATE relation_store SET value = '99' WHERE name = 'tables'")
        #expect(throws: StorageError(.foreign, "")) { _ = try engine.open() }
    }

    @Test func aCopyThatBrokeIsNotOpenedAndIsBegunAnew() throws {
        let engine = try PostgresEngine()
        let format = PostgresStore.format
        try Schema.beginCopy(engine.options, format: format)
        let target = try PostgresStore(engine.options, for: .copying)
        try target.put([Row("a", "1")], in: Partition("ann"))
        target.close()
        #expect(throws: StorageError(.foreign, "")) { _ = try engine.open() }
        try Schema.beginCopy(engine.options, format: format)
        try Schema.endCopy(engine.options)
        let store = try engine.open()
        #expect(try store.rows(KeyRange(after: [])).isEmpty)
        try store.put([Row("a", "1")], in: Partition("ann"))
        store.close()
        #expect(throws: StorageError(.foreign, "")) {
            try Schema.beginCopy(engine.options, format: format)
        }
    }

    @Test func aStoreThatServersHaveOpenIsNoTargetOfACopy() throws {
        let engine = try PostgresEngine()
        let store = try engine.open()
        try store.peers!.renew(knowing: 1)
        try engine.sql("UPDATE relation_server SET until = now() + interval '1 hour'")
        #expect(throws: StorageError(.locked, "")) {
            try Schema.beginCopy(engine.options, format: PostgresStore.format)
        }
        store.close()
        try engine.open().close()
    }

    /// The tables and the word that they are not a store yet are there together, or not at all.
    @Test func aCopyThatEndsBeforeItsBeginningIsWholeLeavesNothing() throws {
        let engine = try PostgresEngine()
        for part in ["relation_kv", "relation_note", "relation_store"] {
            try engine.sql(
                """
                DROP TABLE IF EXISTS relation_kv, relation_writer, relation_server, relation_store,
                relation_note;
                CREATE OR REPLACE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
                BEGIN
                IF to_regclass('\(part)') IS NOT NULL THEN RAISE EXCEPTION 'killed here'; END IF;
                END $$;
                DROP EVENT TRIGGER IF EXISTS refuse;
                CREATE EVENT TRIGGER refuse ON ddl_command_end EXECUTE FUNCTION refuse()
                """)
            #expect(throws: StorageError.self) {
                try Schema.beginCopy(engine.options, format: PostgresStore.format)
            }
            #expect(try Schema.state(engine.options) == .none)
        }
        try engine.sql("DROP EVENT TRIGGER refuse")
        try Schema.beginCopy(engine.options, format: PostgresStore.format)
        #expect(throws: StorageError(.foreign, "")) { _ = try engine.open() }
    }
}
