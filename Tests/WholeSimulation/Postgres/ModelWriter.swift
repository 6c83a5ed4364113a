import Storage
import StoragePostgres

/// One of the connections that write, with the name by which a modelled database knows it.
///
/// `@unchecked Sendable`: it passes from thread to thread only through the lock of its pool.
final class ModelWriter: @unchecked Sendable {
    private let client: ModelClient
    /// A name that no other writer has.
    let id: [UInt8]
    private var batch: Int64 = 0
    private var connection: ModelConnection?
    /// Whether the last write had no answer for as long as one is waited for.
    private var isAway = false

    init(_ client: ModelClient) {
        self.client = client
        id = (0..<16).map { _ in UInt8(client.random(0...255)) }
    }

    var hasLease: Bool { client.lease.isGood }
    var hasPeers: Bool { client.seen.others != 0 }

    func close() {
        connection?.close()
        connection = nil
    }

    /// Runs `body` in a transaction until it is committed, or certainly is not.
    func write<Result>(
        touching partitions: [Partition], waiting waits: Bool,
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        if isAway, client.lease.tenure != 0, !client.lease.isGood {
            throw StorageError(.unavailable, "the database was away, and is not back yet")
        }
        var pauses = client.pauses(milliseconds: client.options.patienceMilliseconds)
        while true {
            let transaction = ModelWriteTransaction(
                self, partitions, waits: waits, within: client.lease.tenure, until: pauses.end)
            defer { transaction.end() }
            do throws(StorageError) {
                let result = try body(transaction)
                try transaction.commit()
                isAway = false
                return result
            } catch {
                if error.code == .outcomeUnknown { throw error }
                guard let failure = transaction.failure, transaction.failurePasses else {
                    throw transaction.failure ?? error
                }
                transaction.end()
                // It waits for all others, for a short time again and again.
                if partitions.isEmpty { connection?.check() }
                guard client.pause(&pauses) else {
                    isAway = failure.code == .unavailable
                    throw failure
                }
            }
        }
    }

    /// The connection, made again if it has broken.
    func connected(until end: UInt64) throws(StorageError) -> ModelConnection {
        if let connection, connection.isAlive {
            connection.latest = end
            return connection
        }
        connection?.close()
        connection = nil
        let now = client.time.now
        let made = try client.connect(
            withinMilliseconds: Int((end > now ? end - now : 0) / 1_000_000))
        (made.latest, made.looksForLapsed) = (end, true)
        connection = made
        return made
    }

    /// The time of a commit's answer, whose write may have no time left.
    func leastEnd(_ latest: UInt64) -> UInt64 { max(latest, client.time.now + 1_000_000_000) }

    /// The statement that notes the transaction which is about to be committed.
    func nextNote(within tenure: Int64) -> ModelQuestion {
        batch += 1
        return .note(writer: id, batch: batch, tenure: tenure, process: client.process)
    }

    /// The last transaction is committed, and its caller will hear of it.
    func committed() { client.note { $0.batches[id] = batch } }

    /// Whether the last transaction was committed, when its connection has broken meanwhile.
    ///
    /// - Throws: ``StorageError`` with the code `outcomeUnknown` if the database does not come back
    ///   in time.
    func settle() throws(StorageError) -> Bool {
        var pauses = client.pauses(milliseconds: client.options.patienceMilliseconds)
        while true {
            do throws(StorageError) {
                let connection = try connected(until: pauses.end)
                // The transaction held this lock, so this waits for its end.
                let answers = try connection.ask([.lock([Lock.number(of: id)]), .noted(id)])
                let isMade = answers[1].numbers == [batch]
                client.model.use { $0.onSettled(isMade) }
                guard isMade else {
                    connection.end()
                    return false
                }
                // It may be seen before a standby has it; this commit waits for the standby too.
                _ = try connection.ask(
                    [.note(writer: id, batch: batch, tenure: 0, process: client.process)],
                    ends: true)
                return true
            } catch {
                if connection?.isBroken == true { connection?.end() }
                guard error.code != .lostData, client.pause(&pauses) else {
                    throw StorageError(
                        .outcomeUnknown, "the database does not come back: \(error.message)")
                }
            }
        }
    }
}
