import RelationModel
import Storage

/// The invitations that a user has used, so that one user takes no second use of one.
///
/// A user's notes do not outlast the invitations: each new note removes a few that have expired.
enum InvitationUses {
    static func contains(
        _ use: InvitationUse, of user: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        try Tables.invitationUses.contains(
            ledger.partition(of: user), use, in: ledger.transaction)
    }

    /// Notes a use, and removes the notes of some invitations that have expired.
    static func add(_ use: InvitationUse, of user: UserID, in ledger: Ledger) throws(StorageError) {
        let table = Tables.invitationUses
        let partition = ledger.partition(of: user)
        var old: [InvitationUse] = []
        let range = table.rows(of: partition, through: ledger.now.milliseconds)
        try table.scan(range, limit: Limits.invitationUsesForgotten, in: ledger.transaction) {
            key, _ in
            old.append(key)
            return .more
        }
        for key in old { table.remove(partition, key, in: ledger.transaction) }
        try restore(use, of: user, in: ledger)
        try ledger.changeUserRecord(of: user) { $0.invitationUseCount.decrease(by: old.count) }
    }

    /// Writes a note, as an export has it.
    static func restore(
        _ use: InvitationUse, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        try Tables.invitationUses.set(
            EmptyRecord(), at: ledger.partition(of: user), use, in: ledger.transaction)
        try ledger.changeUserRecord(of: user) { $0.invitationUseCount += 1 }
    }
}
