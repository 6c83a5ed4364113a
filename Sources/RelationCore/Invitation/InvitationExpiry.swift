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
    /// - Returns: Whether there may be more.
    package static func step(
        _ app: App, at now: Timestamp, limit: Int, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        let due = try index.rows(
            of: app, through: now.milliseconds, limit: limit, in: transaction)
        return try index.step(
            due, of: app, at: now, limit: limit, in: transaction, end: removeGone)
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
        try index.bringForward(user, to: timeMs, in: ledger)
    }
}
