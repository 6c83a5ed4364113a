internal import Dispatch
internal import Storage
internal import Synchronization

/// Ends the transactions of processes whose leases have run out.
///
/// A process that is stopped in the middle of a transaction keeps its locks as long as its session
/// lasts. So who waits for a lock for long looks whether its holder still has a lease, by the
/// database's clock, and ends the holder's session if not. Nothing of the transaction stays then. A
/// process without a lease could not commit it: see ``Statement/note``.
final class Fence: Sendable {
    private let database: Database
    private let isLooking = Atomic(false)

    init(_ database: Database) {
        self.database = database
    }

    /// Looks on another thread, unless one does so already.
    func look() {
        guard !isLooking.exchange(true, ordering: .acquiring) else { return }
        DispatchQueue.global().async { [self] in
            defer { isLooking.store(false, ordering: .releasing) }
            // A writer that still waits asks again.
            _ = try? lookNow()
        }
    }

    /// - Returns: How many sessions it has ended.
    @discardableResult
    func lookNow() throws(StorageError) -> Int {
        let session = try PostgresSession(database, patience: LeaseLimits.reliedMilliseconds)
        return try Self.look(by: session)
    }

    @discardableResult
    static func look(by session: borrowing PostgresSession) throws(StorageError) -> Int {
        let found = try session.run(sql)
        return found.first.flatMap { Int($0) } ?? 0
    }

    /// A session that holds no lock stays: no other one waits for it.
    private static let sql = """
        SELECT count(CASE WHEN pg_terminate_backend(a.pid) THEN 1 END) FROM pg_stat_activity AS a \
        JOIN relation_server AS s \
        ON s.id = substring(a.application_name FROM '\(SessionName.pattern)') WHERE \(others) \
        AND s.until <= clock_timestamp() AND \(holds)
        """

    private static let others = """
        a.datname = current_database() AND a.usename = current_user AND a.pid <> pg_backend_pid()
        """

    private static let holds = """
        EXISTS (SELECT FROM pg_locks AS l \
        WHERE l.pid = a.pid AND l.locktype = 'advisory' AND l.granted)
        """
}
