internal import Storage
internal import Synchronization

/// The servers of one database, by its notices and a table of leases.
final class PostgresPeers: StorePeers {
    /// The channel of the notices.
    static let channel = "relation"

    private let options: PostgresOptions
    private let seen: SeenMoment
    /// For statements about leases; nil until it is needed, and after a failure.
    private let session = Mutex<PostgresSession?>(nil)
    /// For notices.
    private let listener = Mutex<PostgresSession?>(nil)
    /// For notes, which may be many, while a lease must not wait.
    let noteSession = Mutex<PostgresSession?>(nil)

    init(_ database: Database) {
        options = database.options
        seen = database.seen
    }

    private var id: String { seen.id }

    func wait(milliseconds: Int) throws(StorageError) -> Set<PeerNews> {
        try use(listener, beginning: "LISTEN \(Self.channel)") { (session) throws(StorageError) in
            Set(
                try session.notices(milliseconds: milliseconds).compactMap {
                    PeerNews(rawValue: $0)
                })
        }
    }

    func renew(knowing version: Int64) throws(StorageError) {
        try seen.check()
        let found =
            if let number = seen.number {
                // The row is gone, or older, in a database that has gone back.
                try run(
                    """
                    UPDATE relation_server SET until = \(Self.leaseEnd), version = \(version), \
                    renewal = renewal + 1 WHERE id = '\(id)' AND renewal >= \(number) \
                    RETURNING \(renewed)
                    """)
            } else {
                try run(
                    """
                    INSERT INTO relation_server VALUES ('\(id)', \(Self.leaseEnd), \(version), 1) \
                    ON CONFLICT (id) DO UPDATE SET until = excluded.until, \
                    version = excluded.version, renewal = relation_server.renewal + 1 \
                    RETURNING \(renewed)
                    """)
            }
        if seen.number == nil {
            // The others renew their leases at once, and so learn that they have company.
            _ = try run("SELECT pg_notify('\(Self.channel)', '\(PeerNews.registry.rawValue)')")
        }
        let numbers = found.first?.split(separator: " ").compactMap { Int64($0) } ?? []
        guard numbers.count == 3 else { throw seen.lost() }
        seen.saw(numbers[0], among: Int(numbers[1]), behind: Int(numbers[2]))
    }

    /// The number of the renewal, how many other servers have a lease, and how many of them come
    /// before this one.
    private var renewed: String {
        """
        renewal || ' ' || (SELECT count(*) || ' ' || count(*) FILTER (WHERE other.id < '\(id)') \
        FROM relation_server AS other \
        WHERE other.id <> '\(id)' AND other.until > clock_timestamp())
        """
    }

    var doesUpkeep: Bool { seen.isFirst }

    private static let leaseEnd =
        "clock_timestamp() + interval '\(LeaseLimits.milliseconds) milliseconds'"

    func settle(_ version: Int64) {
        // A lease that was given just before the change, and the renewal that was under way then.
        var pauses = Pauses(2 * LeaseLimits.milliseconds)
        repeat {
            let open = try? run(
                """
                SELECT pg_notify('\(Self.channel)', '\(PeerNews.registry.rawValue)'); \
                SELECT count(*) FROM relation_server \
                WHERE until > clock_timestamp() AND version < \(version) AND id <> '\(id)'
                """)
            if open == ["0"] { return }
        } while pauses.pause()
    }

    func leave() {
        // A transaction that is not settled within a day is settled as one that left no row.
        let words = """
            DELETE FROM relation_server WHERE id = '\(id)' OR until < now() - interval '1 day'; \
            DELETE FROM relation_writer WHERE began < now() - interval '1 day'
            """
        // The session may have broken while it was not used: then another one says it.
        if (try? run(words)) == nil { _ = try? run(words) }
    }

    func close() {
        noteSession.withLock { $0 = nil }
        session.withLock { $0 = nil }
        listener.withLock { $0 = nil }
    }

    private func run(_ sql: String) throws(StorageError) -> [String] {
        try use(session, beginning: nil) { (session) throws(StorageError) in try session.run(sql) }
    }

    /// Runs `body` with a session, which is made if there is none, and dropped after a failure.
    func use<Result>(
        _ place: borrowing Mutex<PostgresSession?>, beginning: String?,
        _ body: (borrowing PostgresSession) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try place.withLock { (place) throws(StorageError) in
            do throws(StorageError) {
                if place == nil {
                    // Later, a lease has run out.
                    let made = try PostgresSession(
                        options, patience: LeaseLimits.reliedMilliseconds)
                    if let beginning { try made.run(beginning) }
                    place = consume made
                }
                return try body(place!)
            } catch {
                place = nil
                throw error
            }
        }
    }
}
