package import RelationModel
import Storage

/// Rules over dismissed suggestions: users that a user does not want to be suggested any more.
///
/// A dismissal is a row of its owner, which the owner's record counts. The other user has the owner
/// in an index, so that the deletion of its account finds the row. Events report the list of
/// dismissals; suggestions themselves are computed by each call, and have none.
package enum Dismissals {
    /// Dismisses `user` for `owner`.
    ///
    /// It changes nothing if `owner` has dismissed `user` already, and the limit is not looked at
    /// then.
    ///
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/invalidParameter`` if the two are the same user,
    ///   ``FriendStatus/accountNotFound``, ``FriendStatus/invalidParameter`` if `owner` has
    ///   dismissed as many users as the app allows.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func dismiss(
        _ user: UserID, for owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        guard user != owner else {
            return Outcome(.invalidParameter, Reason.SuggestionDismiss.oneself)
        }
        guard try Accounts.ensureExists(user, in: ledger) else {
            return Outcome(.accountNotFound, Reason.SuggestionDismiss.accountNotExist)
        }
        guard try !contains(user, of: owner, in: ledger) else { return .unchanged }
        let count = Int(try ledger.userRecord(of: owner)?.dismissalCount ?? 0)
        guard count < ledger.limits.dismissedSuggestions else {
            return Outcome(.invalidParameter, Reason.SuggestionDismiss.full)
        }
        try insert(
            DismissalRecord(user, at: ledger.now.milliseconds), user, of: owner, in: ledger)
        return .success
    }

    /// Takes the dismissal of `user` by `owner` back; it is not an error if there is none.
    ///
    /// It does not check whether `user` is an account.
    ///
    /// - Returns: ``FriendStatus/success``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func restore(
        _ user: UserID, for owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        .done(changing: try remove(user, of: owner, in: ledger))
    }

    // MARK: Rows

    /// Writes a new dismissal with its index, and notifies its owner.
    ///
    /// - Precondition: There is no such row.
    static func insert(
        _ record: DismissalRecord, _ user: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        try Tables.dismissals.set(
            record, at: ledger.partition(of: owner), user, in: ledger.transaction)
        try Tables.dismissers.set(
            EmptyRecord(), at: ledger.partition(of: user), owner, in: ledger.transaction)
        try ledger.changeUserRecord(of: owner) { $0.dismissalCount += 1 }
        var item = ChangeItemRecord(about: user)
        item.dismissedSuggestion = record
        try ledger.notify(owner, .dismissalsChanged, item)
    }

    /// Removes a dismissal with its index, and notifies its owner; the two need not be accounts.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    static func remove(
        _ user: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        guard try contains(user, of: owner, in: ledger) else { return false }
        Tables.dismissals.remove(ledger.partition(of: owner), user, in: ledger.transaction)
        Tables.dismissers.remove(ledger.partition(of: user), owner, in: ledger.transaction)
        if try ledger.userRecord(of: owner) != nil {
            try ledger.changeUserRecord(of: owner) { $0.dismissalCount.decrease() }
            try ledger.notify(owner, .dismissalsChanged, ChangeItemRecord(about: user))
        }
        return true
    }

    private static func contains(
        _ user: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        try Tables.dismissals.contains(
            ledger.partition(of: owner), user, in: ledger.transaction)
    }

    // MARK: Reading

    /// All users that `owner` has dismissed.
    static func users(
        of owner: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Set<UserID> {
        var users: Set<UserID> = []
        let table = Tables.dismissals
        try table.scanBytes(
            table.all(of: app.partition(of: owner)), limit: .max, in: transaction
        ) { bytes, _ in
            guard let user = UserID(reading: bytes) else { return nil }
            users.insert(user)
            return .more
        }
        return users
    }

    /// The first `limit` dismissals after that of `last`, in the order of the users' ids.
    package static func page(
        of owner: UserID, after last: UserID?, limit: Int, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [DismissalRecord] {
        let table = Tables.dismissals
        let range = table.rows(of: app.partition(of: owner), after: last)
        var records: [DismissalRecord] = []
        var isBroken = false
        try table.scan(range, limit: limit, in: transaction) { _, bytes in
            guard let record = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            records.append(record)
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "a dismissal does not decode") }
        return records
    }

    // MARK: Keys

    /// Adds the rows that dismissing `users` for `owner` reads.
    package static func keysForDismissing(
        _ users: [UserID], for owner: UserID, app: App, into keys: inout KeyList
    ) {
        for user in users { Accounts.keysForNaming(user, app: app, into: &keys) }
        keysForRestoring(users, for: owner, app: app, into: &keys)
    }

    /// Adds the rows that taking back the dismissals of `users` reads.
    package static func keysForRestoring(
        _ users: [UserID], for owner: UserID, app: App, into keys: inout KeyList
    ) {
        let mine = app.partition(of: owner)
        for user in users { Tables.dismissals.add(mine, user, to: &keys) }
        Feed.addState(of: app, to: &keys)
    }
}

extension Table where TableKey == UserID {
    /// The rows after that of `last`, or all.
    func rows(of partition: Partition, after last: UserID?) -> KeyRange {
        var first = [kind]
        if let last { first += Array(last.text.utf8) + [0] }
        return KeyRange(in: partition, from: first, to: [kind + 1])
    }
}
