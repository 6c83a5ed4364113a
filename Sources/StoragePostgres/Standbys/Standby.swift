internal import Storage
internal import Synchronization

/// One standby, with the connections on which long reads keep their views.
final class Standby: Sendable {
    private let database: PostgresDatabase
    let pool: ConnectionPool
    private let retries = Mutex(StandbyRetries())

    init(_ database: PostgresDatabase) {
        self.database = database
        pool = ConnectionPool(
            .standby, database.options.snapshots, keeping: Limits.idleSnapshots, database)
    }

    /// Whether it has failed since it last took a read.
    var isPaused: Bool { retries.withLock { $0.isPaused } }

    /// Whether a read may try it now.
    func claim() -> Bool {
        retries.withLock { $0.claim(at: DatabaseConnection.milliseconds()) }
    }

    /// A connection with a view that shows `mark`; nil if there is none at the time `end`.
    ///
    /// A standby that is away, hangs, lags or is another store's is all one: the read goes
    /// elsewhere.
    func view(of mark: StandbyMark.Number, until end: Int) -> DatabaseConnection? {
        let begun = DatabaseConnection.milliseconds()
        let found = try? connection(showing: mark, until: end)
        retries.withLock { retries in
            if found == nil {
                retries.failed(since: begun, at: DatabaseConnection.milliseconds())
            } else {
                retries.succeeded()
            }
        }
        return found
    }

    /// - Throws: ``StorageError`` with the code `unavailable` if it lags, or as the database says.
    private func connection(
        showing mark: StandbyMark.Number, until end: Int
    ) throws(StorageError) -> DatabaseConnection {
        let connection = try pool.acquire(within: max(0, end - DatabaseConnection.milliseconds()))
        connection.latest = end
        defer { connection.latest = .max }
        do throws(StorageError) {
            try wait(for: mark, on: connection, until: end)
            return connection
        } catch {
            connection.end()
            pool.release(connection)
            throw error
        }
    }

    /// Begins a view again and again, until one shows `mark`.
    private func wait(
        for mark: StandbyMark.Number, on connection: DatabaseConnection, until end: Int
    ) throws(StorageError) {
        var pauses = Pauses(
            max(0, end - DatabaseConnection.milliseconds()), database.options.shutdown)
        while true {
            var parameters = Parameters()
            parameters.append(mark.id)
            // The first statement takes the view.
            try connection.send(.noted, parameters)
            let rows = try connection.result()
            if rows.count == 1, rows.number(0, 0) >= mark.value { return }
            connection.end()
            guard pauses.pause() else {
                throw StorageError(.unavailable, "the standby lags behind the primary")
            }
        }
    }
}
