package import RelationModel
import Storage

/// Rules over custom statuses: a text of a user beside its presence.
///
/// A status is a row of its user. One that has ended is there until the user sets another one, and
/// every reader ignores it. Others get it with the presence, by the rules of ``PresenceRules`` and
/// ``ProfileSubscribers``.
package enum Statuses {
    /// Sets the status of `user`, or clears it if the text is empty.
    ///
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/invalidParameter`` if the text is too long, ``FriendStatus/sensitiveText``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func set(
        _ status: StatusRecord, of user: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        guard ledger.limits.status.allows(status.text) else {
            return Outcome(.invalidParameter, Reason.StatusSet.textIllegal)
        }
        guard !ledger.settings.forbids(status.text) else {
            return Outcome(.sensitiveText, Reason.StatusSet.sensitiveText)
        }
        let old = try Tables.statuses.record(
            ledger.partition(of: user), OnlyKey(), in: ledger.transaction)
        let new = status.text.isEmpty ? nil : status
        guard old != new else { return .unchanged }
        try write(new, of: user, in: ledger)
        return .success
    }

    /// Writes the row of `user`, or removes it, and notifies the user.
    static func write(
        _ status: StatusRecord?, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: user)
        if let status {
            try Tables.statuses.set(status, at: partition, OnlyKey(), in: ledger.transaction)
        } else {
            Tables.statuses.remove(partition, OnlyKey(), in: ledger.transaction)
        }
        try ledger.changeUserRecord(of: user) { $0.lacksStatus = status == nil }
        var item = ChangeItemRecord(about: user)
        item.status = status ?? StatusRecord()
        try ledger.notify(user, .statusChanged, item)
    }

    /// The status of each of `users`; nil if there is none, or if it has ended.
    package static func records(
        of users: [UserID], at now: Timestamp, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [StatusRecord?] {
        guard !users.isEmpty else { return [] }
        var keys = KeyList()
        for user in users {
            Tables.statuses.add(app.partition(of: user), OnlyKey(), to: &keys)
        }
        return try Tables.statuses.records(keys, in: transaction).map { record in
            record.flatMap { $0.isActive(at: now) ? $0 : nil }
        }
    }

    /// The status of each of `users`, whose user records a reader has; nil if there is none, if it
    /// has ended, or if the user is not an account.
    package static func records(
        of users: [UserID], with userRecords: [UserRecord?], at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [StatusRecord?] {
        let asked = users.indices.filter { userRecords[$0]?.lacksStatus == false }
        var statuses = [StatusRecord?](repeating: nil, count: users.count)
        let found = try records(
            of: asked.map { users[$0] }, at: now, app: app, in: transaction)
        for (index, status) in zip(asked, found) { statuses[index] = status }
        return statuses
    }

    /// Adds the rows that setting the status of `user` reads.
    package static func keysForSetting(_ user: UserID, app: App, into keys: inout KeyList) {
        Feed.addState(of: app, to: &keys)
        Tables.statuses.add(app.partition(of: user), OnlyKey(), to: &keys)
    }
}
