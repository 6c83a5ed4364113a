import Dispatch
package import RelationAdmission
package import RelationCore
package import RelationModel
import Storage
import Synchronization

/// The wish of the folder's owner, as work of the committer for which the owner's thread waits.
package final class OwnerWork: BackgroundWork {
    private let request: OwnerRequest
    private let key: NewOperatorKey
    private let apps: Apps
    private let now: Timestamp
    private let answer = Mutex(OwnerAnswer())
    private let done = DispatchSemaphore(value: 0)

    package init(_ request: OwnerRequest, _ apps: Apps, at now: Timestamp) {
        self.request = request
        self.apps = apps
        self.now = now
        key = request.newKey(at: now)
    }

    package func run(in transaction: any WriteTransaction) throws(StorageError) {
        let ledger = Ledger(
            app: .registry, now: now, origin: Origin(user: nil), transaction: transaction)
        let found = try request.answer(with: key, in: ledger)
        try ledger.close()
        for change in ledger.credentialChanges { apps.stage(change) }
        if found.refusal.isEmpty { try audit(in: transaction) }
        answer.withLock { $0 = found }
    }

    /// Records a change of the operators' keys in the server's audit, if it keeps one.
    private func audit(in transaction: any WriteTransaction) throws(StorageError) {
        guard apps.audit.isOn, let name = request.auditedName else { return }
        var row = AuditRow()
        row.kind = .call
        row.timeMs = now.milliseconds
        (row.method, row.caller) = (name, "owner")
        (row.applied, row.count) = (true, 1)
        try AuditChain.append(row, to: .registry, in: transaction)
    }

    package func finish(_ error: StorageError?) {
        if let error {
            var failed = OwnerAnswer(refusal: error.message)
            failed.isUnknown = error.code == .outcomeUnknown
            answer.withLock { $0 = failed }
        }
        done.signal()
    }

    /// Waits until the change is durable, or has failed.
    package func wait() -> OwnerAnswer {
        done.wait()
        return answer.withLock { $0 }
    }
}
