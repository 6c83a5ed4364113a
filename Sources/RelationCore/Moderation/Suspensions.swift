package import RelationModel
package import Storage

/// Rules over suspensions: what users may not do, until a time or until that is taken back.
///
/// The suspension is a row of its user. Level and end stand in the user record too, which every
/// write reads anyway. The app has a row for each, by which they are listed.
package enum Suspensions {
    /// Suspends `user`, or changes its suspension.
    ///
    /// A suspension that holds goes on from its beginning.
    ///
    /// - Parameters:
    ///   - wanted: The suspension; its beginning is not looked at.
    ///   - limit: The suspensions that the app may have.
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/accountNotFound``, ``FriendStatus/invalidParameter`` if the app has as many
    ///   suspensions as it may have.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func suspend(
        _ user: UserID, _ wanted: SuspensionRecord, in ledger: Ledger,
        limit: Int = Limits.suspensions
    ) throws(StorageError) -> FriendOutcome {
        guard try Accounts.ensureExists(user, in: ledger) else {
            return Outcome(.accountNotFound, Reason.AccountSuspend.accountNotExist)
        }
        let old = try record(of: user, app: ledger.app, in: ledger.transaction)
        var record = wanted
        record.startTimeMs = ledger.now.milliseconds
        if let old, old.isActive(at: ledger.now) {
            record.startTimeMs = old.startTimeMs
            guard old != record else { return .unchanged }
        }
        if old == nil {
            let count = try count(of: ledger.app, in: ledger.transaction)
            guard count < limit else {
                return Outcome(.invalidParameter, Reason.AccountSuspend.full)
            }
        }
        try write(record, of: user, in: ledger)
        return .success
    }

    /// Takes the suspension of `user` back, if it has one that holds.
    ///
    /// - Returns: ``FriendStatus/success``, or ``FriendStatus/accountNotFound``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func reinstate(
        _ user: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        guard try Accounts.ensureExists(user, in: ledger) else {
            return Outcome(.accountNotFound, Reason.AccountSuspend.accountNotExist)
        }
        let old = try record(of: user, app: ledger.app, in: ledger.transaction)
        guard let old, old.isActive(at: ledger.now) else { return .unchanged }
        try remove(of: user, in: ledger)
        try notify(user, SuspensionRecord(), in: ledger)
        return .success
    }

    // MARK: Reading

    /// The suspension of `user`, whether it holds or has ended; nil if there is none.
    package static func record(
        of user: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> SuspensionRecord? {
        try Tables.suspensions.record(app.partition(of: user), OnlyKey(), in: transaction)
    }

    /// The suspensions of the app, those included that ended and were not removed yet.
    package static func count(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64 {
        try Tables.suspensionCounts.record(app.suspensions, OnlyKey(), in: transaction)?.count ?? 0
    }

    /// A suspended user.
    package struct Listed {
        package let user: UserID
        package let record: SuspensionRecord
    }

    /// The first `limit` suspensions after `user`, in the order of the users' ids, without those
    /// that ended; and the last user that was looked at, if there are more.
    package static func page(
        of app: App, after user: UserID?, limit: Int, at now: Timestamp,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> (rows: [Listed], next: UserID?) {
        var users: [UserID] = []
        let table = Tables.suspendedUsers
        let range =
            user.map { table.rows(of: app.suspensions, after: $0) }
            ?? table.all(of: app.suspensions)
        try table.scan(range, limit: limit + 1, in: transaction) { user, _ in
            users.append(user)
            return .more
        }
        let shown = users.prefix(limit)
        var keys = KeyList()
        for user in shown { Tables.suspensions.add(app.partition(of: user), OnlyKey(), to: &keys) }
        let records = try Tables.suspensions.records(keys, in: transaction)
        let rows = zip(shown, records).compactMap { user, record -> Listed? in
            guard let record, record.isActive(at: now) else { return nil }
            return Listed(user: user, record: record)
        }
        return (rows, users.count > limit ? shown.last : nil)
    }

    /// Whether no other user adds or follows `user` now.
    static func isShielded(_ user: UserID, in ledger: Ledger) throws(StorageError) -> Bool {
        try ledger.userRecord(of: user)?.isSuspended(at: ledger.now) ?? false
    }

    /// The level of the suspension of `user`, if that forbids such a call in the user's name.
    ///
    /// An administrator does in the user's name what the user may not, but for reaching out to
    /// others.
    package static func level(
        forbidding action: SuspendedAction, by user: UserID, isAdmin: Bool, in ledger: Ledger
    ) throws(StorageError) -> SuspensionLevel? {
        guard !isAdmin || action == .reach,
            let level = try ledger.userRecord(of: user)?.suspension(at: ledger.now),
            level.forbids(action)
        else { return nil }
        return level
    }

    // MARK: Rows

    /// Writes the suspension of an account, and notifies the user.
    static func write(
        _ record: SuspensionRecord, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let (app, transaction) = (ledger.app, ledger.transaction)
        let table = Tables.suspendedUsers
        if try !table.contains(app.suspensions, user, in: transaction) {
            try table.set(EmptyRecord(), at: app.suspensions, user, in: transaction)
            try changeCount(in: ledger) { $0 += 1 }
        }
        try Tables.suspensions.set(
            record, at: ledger.partition(of: user), OnlyKey(), in: transaction)
        try ledger.changeUserRecord(of: user) { $0.suspensionLevel = record.level }
        try EndIndex.suspensions.move(user, to: record.endTimeMs, in: ledger)
        if record.endTimeMs != 0 { ledger.noteEnd(at: record.endTimeMs) }
        try notify(user, record, in: ledger)
    }

    /// Removes the row of `user` with its index.
    static func remove(of user: UserID, in ledger: Ledger) throws(StorageError) {
        let (app, transaction) = (ledger.app, ledger.transaction)
        guard try Tables.suspendedUsers.contains(app.suspensions, user, in: transaction) else {
            return
        }
        Tables.suspendedUsers.remove(app.suspensions, user, in: transaction)
        try changeCount(in: ledger) { $0.decrease() }
        Tables.suspensions.remove(ledger.partition(of: user), OnlyKey(), in: transaction)
        try EndIndex.suspensions.move(user, to: 0, in: ledger)
        try ledger.changeUserRecord(of: user) { $0.suspensionLevel = .unspecified }
    }

    private static func changeCount(
        in ledger: Ledger, _ change: (inout Int64) -> Void
    ) throws(StorageError) {
        var summary = SuspensionsRecord()
        summary.count = try count(of: ledger.app, in: ledger.transaction)
        change(&summary.count)
        try Tables.suspensionCounts.set(
            summary, at: ledger.app.suspensions, OnlyKey(), in: ledger.transaction)
    }

    private static func notify(
        _ user: UserID, _ record: SuspensionRecord, in ledger: Ledger
    ) throws(StorageError) {
        var item = ChangeItemRecord(about: user)
        item.suspension = record
        item.suspension?.reasonText = ""
        try ledger.notify(user, .suspensionChanged, item)
    }

    // MARK: Keys

    /// Adds the rows that suspending or reinstating `users` reads.
    package static func keys(of users: [UserID], app: App, into keys: inout KeyList) {
        Feed.addState(of: app, to: &keys)
        Tables.suspensionCounts.add(app.suspensions, OnlyKey(), to: &keys)
        for user in users {
            Accounts.keysForNaming(user, app: app, into: &keys)
            Tables.suspensions.add(app.partition(of: user), OnlyKey(), to: &keys)
            Tables.suspendedUsers.add(app.suspensions, user, to: &keys)
        }
    }
}

extension App {
    /// The suspended users of the app, and their number.
    package var suspensions: Partition { Partition(app: id, name: [0x20]) }
    /// The suspended users by the ends of their suspensions.
    package var suspensionEnds: Partition { Partition(app: id, name: [0x21]) }
}
