import Dispatch
import RPC
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime

/// Runs writes for a thread of the readers, through the committer.
struct Repairer {
    let committer: Committer
    let apps: Apps
    let clock: ServiceClock

    /// Runs `body` in a transaction of its own, and waits until the transaction is durable.
    func run(
        _ app: App, _ body: @escaping (Ledger) throws(StorageError) -> Void
    ) throws(RPCError) {
        let work = RepairWork(app.id, apps, clock, body)
        committer.submit(background: work)
        work.done.wait()
        if let error = work.error { throw RPCError(error) }
    }
}

/// `@unchecked Sendable`: the committer's thread writes it, and its maker reads it after `done` was
/// signalled.
private final class RepairWork: BackgroundWork, @unchecked Sendable {
    typealias Body = (Ledger) throws(StorageError) -> Void

    let done = DispatchSemaphore(value: 0)
    private(set) var error: StorageError?
    private let id: UInt32
    private let apps: Apps
    private let clock: ServiceClock
    private let body: Body

    init(_ id: UInt32, _ apps: Apps, _ clock: ServiceClock, _ body: @escaping Body) {
        self.id = id
        self.apps = apps
        self.clock = clock
        self.body = body
    }

    func run(in transaction: any WriteTransaction) throws(StorageError) {
        guard let app = apps.inTransaction(id) else { return }
        let ledger = Ledger(
            app: app, now: clock.now(), origin: Origin(user: nil), transaction: transaction)
        try body(ledger)
        try ledger.close()
    }

    func finish(_ error: StorageError?) {
        self.error = error
        done.signal()
    }
}
