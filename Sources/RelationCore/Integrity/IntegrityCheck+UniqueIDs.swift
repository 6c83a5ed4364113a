package import RelationModel
import Storage

// The index of unique identifiers belongs to the app and not to a user. A profile is compared with
// it when its user is checked; the index is compared with the profiles in the end.

extension Integrity {
    /// An identifier in the index, and whether its user's profile lacks it.
    package struct IndexedID {
        package let id: UniqueID
        package let user: UserID
        package let isStray: Bool
    }

    /// Up to `limit` rows of the index of unique identifiers, beginning after `last`.
    package static func uniqueIDs(
        of app: App, after last: UniqueID?, limit: Int, in transaction: any ReadTransaction
    ) throws(StorageError) -> [IndexedID] {
        let table = Tables.uniqueIDs
        let partition = app.uniqueIDs
        let range = last.map { table.rows(of: partition, after: $0) } ?? table.all(of: partition)
        var ids: [UniqueID] = []
        try table.scan(range, limit: limit, in: transaction) { id, _ in
            ids.append(id)
            return .more
        }
        var indexed: [IndexedID] = []
        for id in ids {
            guard let user = try Profiles.owner(of: id, app: app, in: transaction) else { continue }
            let profile = try Profiles.record(of: user, app: app, in: transaction)
            indexed.append(IndexedID(id: id, user: user, isStray: profile.uniqueID != id.text))
        }
        return indexed
    }

    /// Removes those of `ids` from the index that no profile has.
    ///
    /// - Returns: The identifiers that it removed.
    package static func removeStrays(
        among ids: [UniqueID], in ledger: Ledger
    ) throws(StorageError) -> Set<UniqueID> {
        var removed: Set<UniqueID> = []
        for id in ids {
            let user = try Profiles.owner(of: id, app: ledger.app, in: ledger.transaction)
            guard let user else { continue }
            let profile = try Profiles.record(of: user, app: ledger.app, in: ledger.transaction)
            guard profile.uniqueID != id.text else { continue }
            Tables.uniqueIDs.remove(ledger.app.uniqueIDs, id, in: ledger.transaction)
            removed.insert(id)
        }
        return removed
    }
}

extension IntegrityCheck {
    /// Checks that the index names the user for the identifier in its profile.
    mutating func checkUniqueID() throws(StorageError) {
        let user = user
        let profile = try Profiles.record(of: user, app: app, in: transaction)
        guard let id = profile.uniqueID.map(UniqueID.init(stored:)) else { return }
        let owner = try Profiles.owner(of: id, app: app, in: transaction)
        guard owner != user else { return }
        note(.rowWithoutIndex, "unique_id", owner) { (ledger) throws(StorageError) in
            try Profiles.index(id, of: user, unlessOf: owner, in: ledger)
        }
    }
}

extension Profiles {
    /// Makes the index name `user` for the identifier of its profile.
    ///
    /// If the profile of `other` has the identifier too, `user` loses it instead.
    fileprivate static func index(
        _ id: UniqueID, of user: UserID, unlessOf other: UserID?, in ledger: Ledger
    ) throws(StorageError) {
        if let other,
            try record(of: other, app: ledger.app, in: ledger.transaction).uniqueID == id.text
        {
            _ = try update(
                user, ProfileRecord(), fields: [.uniqueID], expectedVersion: nil, in: ledger)
            try index(id, of: other, in: ledger)
        } else {
            try index(id, of: user, in: ledger)
        }
    }
}
