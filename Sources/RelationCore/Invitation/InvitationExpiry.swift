package import RelationModel
import Storage

/// The removal of invitations that ended long ago.
///
/// No call shows them from that time on, and no event reports their removal. A sweep finds the
/// users that are due by ``EndIndex/invitations``.
package enum InvitationExpiry {
    private static let index = EndIndex.invitations

    /// The time of the next removal in `app`, or a little earlier; nil if no user has an
    /// invitation.
    package static func nextDueMs(
        _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64? {
        try index.firstMs(of: app, in: transaction)
    }

    /// Removes up to `limit` invitations of the app that are due: one step of the maintenance.
    ///
    /// It acts as a call without a user.
    ///
    /// - Returns: Whether there may be more.
    package static func step(
        _ app: App, at now: Timestamp, limit: Int, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        let due = try index.rows(
            of: app, through: now.milliseconds, limit: limit, in: transaction)
        guard !due.isEmpty else { return false }
        let ledger = Ledger(
            app: app, now: now, origin: Origin(user: nil), transaction: transaction)
        var removed = 0
        for row in due where removed < limit {
            if try index.holds(row, in: ledger) {
                removed += try removeGone(of: row.user, limit: limit - removed, in: ledger)
            } else {
                index.remove(row, in: ledger)
            }
        }
        try ledger.close()
        return true
    }

    /// Removes up to `limit` invitations of `user` that are due.
    ///
    /// - Returns: The number of those that it removed.
    private static func removeGone(
        of user: UserID, limit: Int, in ledger: Ledger
    ) throws(StorageError) -> Int {
        let rows = try Invitations.rows(of: user, app: ledger.app, in: ledger.transaction)
        let gone = rows.filter { $0.record.isGone(at: ledger.now) }.prefix(limit)
        for row in gone { Invitations.remove(row.id, of: user, in: ledger) }
        let ids = Set(gone.map(\.id))
        let next = rows.filter { !ids.contains($0.id) }.map(\.record.goneMs).min()
        try index.move(user, to: next ?? 0, in: ledger)
        return gone.count
    }

    /// Notes that an invitation of `user` is due at `timeMs`.
    static func note(_ timeMs: Int64, of user: UserID, in ledger: Ledger) throws(StorageError) {
        ledger.noteEnd(at: timeMs)
        guard let known = try ledger.userRecord(of: user)?.nextInvitationEndMs,
            known == 0 || timeMs < known
        else { return }
        try index.move(user, to: timeMs, in: ledger)
    }
}
