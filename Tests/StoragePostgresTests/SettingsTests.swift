import PostgresSupport
import Storage
import StoragePostgres
import StorageSuite
import Testing

/// Databases and roles with defaults of their own, and tables that are not whole.
@Suite(.enabled(if: PostgresEngine.isThere)) struct SettingsTests {
    private static let hostile = [
        "standard_conforming_strings = off", "quote_all_identifiers = on",
        "bytea_output = 'escape'", "DateStyle = 'German, DMY'", "IntervalStyle = 'sql_standard'",
        "client_encoding = 'LATIN1'", "TimeZone = 'Asia/Kathmandu'", "extra_float_digits = -15",
        "default_transaction_isolation = 'serializable'", "default_transaction_deferrable = on",
        "statement_timeout = '20ms'", "lock_timeout = '1ms'",
        // Long enough for a new session to say that it wants none.
        "idle_session_timeout = '500ms'",
        "idle_in_transaction_session_timeout = '1ms'", "row_security = off",
        "session_replication_role = 'replica'", "transform_null_equals = on", "array_nulls = off",
        "exit_on_error = on", "enable_indexscan = off", "enable_nestloop = off",
        "enable_sort = off", "force_parallel_mode = on", "work_mem = '64kB'", "jit_above_cost = 0",
        "plan_cache_mode = 'force_custom_plan'", "backslash_quote = off", "xmlbinary = 'hex'",
        "synchronize_seqscans = off", "join_collapse_limit = 1",
    ]

    /// All of them together, of the database or of the role, before the tables are made.
    @Test(arguments: ["DATABASE", "ROLE"])
    func aStoreWorksWhateverTheDefaultsAre(_ owner: String) throws {
        let engine = try PostgresEngine()
        let database = try #require(try engine.sql("SELECT current_database()").first)
        let user = try #require(try engine.sql("SELECT current_user").first)
        let settings = Self.hostile.map { setting in
            owner == "DATABASE"
                ? "ALTER DATABASE \(database) SET \(setting)"
                : "ALTER ROLE \(user) IN DATABASE \(database) SET \(setting)"
        }
        try engine.sql(
            """
            DROP TABLE relation_kv, relation_writer, relation_server, relation_store, relation_note
            """)
        for setting in settings { try engine.sql(setting) }
        #expect(try Schema.make(engine.options, format: PostgresStore.format))
        let store = try engine.open()
        // A quote, a backslash and every byte, in keys and values.
        let odd = Partition("a'\\b")
        let bytes = [UInt8](UInt8.min ... .max)
        try store.put([Row("k'\\", "1"), Row("z", "2")], in: odd)
        try store.write(touching: [odd]) { $0.set(odd.key("bytes"), to: bytes) }
        #expect(try store.text(odd.key("k'\\")) == "1")
        try store.read { (transaction) throws(StorageError) in
            #expect(try transaction.values([odd.key("bytes"), odd.key("none")]) == [bytes, nil])
        }
        #expect(try store.rows(KeyRange(all: odd)).count == 3)
        try store.peers!.renew(knowing: 1)
        try store.peers!.renew(knowing: 2)
        store.peers!.settle(2, byThisProcessToo: false)
        let note = PeerNote(key: bytes, value: bytes)
        #expect(try store.peers!.post([note], readingAfter: nil).notes == [note])
        try store.peers!.trimNotes(to: 10)
        let snapshot = try store.snapshot()
        try store.write(touching: []) { $0.remove(odd.key("z")) }
        let kept = try snapshot.read { (view) throws(StorageError) in
            try view.text(odd.key("z"))
        }
        #expect(kept == "2")
        snapshot.close()
        store.peers!.releaseLease()
        store.close()
        try Schema.beginCopyRefused(engine.options)
    }

    @Test func tablesInASchemaThatIsNotOnThePathAreNamed() throws {
        let engine = try PostgresEngine()
        try engine.open().close()
        let database = try #require(try engine.sql("SELECT current_database()").first)
        try engine.sql("CREATE SCHEMA theirs; ALTER DATABASE \(database) SET search_path = theirs")
        #expect {
            _ = try engine.open()
        } throws: { error in
            let error = error as? StorageError
            return error?.code == .foreign && error?.message.contains("public") == true
                && error?.message.contains("search_path is theirs") == true
        }
    }

    @Test(arguments: [
        ("DROP TABLE relation_writer", "the table relation_writer"),
        ("DROP TABLE relation_note", "the table relation_note"),
        ("DROP TABLE relation_server", "the table relation_server"),
        (
            "ALTER TABLE relation_kv DROP CONSTRAINT relation_kv_pkey",
            "the primary key (p, k) of relation_kv"
        ),
        (
            "ALTER TABLE relation_writer DROP CONSTRAINT relation_writer_pkey",
            "the primary key (id) of relation_writer"
        ),
        (
            "ALTER TABLE relation_note DROP CONSTRAINT relation_note_pkey",
            "the primary key (k) of relation_note"
        ),
        ("ALTER TABLE relation_writer DROP COLUMN began", "began timestamptz of relation_writer"),
        ("ALTER TABLE relation_server ALTER renewal TYPE text", "renewal int8 of relation_server"),
        (
            "DROP TABLE relation_writer, relation_note",
            "the table relation_writer and the table relation_note"
        ),
        (
            "ALTER TABLE relation_kv RENAME TO r; CREATE VIEW relation_kv AS SELECT p, k, v FROM r",
            "the table relation_kv"
        ),
    ])
    func aStoreThatIsNotWholeIsNotOpened(_ loss: String, _ words: String) throws {
        let engine = try PostgresEngine()
        try engine.sql(loss)
        #expect {
            _ = try engine.open()
        } throws: { error in
            let error = error as? StorageError
            return error?.code == .foreign && error?.message.contains(words) == true
        }
    }

    /// A key that was made anew under another name is as good.
    @Test func aStoreIsWholeWithAnotherKeyOfTheSameColumns() throws {
        let engine = try PostgresEngine()
        try engine.sql(
            """
            ALTER TABLE relation_kv DROP CONSTRAINT relation_kv_pkey;
            CREATE UNIQUE INDEX other ON relation_kv (p, k);
            ALTER TABLE relation_kv ADD COLUMN more int; ALTER TABLE relation_kv DROP COLUMN more
            """)
        let store = try engine.open()
        try store.put([Row("a", "1")], in: Partition("ann"))
        store.close()
    }
}

extension Schema {
    /// A store with rows is not a target of a copy.
    fileprivate static func beginCopyRefused(_ options: PostgresOptions) throws {
        #expect(throws: StorageError(.foreign, "")) {
            try beginCopy(options, format: PostgresStore.format)
        }
    }
}
