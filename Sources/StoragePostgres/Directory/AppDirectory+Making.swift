package import Storage

// The tables of a directory, which a store of one database lacks.
extension AppDirectory {
    private static let making = [
        "CREATE TABLE relation_database (name text PRIMARY KEY, address text NOT NULL UNIQUE)",
        """
        CREATE TABLE relation_app_place (app bigint PRIMARY KEY, database text NOT NULL, \
        moving_to text, version bigint NOT NULL, request text UNIQUE, allotted timestamptz)
        """,
        "CREATE INDEX relation_app_place_version ON relation_app_place (version)",
        """
        COMMENT ON TABLE relation_app_place IS 'Where the apps of a relation-chain fleet live; \
        an app without a row lives in this database.'
        """,
    ]

    /// Makes the tables of the directory if there are none, and the tables' form that has them.
    ///
    /// - Parameters:
    ///   - last: The highest number that was given to an app so far.
    ///   - apps: The numbers that home has. They get a row, so that none is given again.
    /// - Throws: Also ``StorageError`` with the code `foreign`: the database has no store of this
    ///   version, or is registered in another directory; `locked`: a server has a lease there.
    /// - Returns: Whether it made them.
    @discardableResult
    package func make(
        after last: UInt32, apps: [UInt32] = []
    ) throws(StorageError) -> Bool {
        let session = try PostgresSession(options)
        try session.beginAlone()
        guard case .store = try Schema.state(session) else {
            throw StorageError(
                .foreign, "the database has no store of this version; `relationd init` makes it")
        }
        if let fleet = try Self.fleet(of: session), fleet.name != DirectoryDatabase.home {
            throw StorageError(.foreign, "it is registered in another directory as \(fleet.name)")
        }
        guard try !Self.isThere(session) else { return false }
        try Self.checkServers(session)
        for statement in Self.making { try session.run(statement) }
        let list = apps.map { "\($0)" }.joined(separator: ",")
        try session.run(
            """
            INSERT INTO relation_app_place (app, database, version) \
            SELECT DISTINCT n, '\(DirectoryDatabase.home)', 1 FROM unnest('{\(list)}'::bigint[]) n
            """)
        try session.run(
            """
            INSERT INTO relation_store VALUES ('directory', '1'), ('last_app', '\(last)'), \
            ('fleet', '\(DirectoryDatabase.home) ' || gen_random_uuid()), \
            ('tables', '\(Schema.formWithDirectory)') \
            ON CONFLICT (name) DO UPDATE SET value = excluded.value; \
            NOTIFY \(PostgresPeers.channel), '\(PeerSignal.directory.rawValue)'
            """)
        try session.run("COMMIT")
        return true
    }

    /// Checks that no server has the database as its `--store`, and keeps leases from being taken
    /// until the transaction ends.
    ///
    /// A server that gets its lease later looks for the directory after that.
    private static func checkServers(
        _ session: borrowing PostgresSession
    ) throws(StorageError) {
        try session.run("LOCK TABLE relation_server IN SHARE ROW EXCLUSIVE MODE")
        let servers = try Schema.servers(session)
        guard servers == 0 else {
            throw StorageError(.locked, "\(servers) servers have it open; stop them first")
        }
    }

    /// The name that a database has in a fleet, and the id of the fleet.
    private static func fleet(
        of session: borrowing PostgresSession
    ) throws(StorageError) -> (name: String, id: String)? {
        let found = try session.run("SELECT value FROM relation_store WHERE name = 'fleet'")
        let parts = found.first?.split(separator: " ").map(String.init) ?? []
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }

    /// The name under which a database is registered in the directory of another one; nil if it is
    /// in none, or has one itself.
    package static func membership(
        of options: PostgresOptions
    ) throws(StorageError) -> String? {
        let name = try fleet(of: try PostgresSession(options))?.name
        return name == DirectoryDatabase.home ? nil : name
    }

    /// Notes in a database that it is of this fleet under that name, so that no server takes it for
    /// a home, and no other fleet takes it.
    ///
    /// - Throws: ``StorageError`` with the code `foreign` if it is of another fleet, or under
    ///   another name; `locked` if it joins while a server has a lease there; `unavailable` if one
    ///   of both is not there.
    package func join(_ other: PostgresOptions, as name: String) throws(StorageError) {
        guard let own = try Self.fleet(of: try PostgresSession(options)) else {
            throw StorageError(.foreign, "the home has no directory")
        }
        let session = try PostgresSession(other)
        try session.run("BEGIN; LOCK TABLE relation_store IN SHARE ROW EXCLUSIVE MODE")
        if let known = try Self.fleet(of: session) {
            guard known == (name, own.id) else {
                let isHome = known.name == DirectoryDatabase.home
                throw StorageError(
                    .foreign,
                    isHome
                        ? "it has a directory of its own"
                        : "it is registered as \(known.name)"
                            + (known.id == own.id ? "" : " in another directory"))
            }
        } else {
            try Self.checkServers(session)
            try session.run(
                "INSERT INTO relation_store VALUES ('fleet', '\(Self.quoted(name)) \(own.id)')")
        }
        try session.run("COMMIT")
    }

    /// Takes the note of ``join(_:as:)`` out of a database.
    package static func leave(_ other: PostgresOptions) throws(StorageError) {
        try PostgresSession(other).run(
            "DELETE FROM relation_store WHERE name = 'fleet' "
                + "AND value NOT LIKE '\(DirectoryDatabase.home) %'")
    }

    /// The rows of a store, those of all partitions, as its database estimates them; 0 before it
    /// has looked at them.
    package static func rows(_ options: PostgresOptions) throws(StorageError) -> Int64 {
        let found = try PostgresSession(options).run(
            """
            SELECT coalesce(sum(greatest(reltuples, 0)), 0)::bigint FROM pg_class \
            WHERE relkind = 'r' AND (oid = to_regclass('relation_kv') \
            OR oid IN (SELECT relid FROM pg_partition_tree(to_regclass('relation_kv'))))
            """)
        return max(0, found.first.flatMap { Int64($0) } ?? 0)
    }
}
