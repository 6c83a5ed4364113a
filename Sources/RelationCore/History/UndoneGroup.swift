import RelationModel
import Storage

/// A group of friends whose making, renaming or deletion is taken back.
struct UndoneGroup {
    /// A step of the undo.
    enum Step: Equatable {
        case nothing
        case make(String)
        case delete(String)
        case rename(String, to: String)
        /// The group is not as it was left.
        case conflict
    }

    let owner: UserID
    /// Its name before; nil if it was made.
    let before: String?
    /// Its name after it; nil if it was deleted.
    let after: String?
    private(set) var step = Step.nothing

    init(owner: UserID, before: String?, after: String?) {
        (self.owner, self.before, self.after) = (owner, before, after)
    }

    func addKeys(of app: App, to keys: inout KeyList) {
        for name in [before, after] {
            guard let name else { continue }
            Tables.groups.add(app.partition(of: owner), GroupName(name), to: &keys)
        }
    }

    /// Finds out what is to be done.
    ///
    /// A group that has members is not deleted: they came later.
    mutating func load(in ledger: Ledger) throws(StorageError) {
        let old = try record(before, in: ledger)
        let new = try record(after, in: ledger)
        switch (before, after) {
        case (let name?, nil): step = old == nil ? .make(name) : .nothing
        case (nil, let name?): step = Self.removal(of: name, new)
        case (let name?, let newName?):
            if old != nil {
                step = Self.removal(of: newName, new)
            } else if new == nil {
                step = .conflict
            } else {
                step = .rename(newName, to: name)
            }
        case (nil, nil): step = .nothing
        }
    }

    private static func removal(of name: String, _ group: GroupRecord?) -> Step {
        guard let group else { return .nothing }
        return group.memberCount == 0 ? .delete(name) : .conflict
    }

    private func record(
        _ name: String?, in ledger: Ledger
    ) throws(StorageError) -> GroupRecord? {
        guard let name else { return nil }
        return try Groups.record(name, of: owner, app: ledger.app, in: ledger.transaction)
    }

    func carryOut(in ledger: Ledger) throws(StorageError) {
        switch step {
        case .nothing, .conflict: break
        case .make(let name): try Groups.create(name, of: owner, in: ledger)
        case .delete(let name): _ = try GroupRules.delete(name, of: owner, in: ledger)
        case .rename(let name, let old):
            try GroupRules.revertName(name, to: old, of: owner, in: ledger)
        }
    }
}
