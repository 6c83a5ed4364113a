package import RelationModel
import Storage

// The ids of invitations belong to the app and not to a user. A list is compared with them when its
// user is checked; the ids are compared with the lists in the end.

extension Integrity {
    /// The id of an invitation, and whether its user's list lacks it.
    package struct IndexedInvitation {
        package let id: InvitationID
        package let user: UserID
        package let isStray: Bool
    }

    /// Up to `limit` ids of invitations, beginning after `last`.
    package static func invitations(
        of app: App, after last: InvitationID?, limit: Int, in transaction: any ReadTransaction
    ) throws(StorageError) -> [IndexedInvitation] {
        let table = Tables.invitationIDs
        let partition = app.invitationIDs
        let range = last.map { table.rows(of: partition, after: $0) } ?? table.all(of: partition)
        var ids: [InvitationID] = []
        try table.scan(range, limit: limit, in: transaction) { id, _ in
            ids.append(id)
            return .more
        }
        var indexed: [IndexedInvitation] = []
        for id in ids {
            guard let user = try Invitations.owner(of: id, app: app, in: transaction) else {
                continue
            }
            let isListed = try Tables.invitations.contains(
                app.partition(of: user), id, in: transaction)
            indexed.append(IndexedInvitation(id: id, user: user, isStray: !isListed))
        }
        return indexed
    }

    /// Removes those of `ids` that no user's list has.
    ///
    /// - Returns: The ids that it removed.
    package static func removeStrays(
        among ids: [InvitationID], in ledger: Ledger
    ) throws(StorageError) -> Set<InvitationID> {
        var removed: Set<InvitationID> = []
        let transaction = ledger.transaction
        for id in ids {
            let owner = try Invitations.owner(of: id, app: ledger.app, in: transaction)
            guard let user = owner,
                try !Tables.invitations.contains(ledger.partition(of: user), id, in: transaction)
            else { continue }
            Tables.invitationIDs.remove(ledger.app.invitationIDs, id, in: transaction)
            removed.insert(id)
        }
        return removed
    }
}

extension IntegrityCheck {
    /// Checks the invitations of the user: the app's row of each id, and the index by time; and the
    /// count of those that the user has used.
    mutating func checkInvitations() throws(StorageError) {
        let (user, partition) = (user, partition)
        let rows = try rows(of: Tables.invitations)
        for row in rows {
            let owner = try Invitations.owner(of: row.key, app: app, in: transaction)
            guard owner != user else { continue }
            note(.rowWithoutIndex, "invitation_ids", owner) { (ledger) throws(StorageError) in
                // The id of another user's invitation stays that user's.
                if let owner,
                    try Tables.invitations.contains(
                        ledger.partition(of: owner), row.key, in: ledger.transaction)
                {
                    return Tables.invitations.remove(partition, row.key, in: ledger.transaction)
                }
                var record = InvitationOwnerRecord()
                record.userID = user.text
                try Tables.invitationIDs.set(
                    record, at: ledger.app.invitationIDs, row.key, in: ledger.transaction)
            }
        }
        try checkNextInvitationEnd(rows.map(\.record.goneMs).min())
        checkCount(
            "invitation_use_count", \.invitationUseCount,
            try self.rows(of: Tables.invitationUses).count)
    }

    /// Checks that the index of the app names the user at the time at which its first invitation
    /// has to go, or earlier.
    private mutating func checkNextInvitationEnd(_ firstMs: Int64?) throws(StorageError) {
        let user = user
        let known = userRecord.nextInvitationEndMs
        let isIndexed = try Tables.invitationEnds.contains(
            app.invitationEnds, TimedUser(timeMs: known, user: user), in: transaction)
        guard (known == 0 || isIndexed) && (firstMs.map { known != 0 && known <= $0 } ?? true)
        else {
            let next = firstMs ?? 0
            return note(.rowWithoutIndex, "invitation_ends") { (ledger) throws(StorageError) in
                try EndIndex.invitations.move(user, to: 0, in: ledger)
                try EndIndex.invitations.move(user, to: next, in: ledger)
            }
        }
    }
}
