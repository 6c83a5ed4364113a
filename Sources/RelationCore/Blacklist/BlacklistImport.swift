package import RelationModel
import Storage

/// Imports rows of blacklists from another system.
package enum BlacklistImport {
    /// One row of an import.
    package struct Row: Equatable {
        package let owner: UserID
        package let user: UserID
        /// When the user came onto the list; nil means now.
        package var addTimeMs: Int64?

        package init(owner: UserID, user: UserID, addTimeMs: Int64? = nil) {
            self.owner = owner
            self.user = user
            self.addTimeMs = addTimeMs
        }
    }

    /// Writes a row of a blacklist, and nothing else: what the two have beside it stays, because
    /// the rows of the other lists are those of the same source.
    ///
    /// - Parameter notify: Whether the owner gets an event for this row alone.
    /// - Returns: ``FriendStatus/success``, which says whether the row is new, or the first of
    ///   these that applies: ``FriendStatus/invalidParameter`` if the two are the same user,
    ///   ``FriendStatus/accountNotFound``, ``FriendStatus/blacklistFull``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func write(
        _ row: Row, notify: Bool, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        guard row.owner != row.user else {
            return Outcome(.invalidParameter, Reason.ListImport.oneself)
        }
        guard try Accounts.ensureExists(row.owner, in: ledger),
            try Accounts.ensureExists(row.user, in: ledger)
        else { return Outcome(.accountNotFound, Reason.ListImport.accountNotExist) }
        guard try !Blacklist.contains(row.user, of: row.owner, in: ledger) else {
            return .unchanged
        }
        let count = try Int(ledger.userRecord(of: row.owner)?.blacklistCount ?? 0)
        guard count < ledger.limits.blacklistedUsers else {
            return Outcome(.blacklistFull, Reason.ListImport.blacklistFull)
        }
        var record = BlacklistRecord()
        record.userID = row.user.text
        record.addTimeMs = row.addTimeMs ?? ledger.now.milliseconds
        try Blacklist.insert(record, row.user, of: row.owner, in: ledger)
        if notify { ledger.endEvent(of: .addBlacklist, for: row.owner) }
        return .success
    }

    /// Adds the rows that importing `row` reads, so that an engine can fetch them at once.
    package static func keys(for row: Row, app: App, into keys: inout KeyList) {
        Accounts.keysForNaming(row.owner, app: app, into: &keys)
        Blacklist.keysForRemoving([row.user], from: row.owner, app: app, into: &keys)
    }
}
