internal import Storage
internal import Synchronization

/// The servers of one database, by its notices and a table of leases.
final class PostgresPeers: StorePeers {
    /// The channel of the notices.
    static let channel = "relation"

    private let options: PostgresOptions
    /// A random name, by which the table of leases knows this process.
    private let id = String(UInt64.random(in: 0 ... .max), radix: 16)
    /// For statements about leases; nil until it is needed, and after a failure.
    private let session = Mutex<PostgresSession?>(nil)
    /// For notices.
    private let listener = Mutex<PostgresSession?>(nil)

    init(_ options: PostgresOptions) {
        self.options = options
    }

    func wait(milliseconds: Int) throws(StorageError) -> Set<PeerNews> {
        try use(listener, beginning: "LISTEN \(Self.channel)") { (session) throws(StorageError) in
            Set(
                try session.notices(milliseconds: milliseconds).compactMap {
                    PeerNews(rawValue: $0)
                })
        }
    }

    func renew(knowing version: Int64) throws(StorageError) {
        _ = try run(
            """
            INSERT INTO relation_server VALUES ('\(id)', \(Self.leaseEnd), \(version)) \
            ON CONFLICT (id) DO UPDATE SET until = excluded.until, version = excluded.version
            """)
    }

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
        _ = try? run(
            """
            DELETE FROM relation_server WHERE id = '\(id)' OR until < now() - interval '1 day'; \
            DELETE FROM relation_writer WHERE began < now() - interval '1 day'
            """)
    }

    func close() {
        session.withLock { $0 = nil }
        listener.withLock { $0 = nil }
    }

    private func run(_ sql: String) throws(StorageError) -> [String] {
        try use(session, beginning: nil) { (session) throws(StorageError) in try session.run(sql) }
    }

    /// Runs `body` with a session, which is made if there is none, and dropped after a failure.
    private func use<Result>(
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
