internal import CPostgres

/// The settings that each session makes for itself.
///
/// A server, a database and a role have defaults of their own for them, and other defaults than
/// these would change what our statements mean, what the answers look like, or when a session ends.
/// The settings that an operator decides for the data are left alone: `synchronous_commit`,
/// `default_transaction_read_only`, and the `search_path` that says where the tables are.
enum SessionSettings {
    /// Statements that make them, for ``PostgresSession``.
    ///
    /// - Parameters:
    ///   - raw: A connection, which knows the version of its server.
    ///   - patience: How long a statement may take, in milliseconds.
    ///   - idle: How long a transaction may be idle; 0 for any time.
    static func sql(on raw: OpaquePointer, _ patience: Int, idle: Int = 0) -> String {
        sql(common(PQserverVersion(raw), patience, idle))
    }

    /// Statements that make those of a connection that reads or writes rows, too.
    static func sql(
        on raw: OpaquePointer, _ patience: Int, of kind: DatabaseConnection.Kind, idle: Int
    ) -> String {
        // A reader keeps a view on purpose.
        let idle = kind == .writer ? idle : 0
        return sql(common(PQserverVersion(raw), patience, idle) + planning + transactions(of: kind))
    }

    private static func sql(_ settings: [(name: String, value: String)]) -> String {
        settings.map { "SET \($0.name) = \($0.value)" }.joined(separator: "; ")
    }

    private static func common(
        _ version: Int32, _ patience: Int, _ idle: Int
    ) -> [(name: String, value: String)] {
        // The first one holds for the others.
        var settings = [
            ("statement_timeout", "\(patience)"), ("lock_timeout", "0"),
            ("idle_in_transaction_session_timeout", "\(idle)"),
            // How statements are read.
            ("standard_conforming_strings", "on"), ("quote_all_identifiers", "off"),
            ("transform_null_equals", "off"), ("array_nulls", "on"),
            ("client_encoding", "'UTF8'"),
            // How answers are written.
            ("bytea_output", "'hex'"), ("DateStyle", "'ISO'"), ("IntervalStyle", "'postgres'"),
            // A statement that is refused ends its transaction, and no more.
            ("exit_on_error", "off"),
            ("default_transaction_isolation", "'read committed'"),
            ("default_transaction_deferrable", "off"),
            // A policy that hides rows is an error: rows that are not seen would seem gone.
            ("row_security", "off"),
        ]
        if version >= 140_000 { settings.append(("idle_session_timeout", "0")) }
        if version >= 170_000 { settings.append(("transaction_timeout", "0")) }
        return settings
    }

    /// The planner may use nothing but the table's index.
    ///
    /// It knows nothing of a new table, and
    /// guesses how long a list of keys is. So it would read the whole table now and then.
    private static let planning = [
        ("enable_seqscan", "off"), ("enable_hashjoin", "off"), ("enable_mergejoin", "off"),
        ("enable_material", "off"), ("enable_bitmapscan", "off"), ("enable_indexscan", "on"),
        ("enable_nestloop", "on"), ("enable_sort", "on"),
        ("max_parallel_workers_per_gather", "0"), ("jit", "off"),
        ("plan_cache_mode", "force_generic_plan"),
    ]

    private static func transactions(
        of kind: DatabaseConnection.Kind
    ) -> [(name: String, value: String)] {
        switch kind {
        case .reader, .standby:
            [
                ("default_transaction_isolation", "'repeatable read'"),
                ("default_transaction_read_only", "on"),
            ]
        case .lease: [("default_transaction_isolation", "'repeatable read'")]
        // Each statement sees what was committed before it began.
        case .writer: [("default_transaction_isolation", "'read committed'")]
        }
    }
}
