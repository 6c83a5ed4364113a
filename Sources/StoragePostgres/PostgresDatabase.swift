internal import Storage
internal import Synchronization

/// A database with what one process knows of it.
struct PostgresDatabase: Sendable {
    let options: PostgresOptions
    let meter: DatabaseMeter
    let seen: HighWatermark
    let primary: Primary
    let lease: Lease

    init(_ options: PostgresOptions, lease: Lease = Lease()) {
        self.init(options, DatabaseMeter(), HighWatermark(), Primary(), lease)
    }

    private init(
        _ options: PostgresOptions, _ meter: DatabaseMeter, _ seen: HighWatermark,
        _ primary: Primary, _ lease: Lease
    ) {
        self.options = options
        self.meter = meter
        self.seen = seen
        self.primary = primary
        self.lease = lease
    }

    /// A standby of the database, from which rows are read.
    ///
    /// It may lag, be started anew or be promoted. None of this says anything about the database,
    /// so it has a watermark, a present server and a lease of its own.
    func standby(at address: String) -> PostgresDatabase {
        var options = options
        options.address = address
        options.takesStandbys = true
        options.connectSeconds = Limits.standbyConnectSeconds
        return PostgresDatabase(
            options, meter, HighWatermark(id: seen.id), Primary(takingAny: true), Lease())
    }

    /// Runs `body` with a session, which is made if there is none, and dropped after a failure.
    ///
    /// - Parameter beginning: A statement for a session that was just made.
    func use<Result>(
        _ held: borrowing Mutex<PostgresSession?>, beginning: String?,
        _ body: (borrowing PostgresSession) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try held.withLock { (held) throws(StorageError) in
            do throws(StorageError) {
                if held?.primary != primary.number {
                    held = nil
                    // Later, a lease has run out.
                    let made = try PostgresSession(self, patience: LeaseLimits.reliedMilliseconds)
                    if let beginning { try made.run(beginning) }
                    held = consume made
                }
                return try body(held!)
            } catch {
                held = nil
                throw error
            }
        }
    }
}
