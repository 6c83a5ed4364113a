package import Storage

/// The tables of a store in its database.
///
/// `relation_kv` has all rows, `relation_writer` the last transaction of each writer,
/// `relation_server` the lease of each server, `relation_note` what servers tell one another, and
/// `relation_store` facts about the store itself, such as its format.
package enum Schema {
    /// The number of the tables' form; the form of the rows is `format`.
    private static let tables = 2

    private static let making =
        [
            """
            CREATE TABLE relation_kv (p bytea NOT NULL, k bytea NOT NULL, v bytea NOT NULL, \
            PRIMARY KEY (p, k)) WITH (fillfactor = 85)
            """,
            """
            COMMENT ON TABLE relation_kv IS 'All rows of a relation-chain store: p is the \
            partition, k the key within it, v a message.'
            """,
            """
            CREATE TABLE relation_writer (id bytea PRIMARY KEY, batch bigint NOT NULL, \
            began timestamptz NOT NULL DEFAULT now()) WITH (fillfactor = 50)
            """,
            """
            CREATE TABLE relation_server (id text PRIMARY KEY, until timestamptz NOT NULL, \
            version bigint NOT NULL, renewal bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50)
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
        // Two at once would both find no tables.
        try session.beginAlone()
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
        case .store: statements = []
        }
        for statement in statements { try session.run(statement) }
        try session.run("COMMIT")
        return !statements.isEmpty
    }

    /// The number of servers that have a lease.
    package static func servers(_ options: PostgresOptions) throws(StorageError) -> Int {
        let found = try PostgresSession(options).run(
            "SELECT count(*) FROM relation_server WHERE until > clock_timestamp()")
        return found.first.flatMap { Int($0) } ?? 0
    }

    /// Removes what servers told one another.
    package static func forgetNotes(_ options: PostgresOptions) throws(StorageError) {
        try PostgresSession(options).run("TRUNCATE relation_note")
    }

    /// Says that a copy of another store is under way: until ``endCopy(_:)`` no server opens the
    /// database.
    ///
    /// The rows of an earlier copy that did not come to its end are removed.
    ///
    /// - Throws: ``StorageError`` with the code `foreign`: there are other rows already.
    package static func beginCopy(_ options: PostgresOptions) throws(StorageError) {
        let session = try PostgresSession(options)
        try session.beginAlone()
        let isUnfinished = try session.run(isCopying) == ["t"]
        if isUnfinished {
            try session.run("TRUNCATE relation_kv")
        } else if try session.run("SELECT EXISTS (SELECT FROM relation_kv)") == ["t"] {
            throw StorageError(.foreign, "it has rows already")
        }
        try session.run(
            """
            INSERT INTO relation_store VALUES ('copying', now()::text) \
            ON CONFLICT (name) DO UPDATE SET value = excluded.value; COMMIT
            """)
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

    /// The content of the database, as far as this program is concerned.
    package static func state(_ options: PostgresOptions) throws(StorageError) -> State {
        try state(try PostgresSession(options))
    }

    private static func state(
        _ session: borrowing PostgresSession
    ) throws(StorageError) -> State {
        let columns = try session.run(
            """
            SELECT attname || ' ' || format_type(atttypid, atttypmod) FROM pg_attribute \
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
        let found = try session.run("SELECT value FROM relation_store WHERE name = 'tables'")
        let form = found.first.flatMap { Int($0) }
        if let form, (1..<tables).contains(form) { return .older(form: form) }
        guard form == tables else {
            throw StorageError(
                .foreign,
                "the tables have the form \(found.first ?? "of another program"), and this "
                    + "version knows the form \(tables)")
        }
        let format = try session.run("SELECT value FROM relation_store WHERE name = 'format'")
        guard let number = format.first.flatMap({ Int($0) }) else {
            throw StorageError(.foreign, "the table relation_store names no format")
        }
        return .store(format: number)
    }
}
