internal import Storage
internal import Synchronization

/// The database by one snapshot, on a connection of its own.
///
/// The database keeps old rows for it: a snapshot that is kept for long holds back its vacuum.
final class PostgresSnapshot: Snapshot {
    private let pool: ConnectionPool
    /// The connection, which one reader at a time has; nil after the snapshot is closed.
    private let connection: Mutex<DatabaseConnection?>
    /// The primary that the view is of, and its number; nil on a connection to the primary itself,
    /// which looks by itself.
    private let origin: Origin?
    /// Whether the database has ended the view, or the connection has broken.
    private let isEnded = Atomic(false)

    /// A primary, and the number that it had for this process.
    struct Origin: Sendable {
        let primary: Primary
        let number: UInt64

        var isPresent: Bool { primary.number == number }
    }

    /// A view that was begun on a connection of `pool`, to a standby.
    init(_ connection: DatabaseConnection, of pool: ConnectionPool, since origin: Origin) {
        self.pool = pool
        self.origin = origin
        self.connection = Mutex(connection)
    }

    init(_ pool: ConnectionPool) throws(StorageError) {
        self.pool = pool
        origin = nil
        var pauses: Pauses?
        while true {
            let connection = try pool.acquire()
            do throws(StorageError) {
                // The first statement takes the snapshot.
                var parameters = Parameters()
                try connection.ask(0..<0, &parameters) { _ in
                    preconditionFailure("no key is asked")
                }
                _ = try connection.result()
                self.connection = Mutex(connection)
                return
            } catch {
                pool.release(connection)
                // Nothing was seen yet, so another connection may try.
                guard error.code == .unavailable, pool.lendsAgain else { throw error }
                var left = pauses ?? Pauses(pool.patience)
                guard left.pause() else { throw error }
                pauses = left
            }
        }
    }

    deinit {
        close()
    }

    func read<Result>(
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try connection.withLock { (lent) throws(StorageError) in
            guard let connection = lent else {
                throw StorageError(.unavailable, "the snapshot is closed")
            }
            if let origin, !origin.isPresent {
                throw StorageError(.unavailable, "another server has become the primary")
            }
            do throws(StorageError) {
                return try body(PostgresReadTransaction(KeptConnection(connection)))
            } catch {
                if [.unavailable, .conflict].contains(error.code) {
                    isEnded.store(true, ordering: .relaxed)
                }
                // A standby ends a view that is in the way of what it follows.
                throw error.code == .conflict
                    ? StorageError(.unavailable, error.message) : error
            }
        }
    }

    var isLost: Bool { isEnded.load(ordering: .relaxed) || origin?.isPresent == false }

    func close() {
        let connection = connection.withLock { lent in
            defer { lent = nil }
            return lent
        }
        guard let connection else { return }
        connection.end()
        pool.release(connection)
    }
}

/// The one connection on which it is kept.
final class KeptConnection: ConnectionSource {
    private let connection: DatabaseConnection

    init(_ connection: DatabaseConnection) {
        self.connection = connection
    }

    var patience: Int { 0 }
    var lendsAgain: Bool { false }

    func acquire() -> DatabaseConnection { connection }

    func release(_ connection: DatabaseConnection) {}
}
