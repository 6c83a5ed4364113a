package import RelationModel
import Storage

/// The applications of a user that have ended, as its own records had them: a limited number of the
/// latest, for a limited time.
///
/// A record that its owner had taken off its list does not get into the history.
package enum ApplicationHistory {
    /// Puts a record into its owner's history, and removes records that are too old or too many.
    ///
    /// Each record that comes removes only a few, so that no call pays for the past of others.
    static func append(
        _ record: PendencyRecord, at key: HandledKey, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        try Tables.handledApplications.set(
            record, at: ledger.partition(of: owner), key, in: ledger.transaction)
        try ledger.changeUserRecord(of: owner) { userRecord in
            userRecord.handledCount += 1
            if userRecord.oldestHandledMs == 0 || userRecord.oldestHandledMs > key.timeMs {
                userRecord.oldestHandledMs = key.timeMs
            }
        }
        let horizon = horizonMs(at: ledger.now)
        guard let userRecord = try ledger.userRecord(of: owner) else { return }
        var excess = Int(userRecord.handledCount) - Limits.handledApplications
        guard excess > 0 || userRecord.oldestHandledMs <= horizon else { return }
        try remove(of: owner, limit: Limits.handledApplicationsForgotten, in: ledger) { key in
            defer { excess -= 1 }
            return excess > 0 || key.timeMs <= horizon
        }
    }

    /// Removes up to `limit` rows, the oldest first, as long as `goes` returns true.
    private static func remove(
        of owner: UserID, limit: Int, in ledger: Ledger, while goes: (HandledKey) -> Bool
    ) throws(StorageError) {
        let table = Tables.handledApplications
        let partition = ledger.partition(of: owner)
        var gone: [HandledKey] = []
        var oldest: Int64 = 0
        try table.scan(table.all(of: partition), limit: limit + 1, in: ledger.transaction) {
            key, _ in
            if gone.count < limit, goes(key) {
                gone.append(key)
                return .more
            }
            oldest = key.timeMs
            return .stop
        }
        for key in gone { table.remove(partition, key, in: ledger.transaction) }
        try ledger.changeUserRecord(of: owner) { userRecord in
            userRecord.handledCount.decrease(by: gone.count)
            userRecord.oldestHandledMs = oldest
        }
    }

    /// The row keys of `owner`'s history that may still be seen, the oldest first.
    package static func keys(
        of owner: UserID, at now: Timestamp, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [HandledKey] {
        let table = Tables.handledApplications
        var keys: [HandledKey] = []
        let range = table.rows(of: app.partition(of: owner), from: horizonMs(at: now) + 1)
        try table.scan(range, limit: Limits.handledApplications, in: transaction) { key, _ in
            keys.append(key)
            return .more
        }
        return keys
    }

    /// The users with whom an application of `user`, or to it, ended as refused after `time`.
    package static func refused(
        of user: UserID, after time: Timestamp, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Set<UserID> {
        let table = Tables.handledApplications
        var users: Set<UserID> = []
        let range = table.rows(of: app.partition(of: user), from: time.milliseconds + 1)
        try table.scan(range, limit: Limits.handledApplications, in: transaction) { key, _ in
            if key.status == .refused { users.insert(key.user) }
            return .more
        }
        return users
    }

    /// Whether `asked` refused an application of `applicant` after `timeMs`, as far as the history
    /// of either goes back.
    static func refuses(
        _ applicant: UserID, to asked: UserID, after timeMs: Int64, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let table = Tables.handledApplications
        let sides = [(asked, PendencyType.comeIn, applicant), (applicant, .sendOut, asked)]
        for (owner, type, other) in sides {
            var found = false
            let range = table.rows(of: ledger.partition(of: owner), from: timeMs + 1)
            try table.scan(range, limit: .max, in: ledger.transaction) { key, _ in
                found = key.status == .refused && key.type == type && key.user == other
                return found ? .stop : .more
            }
            if found { return true }
        }
        return false
    }

    /// Applications that ended at this time or earlier are no longer shown.
    static func horizonMs(at now: Timestamp) -> Int64 {
        now.milliseconds - Limits.handledApplicationMilliseconds
    }
}
