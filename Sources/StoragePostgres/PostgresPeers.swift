internal import Storage
internal import Synchronization

/// The servers of one database, by its notices and a table of leases.
final class PostgresPeers: StorePeers {
    /// The channel of the notices.
    static let channel = "relation"

    private let database: PostgresDatabase
    private let seen: HighWatermark
    /// For the lease.
    private let leasing = Mutex(Leasing())
    /// For notices.
    private let listener = Mutex<PostgresSession?>(nil)
    /// The leases that a change of the registry waits for.
    private let older = Mutex(OlderLeases())
    /// For checks of the tables, which a lock on one must not hold up.
    private let checkSession = Mutex<PostgresSession?>(nil)

    private struct Leasing {
        /// Nil until it is needed, and after a failure.
        var connection: DatabaseConnection?
        /// Whether it was made since the lease has run out.
        var isNew = false
    }

    /// For notes, which may be many, while a lease must not wait.
    let noteSession = Mutex<PostgresSession?>(nil)

    init(_ database: PostgresDatabase) {
        self.database = database
        seen = database.seen
    }

    var lease: Lease { database.lease }
    private var id: String { seen.id }

    func wait(milliseconds: Int) throws(StorageError) -> Set<PeerSignal> {
        try use(listener, beginning: "LISTEN \(Self.channel)") { (session) throws(StorageError) in
            Set(
                try session.notices(milliseconds: milliseconds).compactMap {
                    PeerSignal(rawValue: $0)
                })
        }
    }

    func renew(
        _ read: (any ReadTransaction) throws(StorageError) -> Int64
    ) throws(StorageError) -> Bool {
        try seen.check()
        return try leasing.withLock { (leasing) throws(StorageError) in
            let began = lease.now
            let connection = try connected(&leasing)
            do throws(StorageError) {
                let renewal = try renew(on: connection, read)
                let isGood = lease.renewed(from: began, tenure: Tenure.of(renewal))
                if isGood { leasing.isNew = false }
                return isGood
            } catch {
                connection.close()
                throw error
            }
        }
    }

    /// Reads and renews in one view, so that nothing is confirmed that another server has read.
    private func renew(
        on connection: DatabaseConnection,
        _ read: (any ReadTransaction) throws(StorageError) -> Int64
    ) throws(StorageError) -> Int64 {
        let version = try read(PostgresReadTransaction(KeptConnection(connection)))
        let known = seen.number
        var parameters = Parameters()
        parameters.append(id.utf8)
        parameters.append(version)
        if let known { parameters.append(known) }
        // The row is gone, or older, in a database that has gone back.
        try connection.send(known == nil ? .takeLease : .renewLease, parameters)
        connection.sync()
        let found = try connection.result()
        guard found.count == 1 else { throw seen.lost() }
        try connection.receiveEnd()
        seen.note(
            found.number(0, 0), among: Int(found.number(0, 1)), after: Int(found.number(0, 2)))
        // The others renew their leases at once, and so learn that they are not alone.
        if known == nil { connection.end(.notifyRegistry) }
        return found.number(0, 0)
    }

    /// The connection of the lease, made again if it has broken.
    ///
    /// If the lease has run out meanwhile, another server may have become the primary.
    private func connected(
        _ leasing: inout Leasing
    ) throws(StorageError) -> DatabaseConnection {
        let hasLapsed = lease.tenure != 0 && !lease.isGood
        if let known = leasing.connection {
            if known.isAlive, !hasLapsed || leasing.isNew { return known }
            // The others have most likely met with the same, and not all of them have noticed.
            database.primary.suspectConnections()
            known.close()
            leasing.connection = nil
        }
        let made = try DatabaseConnection(
            .lease, database, comparing: hasLapsed,
            withinMilliseconds: LeaseLimits.reliedMilliseconds)
        leasing = Leasing(connection: made, isNew: hasLapsed)
        return made
    }

    func checkTables() throws(StorageError) -> Int64 {
        let rows = try use(checkSession, beginning: nil) { (session) throws(StorageError) in
            // One message of the protocol, and so one transaction, which waits for no lock.
            try session.run(
                """
                LOCK TABLE \(SchemaParts.tables.joined(separator: ", ")) \
                IN ROW EXCLUSIVE MODE NOWAIT; \
                \(SchemaParts.question) UNION ALL \
                SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint::text
                """)
        }
        try Schema.checkParts(rows)
        guard let time = rows.lazy.compactMap({ Int64($0) }).first else {
            throw StorageError(.failed, "the database returns no time")
        }
        return time
    }

    var doesUpkeep: Bool { seen.isFirst }
    var processCount: Int { seen.processCount }

    func noteRollback() {
        _ = seen.lost()
        lease.finish()
    }

    func settle(_ version: Int64, byThisProcessToo: Bool) {
        // A lease that was given just before the change, and the renewal that was under way then.
        var pauses = Pauses(2 * LeaseLimits.milliseconds, database.options.shutdown)
        var areLeft = true
        repeat {
            guard let found = try? leases(olderThan: version, with: byThisProcessToo) else {
                continue
            }
            areLeft = !found.isEmpty
            let now = lease.now
            if older.withLock({ $0.end(of: found, at: now) }) <= now { break }
        } while pauses.pause()
        // A process that no longer relies on its lease may have sent its commit before.
        if areLeft { try? waitForAll() }
    }

    /// The leases with an older version, of this process only if it is to be counted.
    private func leases(
        olderThan version: Int64, with isCounted: Bool
    ) throws(StorageError) -> [String] {
        try leasing.withLock { (leasing) throws(StorageError) in
            let connection = try connected(&leasing)
            do throws(StorageError) {
                var parameters = Parameters()
                parameters.append((isCounted ? "" : id).utf8)
                parameters.append(version)
                try connection.send(.notifyRegistry)
                try connection.send(.olderLeases, parameters)
                connection.sync()
                _ = try connection.result()
                let found = try connection.result()
                try connection.receiveEnd()
                return (0..<found.count).map {
                    String(decoding: found.bytes($0, 0), as: UTF8.self)
                }
            } catch {
                connection.close()
                throw error
            }
        }
    }

    /// Waits until all transactions have ended that run now.
    private func waitForAll() throws(StorageError) {
        let session = try PostgresSession(
            database, patience: database.options.patienceMilliseconds)
        try session.beginAlone()
    }

    func releaseLease() {
        // A transaction that is not settled within a day is settled as one that left no row.
        let words = """
            DELETE FROM relation_server WHERE id = '\(id)' OR until < now() - interval '1 day'; \
            DELETE FROM relation_writer WHERE began < now() - interval '1 day'
            """
        // Also at a database that has gone back, which waits for all servers to leave.
        _ = try? PostgresSession(
            database.options, patience: LeaseLimits.reliedMilliseconds
        ).run(words)
    }

    func close() {
        checkSession.withLock { $0 = nil }
        noteSession.withLock { $0 = nil }
        leasing.withLock { leasing in
            leasing.connection?.close()
            leasing = Leasing()
        }
        listener.withLock { $0 = nil }
    }

    /// Runs `body` with a session, which is made if there is none, and dropped after a failure.
    func use<Result>(
        _ held: borrowing Mutex<PostgresSession?>, beginning: String?,
        _ body: (borrowing PostgresSession) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try database.use(held, beginning: beginning, body)
    }
}
