package import RelationModel
import Storage

/// The progress of a hook, as the server that delivers for it writes it from time to time, with its
/// lease.
///
/// It is written in a transaction that has the lock of the app, and only in the round in which the
/// server took the hook. So no server undoes a replay, or the progress of the server after it.
package struct HookStep: Sendable, Equatable {
    /// A lease as another server's row tells it.
    package struct Lease: Sendable, Equatable {
        let round: Int64
        let untilMs: Int64

        package init(round: Int64, untilMs: Int64) {
            self.round = round
            self.untilMs = untilMs
        }
    }

    package let app: UInt32
    package let hook: HookID
    /// The server.
    package let holder: String
    /// The round in which the server took the hook; nil if it wants to take it now.
    package var round: Int64?
    /// Another server's lease that has run out by this server's clock, so that it is taken from it
    /// unless it was renewed meanwhile.
    package var ended: Lease?
    /// Until when no other server may take the hook; 0 gives it back.
    package var leaseUntilMs: Int64 = 0
    /// The position up to which all was delivered; nil if it has not moved.
    package var position: Int64?
    /// See ``HookProgressRecord/later``; it goes with the position.
    package var later: [Int64] = []
    /// See ``HookProgressRecord/failing``; it goes with the position.
    package var failing: [Int64] = []
    /// The history of the position; nil if it has not moved.
    package var historyID: UInt64?
    /// When a request was confirmed last; nil if none was since the last step.
    package var deliveredMs: Int64?
    package var failingSinceMs: Int64 = 0
    /// See ``HookProgressRecord/failingForMs``.
    package var failingForMs: Int64 = 0
    package var stoppedMs: Int64 = 0
    /// See ``HookProgressRecord/erasures``: the number that the server knows.
    package var erasures: Int64 = 0
    /// The failures since the last step, the oldest first; they name no user if there was an
    /// erasure of which the server does not know.
    package var failures: [HookFailureRecord] = []

    package init(app: UInt32, hook: HookID, holder: String) {
        self.app = app
        self.hook = hook
        self.holder = holder
    }

    /// Writes the step.
    ///
    /// - Parameter sharesStore: Whether other servers have the store: otherwise a lease that is
    ///   left is that of this server's earlier life.
    /// - Returns: The row as it is now; nil if nothing was written, since the hook is gone, another
    ///   server has it, or another round has begun.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package func write(
        at now: Timestamp, sharesStore: Bool, in transaction: any WriteTransaction
    ) throws(StorageError) -> HookProgressRecord? {
        let partition = App(id: app, settings: .tim).partition
        let table = Tables.hookProgress
        guard var row = try table.record(partition, hook, in: transaction) else { return nil }
        if let round {
            guard row.round == round, row.holder.isExactly(holder) else { return nil }
            row.failingSinceMs = failingSinceMs
            row.failingForMs = failingForMs
            row.storedMs = now.milliseconds
            row.stoppedMs = stoppedMs
        } else {
            let isFree =
                !sharesStore || row.holder.isEmpty || row.holder.isExactly(holder)
                || row.leaseUntilMs <= now.milliseconds
                || ended == Lease(round: row.round, untilMs: row.leaseUntilMs)
            guard isFree else { return nil }
            row.round += 1
        }
        row.holder = leaseUntilMs == 0 ? "" : holder
        row.leaseUntilMs = leaseUntilMs
        if let position {
            (row.position, row.later, row.failing) = (position, later, failing)
        }
        row.historyID = historyID ?? row.historyID
        row.deliveredMs = deliveredMs ?? row.deliveredMs
        var failures = failures
        if row.erasures != erasures {
            for index in failures.indices { failures[index].userID = "" }
        }
        try Hooks.append(failures, to: &row, of: hook, at: partition, in: transaction)
        try table.set(row, at: partition, hook, in: transaction)
        return row
    }
}
