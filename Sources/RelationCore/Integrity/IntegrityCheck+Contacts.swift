package import RelationModel
import Storage

// The index of contacts belongs to the app and not to a user. A user's digests are compared with it
// when the user is checked; the index is compared with the digests of the users in the end.

extension Integrity {
    /// A digest in the index with one of its users, and whether the user lacks it.
    package struct IndexedContact: Hashable {
        package let digest: ContactDigest
        package let user: UserID
        package let isStray: Bool
    }

    /// The entries of up to `limit` digests of the index, beginning after `last`.
    package static func contacts(
        of app: App, after last: ContactDigest?, limit: Int, in transaction: any ReadTransaction
    ) throws(StorageError) -> (entries: [IndexedContact], count: Int, last: ContactDigest?) {
        let table = Tables.contactOwners
        let partition = app.contacts
        let range = last.map { table.rows(of: partition, after: $0) } ?? table.all(of: partition)
        var digests: [ContactDigest] = []
        try table.scan(range, limit: limit, in: transaction) { digest, _ in
            digests.append(digest)
            return .more
        }
        var entries: [IndexedContact] = []
        for digest in digests {
            for user in try Contacts.owners(of: digest, app: app, in: transaction) {
                let isStray = try isStray(digest, of: user, app: app, in: transaction)
                entries.append(IndexedContact(digest: digest, user: user, isStray: isStray))
            }
        }
        return (entries, digests.count, digests.last ?? last)
    }

    private static func isStray(
        _ digest: ContactDigest, of user: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        try !Contacts.record(of: user, app: app, in: transaction).all.contains(digest)
    }

    /// Removes those of `entries` from the index that their users lack.
    ///
    /// - Returns: The entries that it removed.
    package static func removeStrays(
        among entries: [IndexedContact], in ledger: Ledger
    ) throws(StorageError) -> Set<IndexedContact> {
        var removed: Set<IndexedContact> = []
        let (app, transaction) = (ledger.app, ledger.transaction)
        for entry in entries
        where try isStray(entry.digest, of: entry.user, app: app, in: transaction) {
            try Contacts.remove(entry.user, from: entry.digest, in: ledger)
            removed.insert(entry)
        }
        return removed
    }
}

extension IntegrityCheck {
    /// Checks that the index of contacts names the user for each of its digests.
    mutating func checkContacts() throws(StorageError) {
        let user = user
        for digest in try Contacts.record(of: user, app: app, in: transaction).all {
            let owners = try Contacts.owners(of: digest, app: app, in: transaction)
            if owners.contains(user) { continue }
            note(.rowWithoutIndex, "contacts") { (ledger) throws(StorageError) in
                try Contacts.add(user, to: digest, in: ledger)
            }
        }
    }
}
