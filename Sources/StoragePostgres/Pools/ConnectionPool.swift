internal import Storage
internal import Support
internal import Synchronization

/// The connections of one kind, for threads that take one at a time.
///
/// They are made when they are first needed, and again when one has broken.
final class ConnectionPool: ConnectionSource, Sendable {
    private struct State {
        var idle: [DatabaseConnection] = []
        var used = 0
        var isClosed = false
    }

    private let kind: DatabaseConnection.Kind
    private let database: PostgresDatabase
    private let state = Mutex(State())
    /// Counts the connections that may still be taken.
    private let free: SteadySemaphore
    private let count: Int
    /// The idle connections that are kept; more are closed.
    private let kept: Int

    init(
        _ kind: DatabaseConnection.Kind, _ count: Int, keeping kept: Int? = nil,
        _ database: PostgresDatabase
    ) {
        self.kind = kind
        self.count = count
        self.kept = kept ?? count
        self.database = database
        free = SteadySemaphore(value: count)
    }

    var patience: Int { database.options.patienceMilliseconds }
    var lendsAgain: Bool { !isClosed }
    var shutdown: Shutdown? { database.options.shutdown }

    /// Takes a connection, until ``release(_:)``.
    ///
    /// - Throws: ``StorageError`` with the code `unavailable`: the store is closed, the database is
    ///   not there, or all connections stay in use.
    func acquire() throws(StorageError) -> DatabaseConnection {
        try acquire(within: patience)
    }

    /// Takes a connection as ``acquire()`` does, and waits for it for so many milliseconds at most.
    func acquire(within patience: Int) throws(StorageError) -> DatabaseConnection {
        try checkOpen()
        guard free.wait(nanoseconds: UInt64(max(0, patience)) * 1_000_000) else {
            throw StorageError(
                .unavailable,
                "no connection to the database came free within "
                    + "\(patience) ms; all \(count) are in use")
        }
        state.withLock { $0.used += 1 }
        do throws(StorageError) {
            return try idleOrMade(within: patience)
        } catch {
            state.withLock { $0.used -= 1 }
            free.signal()
            throw error
        }
    }

    /// Takes a connection that is idle, without waiting; nil if there is none.
    func acquireIdle() -> DatabaseConnection? {
        guard !isClosed, free.wait(nanoseconds: 0) else { return nil }
        while let connection = state.withLock({ $0.idle.popLast() }) {
            guard connection.isAlive else {
                connection.close()
                continue
            }
            state.withLock { $0.used += 1 }
            return connection
        }
        free.signal()
        return nil
    }

    /// Whether another connection may be taken.
    var hasRoom: Bool { state.withLock { !$0.isClosed && $0.used < count } }

    /// A connection that is idle, or a new one.
    ///
    /// If the database has no room for one more, it waits for one that another thread gives back.
    private func idleOrMade(within patience: Int) throws(StorageError) -> DatabaseConnection {
        var pauses: Pauses?
        while true {
            try checkOpen()
            while let connection = state.withLock({ $0.idle.popLast() }) {
                if connection.isAlive { return connection }
                connection.close()
            }
            do throws(StorageError) {
                return try DatabaseConnection(kind, database)
            } catch {
                let hasOthers = state.withLock { $0.used > 1 || !$0.idle.isEmpty }
                var left = pauses ?? Pauses(patience, shutdown)
                guard error.code == .unavailable, hasOthers, left.pause() else { throw error }
                pauses = left
            }
        }
    }

    func release(_ connection: DatabaseConnection) {
        let keeps = state.withLock { state in
            state.used -= 1
            guard !state.isClosed, !connection.isBroken, state.idle.count < kept else {
                return false
            }
            state.idle.append(connection)
            return true
        }
        if !keeps { connection.close() }
        free.signal()
    }

    /// Accepts no more takers.
    ///
    /// - Returns: Whether it accepted them before.
    @discardableResult
    func close() -> Bool {
        let (idle, wasOpen) = state.withLock { state in
            defer { (state.idle, state.isClosed) = ([], true) }
            return (state.idle, !state.isClosed)
        }
        for connection in idle { connection.close() }
        return wasOpen
    }

    func gauge(named name: String) -> NetworkGauges.Pool {
        NetworkGauges.Pool(name: name, used: state.withLock { $0.used }, most: count)
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    private func checkOpen() throws(StorageError) {
        guard !isClosed else { throw Self.closed }
    }

    static var closed: StorageError { StorageError(.unavailable, "the store is closed") }
}
