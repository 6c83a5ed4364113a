import RelationAdmission
import RelationCore

/// Records of calls that no write carries, on their way through the committer.
final class AuditWork: BackgroundWork {
    private let rows: [UInt32: [AuditRow]]
    private let apps: Apps
    /// Whether the rows have slots among the calls that are all recorded.
    private let haveSlots: Bool

    init(_ rows: [UInt32: [AuditRow]], _ apps: Apps, haveSlots: Bool = false) {
        self.rows = rows
        self.apps = apps
        self.haveSlots = haveSlots
    }

    func run(in transaction: any WriteTransaction) throws(StorageError) {
        for (id, rows) in rows.sorted(by: { $0.key < $1.key }) {
            // The app may have been deleted meanwhile, with its audit.
            guard let app = apps.inTransaction(id) else { continue }
            for row in try AuditedUsers.checked(rows, of: app, in: transaction) {
                try AuditChain.append(row, to: app, in: transaction)
            }
        }
    }

    func finish(_ error: StorageError?) {
        switch (error, haveSlots) {
        case (nil, true): apps.audit.calls.stored(rows)
        case (nil, false): break
        case (_, true): apps.audit.calls.requeue(rows)
        case (_, false): apps.audit.requeue(rows)
        }
    }
}
