package import RelationModel
import Storage

/// The time at which a user was last online, as far as it is stored.
///
/// Presence itself is in memory, and knows the time exactly. This one outlives a restart, and costs
/// few writes: reports of a user write it at most once an hour while the user is online, and at
/// most once a minute as it goes.
package enum LastSeen {
    /// Notes that `user` was online until `timeMs`, unless it was noted shortly before.
    ///
    /// - Parameter isOffline: Whether a device of the user went offline then.
    /// - Precondition: `user` is an account, or is not known at all; then nothing happens.
    package static func note(
        _ user: UserID, at timeMs: Int64, isOffline: Bool, in ledger: Ledger
    ) throws(StorageError) {
        guard let known = try ledger.userRecord(of: user)?.lastSeenMs else { return }
        let pause = isOffline ? CoreLimits.lastSeenAtEndMs : CoreLimits.lastSeenWhileOnlineMs
        guard timeMs >= known + pause else { return }
        try ledger.changeUserRecord(of: user) { $0.lastSeenMs = timeMs }
    }

    /// When the account of each of `users` was made, and when the user was last seen; nil for a
    /// user that is not an account.
    package static func times(
        of users: [UserID], app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [(createdMs: Int64, lastSeenMs: Int64)?] {
        var keys = KeyList()
        for user in users {
            Tables.userRecords.add(app.partition(of: user), OnlyKey(), to: &keys)
        }
        return try Tables.userRecords.records(keys, in: transaction).map { record in
            record.map { ($0.createdMs, $0.lastSeenMs) }
        }
    }
}
