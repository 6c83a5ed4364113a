internal import Storage

/// One of the connections that write, with the name by which the database knows it.
///
/// The row of that name says which transaction was the last one. If a connection breaks while the
/// database commits, the row decides.
///
/// `@unchecked Sendable`: it passes from thread to thread only through the lock of its pool.
final class Writer: @unchecked Sendable {
    private let database: PostgresDatabase
    /// Whether the last write had no answer for as long as one is waited for.
    private var isAway = false
    private let fence: Fence
    /// A random name, so that no two writers of any process have the same.
    let id: [UInt8] = (0..<16).map { _ in UInt8.random(in: 0 ... .max) }
    /// The number of the last transaction that this writer began to commit.
    fileprivate var batch: Int64 = 0
    private var connection: DatabaseConnection?

    init(_ database: PostgresDatabase, _ fence: Fence) {
        self.database = database
        self.fence = fence
    }

    private var options: PostgresOptions { database.options }
    private var meter: DatabaseMeter { database.meter }

    func close() {
        connection?.close()
        connection = nil
    }

    /// Runs `body` in a transaction until it is committed, or certainly is not.
    func write<Result>(
        touching partitions: [Partition], waiting waits: Bool,
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let lease = database.lease
        if isAway, lease.tenure != 0, !lease.isGood {
            throw StorageError(.unavailable, "the database was away, and is not back yet")
        }
        var pauses = Pauses(options)
        while true {
            let transaction = PostgresWriteTransaction(
                self, partitions, waits: waits, within: lease.tenure, until: pauses.end)
            defer { transaction.end() }
            do throws(StorageError) {
                let result = try body(transaction)
                try transaction.commit()
                isAway = false
                return result
            } catch {
                // Its own error ends the write; one of the database may pass.
                guard let failure = transaction.failure, failure.passes, pauses.pause() else {
                    isAway = transaction.failure?.error.code == .unavailable
                    throw transaction.failure?.error ?? error
                }
                meter.runsAgain()
                // It waits for all others, for a short time again and again.
                if partitions.isEmpty { fence.check() }
            }
        }
    }

    /// The name of the process among the leases.
    var processID: String { database.seen.id }

    /// Whether the process may commit, as far as it knows.
    var hasLease: Bool { database.lease.isGood }

    /// The connection, made again if it has broken.
    ///
    /// - Parameter end: When its answers have to be there.
    func connected(until end: Int) throws(StorageError) -> DatabaseConnection {
        if let connection, connection.isAlive {
            connection.latest = end
            return connection
        }
        connection?.close()
        connection = nil
        let made = try DatabaseConnection(
            .writer, database,
            withinMilliseconds: max(0, end - DatabaseConnection.milliseconds()))
        made.latest = end
        made.onSlowAnswer = { [fence] in fence.check() }
        connection = made
        return made
    }

    /// The number of the transaction that is about to be committed.
    func nextBatch() -> Int64 {
        batch += 1
        return batch
    }

    /// Whether other servers may want to hear of a commit.
    var hasPeers: Bool { database.seen.hasPeers }

    /// The last transaction is committed, and its caller will hear of it.
    func committed() { database.seen.committed(batch, by: id) }

    /// Whether the last transaction was committed, when its connection has broken meanwhile.
    ///
    /// Waits until the database has ended it, and until the database is back.
    ///
    /// - Throws: ``StorageError`` with the code `outcomeUnknown` if it does not come back in time.
    func settle() throws(StorageError) -> Bool {
        meter.settledCommit()
        var pauses = Pauses(options)
        while true {
            do throws(StorageError) {
                let connection = try connected(until: pauses.end)
                var parameters = Parameters()
                // The transaction held this lock, so this waits for its end.
                parameters.append([Lock.number(of: id)])
                try connection.send(.lock, parameters)
                parameters.removeAll()
                parameters.append(id)
                try connection.send(.noted, parameters)
                defer { connection.end() }
                _ = try connection.result()
                let rows = try connection.result()
                guard rows.count == 1, rows.number(0, 0) == batch else { return false }
                try confirm(on: connection)
                return true
            } catch {
                guard error.code != .lostData, pauses.pause() else {
                    throw StorageError(
                        .outcomeUnknown,
                        "the connection broke while the database committed, and it did not come "
                            + "back: \(error.message)")
                }
            }
        }
    }
}

extension Writer {
    /// Commits the number of the last transaction once more, in the transaction that has read it.
    ///
    /// A transaction is seen before a synchronous standby has it. This commit waits for the standby
    /// too, and the standby has all that was committed before.
    private func confirm(on connection: DatabaseConnection) throws(StorageError) {
        var parameters = Parameters()
        parameters.append(id)
        parameters.append(batch)
        // It was committed within a lease.
        parameters.append(Int64(0))
        parameters.append([])
        try connection.send(.note, parameters)
        connection.sync()
        _ = try connection.result()
        try connection.receiveEnd()
    }
}

/// Pauses between attempts, longer and longer, each drawn at random, until a time is over.
struct Pauses {
    /// When the time is over, by ``DatabaseConnection/milliseconds()``.
    let end: Int
    private let shutdown: Shutdown?
    private var longest = Limits.firstPauseMilliseconds

    init(_ milliseconds: Int, _ shutdown: Shutdown? = nil) {
        end = DatabaseConnection.milliseconds() + milliseconds
        self.shutdown = shutdown
    }

    /// The attempts of a store with these options.
    init(_ options: PostgresOptions) {
        self.init(options.patienceMilliseconds, options.shutdown)
    }

    /// Sleeps.
    ///
    /// - Returns: Whether there is time for another attempt.
    mutating func pause() -> Bool {
        let left = end - DatabaseConnection.milliseconds()
        guard left > 0, shutdown?.isHopeless != true else { return false }
        DatabaseConnection.sleep(milliseconds: min(left, Int.random(in: 1...longest)))
        longest = min(2 * longest, Limits.longestPauseMilliseconds)
        return true
    }
}
