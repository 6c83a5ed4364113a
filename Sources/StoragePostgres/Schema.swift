package import Storage

/// The tables of a store in its database.
///
/// `relation_kv` has all rows, `relation_writer` the last transaction of each writer,
/// `relation_server` the lease of each server, and `relation_store` facts about the store itself,
/// such as its format.
package enum Schema {
    /// The number of the tables' form; the form of the rows is `format`.
    private static let tables = "1"

    private static let making = [
        """
        CREATE TABLE relation_kv (p bytea NOT NULL, k bytea NOT NULL, v bytea NOT NULL, \
        PRIMARY KEY (p, k)) WITH (fillfactor = 85)
        """,
        """
        COMMENT ON TABLE relation_kv IS 'All rows of a relation-chain store: p is the partition, \
        k the key within it, v a message.'
        """,
        """
        CREATE TABLE relation_writer (id bytea PRIMARY KEY, batch bigint NOT NULL, \
        began timestamptz NOT NULL DEFAULT now()) WITH (fillfactor = 50)
        """,
        """
        CREATE TABLE relation_server (id text PRIMARY KEY, until timestamptz NOT NULL, \
        version bigint NOT NULL) WITH (fillfactor = 50)
        """,
        "CREATE TABLE relation_store (name text PRIMARY KEY, value text NOT NULL)",
    ]

    /// The content of a database.
    package enum State: Equatable, Sendable {
        /// No table of this program.
        case none
        /// The tables, with rows of that format.
        case store(format: Int)
    }

    /// Makes the tables, if there are none.
    ///
    /// - Throws: ``StorageError`` with the code `foreign`: there is a table of that name with
    ///   another content, or tables of a newer form; `unavailable`: the database is not there.
    /// - Returns: Whether it made them.
    @discardableResult
    package static func make(
        _ options: PostgresOptions, format: Int
    ) throws(StorageError) -> Bool {
        let session = try PostgresSession(options)
        // Two at once would both find no tables.
        try session.run("BEGIN; SELECT pg_advisory_xact_lock(\(Lock.store))")
        guard try state(session) == .none else {
            try session.run("ROLLBACK")
            return false
        }
        for statement in making { try session.run(statement) }
        try session.run(
            """
            INSERT INTO relation_store VALUES ('tables', '\(tables)'), ('format', '\(format)'); \
            COMMIT
            """)
        return true
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
        guard found == [tables] else {
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
