internal import Dispatch
internal import Storage
internal import Synchronization

/// The connections to one standby on which ordinary reads are answered.
///
/// No read waits for a connection: one that finds none goes elsewhere, and a thread beside makes
/// it. So a standby that hangs costs the reads that wait for an answer, and no later one.
final class StandbyReader: Sendable {
    let pool: ConnectionPool
    private let retries = Mutex(StandbyRetries())
    /// Until when it is left alone, because it was behind.
    private let restsUntil = Atomic<Int>(.min)
    private let isConnecting = Atomic(false)
    private let queue = DispatchQueue(label: "standby-connections")

    init(_ database: PostgresDatabase) {
        pool = ConnectionPool(.standby, Limits.standbyReaders, database)
    }

    /// Whether it has failed since it last answered.
    var isPaused: Bool { retries.withLock { $0.isPaused } }

    /// Runs `body` against a view that shows `mark`.
    ///
    /// - Parameter primary: The server that has committed it, if it is still the primary when
    ///   `body` has ended.
    func read(
        _ mark: StandbyMark.Number, of primary: Primary,
        _ body: (any ReadTransaction) throws(StorageError) -> StandbyVerdict
    ) -> StandbyOutcome {
        let begun = DatabaseConnection.milliseconds()
        guard begun >= restsUntil.load(ordering: .relaxed) else { return .behind }
        guard !isPaused, let connection = pool.acquireIdle() else {
            connect()
            return .away
        }
        let verdict = try? Self.read(mark, on: connection, body)
        let (isBehind, isBroken) = (connection.isBehind, connection.isBroken)
        Self.release(connection, to: pool)
        if isBroken {
            let now = DatabaseConnection.milliseconds()
            retries.withLock { $0.failed(since: begun, at: now) }
            return .away
        }
        if isBehind {
            let rests = DatabaseConnection.milliseconds() + Limits.standbyLagMilliseconds
            restsUntil.store(rests, ordering: .relaxed)
            return .behind
        }
        guard let verdict, primary.number == mark.primary else { return .away }
        return switch verdict {
        case .answered: .answered
        case .behind: .behind
        case .unsure: .unsure
        }
    }

    private static func read(
        _ mark: StandbyMark.Number, on connection: DatabaseConnection,
        _ body: (any ReadTransaction) throws(StorageError) -> StandbyVerdict
    ) throws(StorageError) -> StandbyVerdict {
        try ask(mark, on: connection)
        let verdict = try body(PostgresReadTransaction(KeptConnection(connection)))
        // A read that asks for nothing has not seen it.
        try connection.checkMark()
        return verdict
    }

    /// Asks for the number, unless the session has shown it; the first statement takes the view.
    private static func ask(
        _ mark: StandbyMark.Number, on connection: DatabaseConnection
    ) throws(StorageError) {
        connection.latest =
            DatabaseConnection.milliseconds() + Limits.standbyAnswerMilliseconds
        guard !connection.beginsView(showing: mark) else { return }
        var parameters = Parameters()
        parameters.append(mark.id)
        connection.leastMark = mark
        try connection.send(.noted, parameters)
    }

    private static func release(_ connection: DatabaseConnection, to pool: ConnectionPool) {
        connection.leastMark = nil
        connection.end()
        connection.latest = .max
        pool.release(connection)
    }

    // MARK: Beside the reads

    /// Has a connection made, unless one is being made, or the standby is left alone.
    private func connect() {
        guard pool.hasRoom,
            !isConnecting.exchange(true, ordering: .acquiringAndReleasing)
        else { return }
        let begun = DatabaseConnection.milliseconds()
        guard retries.withLock({ $0.claim(at: begun) }) else {
            return isConnecting.store(false, ordering: .releasing)
        }
        queue.async { [self] in
            let isThere = makesConnection()
            let now = DatabaseConnection.milliseconds()
            retries.withLock { retries in
                if isThere { retries.succeeded() } else { retries.failed(since: begun, at: now) }
            }
            isConnecting.store(false, ordering: .releasing)
        }
    }

    /// Makes a connection, or tries one that is idle.
    private func makesConnection() -> Bool {
        guard let connection = try? pool.acquire(within: 0) else { return !pool.hasRoom }
        // Any view will do.
        let any = StandbyMark.Number(id: [], value: .min, primary: 0, begun: 0)
        _ = try? Self.ask(any, on: connection)
        try? connection.checkMark()
        let isBroken = connection.isBroken
        Self.release(connection, to: pool)
        return !isBroken
    }

    /// Waits until no connection is being made.
    func settle() {
        queue.sync {}
    }

    func close() {
        pool.close()
        settle()
    }
}
