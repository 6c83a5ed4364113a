package import RelationModel
import Storage

// The index of names belongs to the app and not to a user. A nick is compared with it when its user
// is checked; the index is compared with the nicks in the end.

extension Integrity {
    /// A row of the index of names, and whether its user's nick lacks it.
    package struct IndexedName {
        package let row: FoundName
        package let isStray: Bool

        package var user: UserID { row.user }
    }

    /// Up to `limit` rows of the index of names, beginning after `last`; none while the index is
    /// being made or removed.
    package static func foundNames(
        of app: App, after last: FoundName?, limit: Int, in transaction: any ReadTransaction
    ) throws(StorageError) -> [IndexedName] {
        guard try FoundNames.isComplete(of: app, in: transaction) else { return [] }
        let table = Tables.foundNames
        let partition = app.foundNames
        let range = last.map { table.rows(of: partition, after: $0) } ?? table.all(of: partition)
        var rows: [FoundName] = []
        try table.scan(range, limit: limit, in: transaction) { row, _ in
            rows.append(row)
            return .more
        }
        return zip(rows, try areStray(rows, app: app, in: transaction)).map {
            IndexedName(row: $0, isStray: $1)
        }
    }

    private static func areStray(
        _ rows: [FoundName], app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Bool] {
        let owners = try FoundNames.owners(rows.map(\.user), app: app, in: transaction)
        return zip(rows, owners).map { row, owner in
            guard let owner else { return true }
            let wanted = FoundNames.rows(
                of: row.user, owner.userRecord, owner.profile, app.settings)
            return !wanted.contains(row)
        }
    }

    /// Removes those of `rows` from the index that no nick has.
    ///
    /// - Returns: The rows that it removed.
    package static func removeStrays(
        among rows: [FoundName], in ledger: Ledger
    ) throws(StorageError) -> Set<FoundName> {
        let areStray = try areStray(rows, app: ledger.app, in: ledger.transaction)
        var removed: Set<FoundName> = []
        for (row, isStray) in zip(rows, areStray) where isStray {
            Tables.foundNames.remove(ledger.app.foundNames, row, in: ledger.transaction)
            removed.insert(row)
        }
        return removed
    }
}

extension IntegrityCheck {
    /// Checks that the index of names has the rows of the user's nick.
    mutating func checkFoundNames() throws(StorageError) {
        guard app.settings.findsUsers, try FoundNames.isComplete(of: app, in: transaction) else {
            return
        }
        let profile = try Profiles.record(of: user, app: app, in: transaction)
        let partition = app.foundNames
        let rows = FoundNames.rows(of: user, userRecord, profile, app.settings)
        var keys = KeyList()
        for row in rows { Tables.foundNames.add(partition, row, to: &keys) }
        for (row, isThere) in zip(rows, try keys.found(in: transaction)) where !isThere {
            noteMissing(in: Tables.foundNames, "found_names", row, at: partition)
        }
    }
}
