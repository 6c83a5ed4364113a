package import Storage

/// The tables of a store in its database.
///
/// `relation_kv` has all rows, `relation_writer` the last transaction of each writer,
/// `relation_server` the lease of each server, `relation_note` the notes that servers share, and
/// `relation_store` facts about the store itself, such as its format.
package enum Schema {
    /// The number of the tables' form; the form of the rows is `format`.
    private static let tables = 2
    /// The form of the tables of a database that has the directory of a fleet too.
    ///
    /// ``AppDirectory`` makes those. An older program, which would not look there, refuses the
    /// form.
    static let formWithDirectory = 3

    /// A table of few rows that change all the time: vacuum goes by changes, and not by rows.
    private static let smallTable = """
        fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000
        """

    private static let making =
        [
            """
            CREATE TABLE relation_kv (p bytea NOT NULL, k bytea NOT NULL, v bytea NOT NULL, \
            PRIMARY KEY (p, k)) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, \
            autovacuum_vacuum_insert_scale_factor = 0.02)
            """,
            """
            COMMENT ON TABLE relation_kv IS 'All rows of a relation-chain store: p is the \
            partition, k the key within it, v a message.'
            """,
            """
            CREATE TABLE relation_writer (id bytea PRIMARY KEY, batch bigint NOT NULL, \
            began timestamptz NOT NULL DEFAULT now()) WITH (\(smallTable))
            """,
            """
            CREATE TABLE relation_server (id text PRIMARY KEY, until timestamptz NOT NULL, \
            version bigint NOT NULL, renewal bigint NOT NULL DEFAULT 0) WITH (\(smallTable))
            """,
            "CREATE TABLE relation_store (name text PRIMARY KEY, value text NOT NULL)",
        ] + makingNotes

    /// The database writes no log for this table, and empties it after a crash.
    private static let makingNotes = [
        """
        CREATE UNLOGGED TABLE relation_note (k bytea PRIMARY KEY, n bigint NOT NULL, \
        v bytea NOT NULL, posted timestamptz NOT NULL DEFAULT now()) WITH (fillfactor = 50)
        """,
        "CREATE INDEX relation_note_n ON relation_note (n)",
    ]

    /// The statements that make each form of the tables out of the one before.
    private static let steps = [
        2: ["ALTER TABLE relation_server ADD COLUMN renewal bigint NOT NULL DEFAULT 0"]
            + makingNotes
    ]

    /// The content of a database.
    package enum State: Equatable, Sendable {
        /// No table of this program.
        case none
        /// The tables in an earlier form, of that number.
        case older(form: Int)
        /// The tables, with rows of that format.
        case store(format: Int)
        /// The tables, with rows on their way from that format to the one that the tables name.
        case upgrading(from: Int)
    }

    /// Makes the tables if there are none, and brings those of an earlier form to the present one.
    ///
    /// - Throws: ``StorageError`` with the code `foreign`: there is a table of that name with
    ///   another content, or tables of a newer form; `unavailable`: the database is not there.
    /// - Returns: Whether it changed anything.
    @discardableResult
    package static func make(
        _ options: PostgresOptions, format: Int
    ) throws(StorageError) -> Bool {
        let session = try PostgresSession(options)
        try session.beginAlone()
        let isChanged = try make(session, format: format)
        try session.run("COMMIT")
        return isChanged
    }

    /// Makes the tables in a transaction that no other one of the store runs beside.
    ///
    /// Two at once would both find no tables. A transaction that does not come to its end, because
    /// its process has ended, leaves nothing.
    private static func make(
        _ session: borrowing PostgresSession, format: Int
    ) throws(StorageError) -> Bool {
        let statements: [String]
        switch try state(session) {
        case .none:
            statements =
                making + [
                    """
                    INSERT INTO relation_store VALUES ('tables', '\(tables)'), \
                    ('format', '\(format)')
                    """
                ]
        case .older(let form):
            statements =
                ((form + 1)...tables).flatMap { steps[$0] ?? [] } + [
                    "UPDATE relation_store SET value = '\(tables)' WHERE name = 'tables'"
                ]
        case .store, .upgrading: statements = []
        }
        for statement in statements { try session.run(statement) }
        return !statements.isEmpty
    }

    /// The number of servers that have a lease.
    package static func servers(_ options: PostgresOptions) throws(StorageError) -> Int {
        try servers(try PostgresSession(options))
    }

    /// The database's time, in milliseconds.
    package static func now(_ options: PostgresOptions) throws(StorageError) -> Int64 {
        let found = try PostgresSession(options).run(
            "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
        guard let time = found.first.flatMap({ Int64($0) }) else {
            throw StorageError(.failed, "the database returns no time")
        }
        return time
    }

    static func servers(_ session: borrowing PostgresSession) throws(StorageError) -> Int {
        let found = try session.run(
            "SELECT count(*) FROM relation_server WHERE until > clock_timestamp()")
        return found.first.flatMap { Int($0) } ?? 0
    }

    /// Removes the notes of the servers.
    package static func forgetNotes(_ options: PostgresOptions) throws(StorageError) {
        try PostgresSession(options).run("TRUNCATE relation_note")
    }

    /// Makes the tables if there are none, and says that a copy of another store is under way:
    /// until ``endCopy(_:)`` no server opens the database.
    ///
    /// Both are one transaction, so there are no tables that a server would take for an empty
    /// store. The rows of an earlier copy that did not come to its end are removed.
    ///
    /// - Throws: ``StorageError`` with the code `foreign`: there are other rows already, or what
    ///   ``make(_:format:)`` says; `locked`: servers have the store open.
    package static func beginCopy(
        _ options: PostgresOptions, format: Int
    ) throws(StorageError) {
        let session = try PostgresSession(options)
        try session.beginAlone()
        _ = try make(session, format: format)
        let servers = try servers(session)
        guard servers == 0 else {
            throw StorageError(.locked, "\(servers) servers have it open; stop them first")
        }
        if try session.run(isCopying) == ["t"] {
            try session.run("TRUNCATE relation_kv")
        } else if try session.run("SELECT EXISTS (SELECT FROM relation_kv)") == ["t"] {
            throw StorageError(.foreign, "it has rows already")
        }
        try session.run(
            """
            INSERT INTO relation_store VALUES ('copying', now()::text), ('format', '\(format)') \
            ON CONFLICT (name) DO UPDATE SET value = excluded.value; \
            DELETE FROM relation_store WHERE name = 'upgrading'
            """)
        try session.run("COMMIT")
    }

    /// Says that the copy is whole.
    package static func endCopy(_ options: PostgresOptions) throws(StorageError) {
        try PostgresSession(options).run("DELETE FROM relation_store WHERE name = 'copying'")
    }

    private static let isCopying =
        "SELECT EXISTS (SELECT FROM relation_store WHERE name = 'copying')"

    /// Throws ``StorageError`` with the code `foreign` if a copy is under way, or has broken.
    static func checkWhole(_ options: PostgresOptions) throws(StorageError) {
        guard try PostgresSession(options).run(isCopying) == ["t"] else { return }
        throw StorageError(
            .foreign,
            "a copy into it has not come to its end; run `relationd copy` again, which begins anew")
    }

    /// The error for a database without tables, which names the schemas that have some.
    static func none(_ options: PostgresOptions) throws(StorageError) -> StorageError {
        let others = try PostgresSession(options).run(
            """
            SELECT n.nspname || ' (search_path is ' || current_setting('search_path') || ')' \
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
            WHERE c.relname = 'relation_store' AND c.relkind IN ('r', 'p') \
            AND n.nspname <> ALL (current_schemas(false)) ORDER BY 1 LIMIT 1
            """)
        guard let other = others.first else {
            return StorageError(
                .foreign,
                "the database has no tables of this program; `relationd init` makes them")
        }
        return StorageError(
            .foreign,
            "the database has tables of this program in a schema that search_path does not name: "
                + other)
    }

    /// The content of the database, as far as this program is concerned.
    package static func state(_ options: PostgresOptions) throws(StorageError) -> State {
        try state(try PostgresSession(options))
    }

    static func state(
        _ session: borrowing PostgresSession
    ) throws(StorageError) -> State {
        let columns = try session.run(
            """
            SELECT attname || ' ' || atttypid::regtype FROM pg_attribute \
            WHERE attrelid = to_regclass('relation_kv') AND attnum > 0 AND NOT attisdropped \
            ORDER BY attnum
            """)
        guard !columns.isEmpty else { return .none }
        guard columns == ["p bytea", "k bytea", "v bytea"],
            try session.run("SELECT to_regclass('relation_store') IS NOT NULL") == ["t"]
        else {
            throw StorageError(
                .foreign, "the database has a table relation_kv of another program")
        }
        let found = try value(of: "tables", session)
        let form = found.flatMap { Int($0) }
        if let form, (1..<tables).contains(form) { return .older(form: form) }
        guard form == tables || form == formWithDirectory else {
            throw StorageError(
                .foreign,
                "the tables have the form \(found ?? "of another program"), and this "
                    + "version knows the form \(tables)")
        }
        try checkParts(session)
        guard let format = try value(of: "format", session).flatMap({ Int($0) }) else {
            throw StorageError(.foreign, "the table relation_store names no format")
        }
        if let from = try value(of: "upgrading", session).flatMap({ Int($0) }) {
            return .upgrading(from: from)
        }
        return .store(format: format)
    }

    private static func value(
        of name: String, _ session: borrowing PostgresSession
    ) throws(StorageError) -> String? {
        try session.run("SELECT value FROM relation_store WHERE name = '\(name)'").first
    }
}
