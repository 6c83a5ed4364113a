package import Storage
import StoragePostgres
package import StorageSuite

extension PostgresEngine: SharedEngine {
    package func open(_ shared: SharedOptions) throws(StorageError) -> any Store {
        var options = options
        options.readers = shared.readers
        options.snapshots = shared.snapshots
        options.writers = shared.writers
        options.patienceMilliseconds = shared.patienceMilliseconds
        return try PostgresStore(options, lease: shared.lease ?? Lease())
    }

    package func moveLeases(milliseconds: Int) throws(StorageError) {
        try sql("UPDATE relation_server SET until = until + interval '\(milliseconds) ms'")
    }

    package func renewLeasesElsewhere() throws(StorageError) {
        try sql("UPDATE relation_server SET renewal = ((renewal >> 32) + 1) << 32")
    }

    package func endSessions() throws(StorageError) {
        try sql(
            """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
    }

    package func loseNotes() throws(StorageError) { try sql("TRUNCATE relation_note") }

    package func takeLock(of partition: Partition) throws(StorageError) -> @Sendable () -> Void {
        let holder = LockHolder(try PostgresSession(options))
        try holder.session.run("SELECT pg_advisory_lock(\(Lock.number(of: partition.bytes)))")
        return { _ = try? holder.session.run("SELECT pg_advisory_unlock_all()") }
    }

    package func beginRenewal() throws(StorageError) -> @Sendable (_ isCommitted: Bool) -> Void {
        let holder = LockHolder(try PostgresSession(options))
        try holder.session.run("BEGIN")
        try holder.session.run("UPDATE relation_server SET renewal = renewal + 1")
        return { _ = try? holder.session.run($0 ? "COMMIT" : "ROLLBACK") }
    }

    package func waitingTransactions() throws(StorageError) -> Int {
        // One that waits for a row waits for the end of the transaction that has changed it.
        let found = try sql(
            "SELECT count(DISTINCT l.pid) FROM pg_locks AS l JOIN pg_stat_activity AS a "
                + "ON a.pid = l.pid WHERE NOT l.granted AND a.datname = current_database() "
                + "AND l.locktype IN ('advisory', 'transactionid')")
        return found.first.flatMap { Int($0) } ?? 0
    }

    package func refuseCommits(_ isRefused: Bool) throws(StorageError) {
        guard isRefused else {
            try sql("DROP TRIGGER refuse ON relation_kv")
            return
        }
        try sql(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'not today'; END $$;
            CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON relation_kv
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()
            """)
    }

    package func keepState() throws(StorageError) -> () throws(StorageError) -> Void {
        let tables = ["relation_kv", "relation_writer", "relation_server"]
        let keeping = tables.map { "CREATE TABLE kept_\($0) AS TABLE \($0)" }
        try sql(keeping.joined(separator: "; "))
        return { [self] () throws(StorageError) in
            let restoring = tables.map { "TRUNCATE \($0); INSERT INTO \($0) TABLE kept_\($0)" }
            try sql(restoring.joined(separator: "; ") + "; TRUNCATE relation_note")
            try endSessions()
        }
    }
}

/// A session that another program has.
private final class LockHolder: Sendable {
    let session: PostgresSession

    init(_ session: consuming PostgresSession) { self.session = session }
}
