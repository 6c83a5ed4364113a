import RelationModel
import Storage

/// The fields of a profile that get back the values which they had.
struct UndoneProfile {
    let owner: UserID
    let difference: ProfileDifference
    /// These fields as they are now.
    private var now = ProfileRecord()
    /// Whether another user has the unique id by now.
    private var isTaken = false

    init(owner: UserID, difference: ProfileDifference) {
        self.owner = owner
        self.difference = difference
    }

    var isDone: Bool { now == difference.before }
    var isUndisturbed: Bool { now == difference.after && !isTaken }

    func addKeys(of app: App, to keys: inout KeyList) {
        Profiles.keys(of: owner, uniqueID: difference.before.uniqueID, app: app, into: &keys)
    }

    /// Notes the fields as they are now.
    mutating func load(in ledger: Ledger) throws(StorageError) {
        let (app, transaction) = (ledger.app, ledger.transaction)
        now = difference.fields(of: try Profiles.record(of: owner, app: app, in: transaction))
        guard let id = difference.before.uniqueID else { return }
        let holder = try Profiles.owner(of: UniqueID(stored: id), app: app, in: transaction)
        isTaken = holder.map { $0 != owner } ?? false
    }

    func carryOut(in ledger: Ledger) throws(StorageError) {
        // The former fields were checked when they were written first.
        _ = try Profiles.update(
            owner, difference.before, fields: difference.fields,
            customKeys: difference.customKeys, expectedVersion: nil, isReviewed: false, in: ledger)
    }
}
