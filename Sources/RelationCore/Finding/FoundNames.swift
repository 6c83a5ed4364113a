import RelationModel
package import Storage

/// The index of the names by which users of an app are found.
///
/// It has rows only in apps that let users be found. Users that no user may find by name stand
/// apart from the others, so a search passes no row of them.
package enum FoundNames {
    /// The rows of an account with these records.
    static func rows(
        of user: UserID, _ userRecord: UserRecord, nick: String?, _ settings: AppSettings
    ) -> [FoundName] {
        FoldedName(nick).rows(
            of: user, isHidden: !userRecord.canBeFound(by: .name, settings))
    }

    /// Replaces rows of the index by others.
    static func replace(
        _ old: [FoundName], by new: [FoundName], in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.app.foundNames
        for row in old where !new.contains(row) {
            Tables.foundNames.remove(partition, row, in: ledger.transaction)
        }
        for row in new where !old.contains(row) {
            try Tables.foundNames.set(EmptyRecord(), at: partition, row, in: ledger.transaction)
        }
    }

    /// Moves `user` from one nick to another, if the app has the index.
    static func move(
        _ user: UserID, from old: String?, to new: String?, in ledger: Ledger
    ) throws(StorageError) {
        let settings = ledger.settings
        guard settings.findsUsers, old != new, let record = try ledger.userRecord(of: user) else {
            return
        }
        try replace(
            rows(of: user, record, nick: old, settings),
            by: rows(of: user, record, nick: new, settings), in: ledger)
    }
}

extension App {
    /// The index of names, and its state.
    package var foundNames: Partition { Partition(app: id, name: [0x1E]) }
}
