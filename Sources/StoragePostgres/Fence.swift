internal import Dispatch
package import Storage
internal import Synchronization

/// Ends the transactions of processes whose leases have run out.
///
/// A process that is stopped in the middle of a transaction keeps its locks as long as its session
/// lasts. So who waits for a lock for long checks whether its holder still has a lease, by the
/// database's clock, and ends the holder's session if not. Nothing of the transaction stays then. A
/// process without a lease could not commit it: see ``Statement/note``. If a lease is about to run
/// out, it checks again right then.
package final class Fence: Sendable {
    private let database: PostgresDatabase
    private let isChecking = Atomic(false)

    init(_ database: PostgresDatabase) {
        self.database = database
    }

    /// Checks on another thread, unless one does so already.
    func check() {
        guard !isChecking.exchange(true, ordering: .acquiring) else { return }
        DispatchQueue.global().async { [self] in
            defer { isChecking.store(false, ordering: .releasing) }
            // A writer that still waits asks again.
            _ = try? checkNow()
        }
    }

    private func checkNow() throws(StorageError) {
        let session = try PostgresSession(database, patience: LeaseLimits.reliedMilliseconds)
        try Self.check(by: session, pause: DatabaseConnection.sleep(milliseconds:))
    }

    /// Checks now, and at the end of each lease that runs out within a time.
    ///
    /// A process that lives renews its lease long before its end, so this waits for no other one.
    ///
    /// - Parameters:
    ///   - time: In milliseconds. It is longer than the pause between two checks of one who waits,
    ///     so none of them misses the end of a lease.
    ///   - pause: Lets so many milliseconds pass.
    /// - Returns: How many sessions it has ended.
    @discardableResult
    package static func check(
        by session: borrowing PostgresSession, within time: Int = Limits.leaseEndMilliseconds,
        pause: (Int) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        var ended = 0
        var left = time
        while true {
            let found = try session.run(sql).first?.split(separator: " ") ?? []
            ended += found.first.flatMap { Int($0) } ?? 0
            guard found.count == 2, let next = Int(found[1]), next < left else { return ended }
            // A lease is good until its end has passed.
            let rest = max(0, next) + 1
            try pause(rest)
            left -= rest
        }
    }

    /// The number of sessions that it ends, and the milliseconds until the next lease runs out.
    ///
    /// A session that holds no lock stays: no other one waits for it. So does one whose commit
    /// waits for a standby: the database would show a commit then that the standby does not have.
    private static let sql = """
        SELECT concat_ws(' ', (SELECT count(CASE WHEN pg_terminate_backend(a.pid) THEN 1 END) \
        FROM pg_stat_activity AS a JOIN relation_server AS s \
        ON s.id = substring(a.application_name FROM '\(SessionName.pattern)') WHERE \(others) \
        AND s.until <= clock_timestamp() AND \(holds)), (\(nextEnd)))
        """

    private static let others = """
        a.datname = current_database() AND a.usename = current_user AND a.pid <> pg_backend_pid() \
        AND a.wait_event IS DISTINCT FROM 'SyncRep'
        """

    private static let holds = """
        EXISTS (SELECT FROM pg_locks AS l \
        WHERE l.pid = a.pid AND l.locktype = 'advisory' AND l.granted)
        """

    /// That of a lease which was good when the statement began: it may have run out since.
    private static let nextEnd = """
        SELECT ceil(extract(epoch FROM min(until) - clock_timestamp()) * 1000)::bigint \
        FROM relation_server WHERE until > statement_timestamp()
        """
}
