internal import Storage
import Support
internal import Synchronization

/// How far this process has seen the database come.
///
/// The number of its lease's last renewal stands in the database, and the number of each writer's
/// last transaction. If such a row is gone, or has a lower number, the database was restored to an
/// earlier state, or a standby took over that did not have everything. Then clients know of changes
/// that the database has lost, and this process serves nothing more.
final class HighWatermark: Sendable {
    private struct State {
        var number: Int64?
        /// The other servers that had a lease at the last renewal; nil before the first one.
        var others: Int?
        /// The others whose names come before this one's.
        var earlier: Int?
        /// The last transaction of each writer, and when it was committed, in milliseconds of a
        /// clock that never goes back.
        var batches: [[UInt8]: (number: Int64, time: Int)] = [:]
        var isLost = false
    }

    /// A random name, by which the table of leases knows this process.
    let id: String
    private let state = Mutex(State())

    init(id: String = String(hexadecimal: (0..<8).map { _ in UInt8.random(in: 0 ... .max) })) {
        self.id = id
    }

    /// The number of the last renewal that the database has confirmed; nil before the first one.
    var number: Int64? { state.withLock { $0.number } }

    func note(_ number: Int64, among others: Int, after earlier: Int) {
        state.withLock { state in
            state.number = max(state.number ?? 0, number)
            state.others = others
            state.earlier = earlier
        }
    }

    /// Whether no other server's name came before this one's at the last renewal.
    var isFirst: Bool { state.withLock { $0.earlier == 0 } }

    /// The servers that had a lease at the last renewal, this one included.
    var processCount: Int { state.withLock { ($0.others ?? 0) + 1 } }

    /// Whether another server may wait for a word about changes.
    ///
    /// One that has just begun looks for them from time to time by itself.
    var hasPeers: Bool { state.withLock { $0.others != 0 } }

    func committed(_ batch: Int64, by writer: [UInt8]) {
        let time = DatabaseConnection.milliseconds()
        state.withLock { $0.batches[writer] = (batch, time) }
    }

    /// Notes that the database has lost commits.
    ///
    /// - Returns: The error to throw.
    func lost() -> StorageError {
        state.withLock { $0.isLost = true }
        return Self.error
    }

    func check() throws(StorageError) {
        if state.withLock({ $0.isLost }) { throw Self.error }
    }

    /// Checks a connection that was just made: a database goes back only while it is down, and each
    /// connection breaks then.
    func check(
        _ raw: OpaquePointer, _ patience: Int, _ shutdown: Shutdown
    ) throws(StorageError) {
        try check()
        let facts = self.facts
        guard !facts.isEmpty else { return }
        let found = try PostgresSession.run(
            "SELECT \(facts.joined(separator: " AND "))", on: raw, patience, shutdown)
        guard found == ["t"] else { throw lost() }
    }

    /// Conditions that hold in the database unless it has gone back.
    private var facts: [String] {
        let earliest = DatabaseConnection.milliseconds() - Limits.keptBatchMilliseconds
        return state.withLock { state in
            let renewal = state.number.map { number in
                """
                EXISTS (SELECT FROM relation_server WHERE id = '\(id)' AND renewal >= \(number))
                """
            }
            let batches = state.batches.filter { $0.value.time > earliest }.map { writer, batch in
                """
                EXISTS (SELECT FROM relation_writer WHERE id = '\\x\(String(hexadecimal: writer))' \
                AND batch >= \(batch.number))
                """
            }
            return [renewal].compactMap { $0 } + batches
        }
    }

    private static var error: StorageError {
        StorageError(
            .lostData,
            "the database has gone back to an earlier moment than this server has seen, so nothing "
                + "is served: run `relationd init --restored`, and start the servers anew")
    }
}
