package import RelationModel
import Storage

/// The counts of the users that have a user as a friend without being its friends.
///
/// The writes keep them, in apps that report such users. See ``ReverseFriends`` for the list.
package enum ReverseCounts {
    /// How many there are, as the writes have counted them; nil if the app does not let them, or
    /// if there were too many to begin with.
    package static func counted(
        of user: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int? {
        let record = try counter(of: user, app: app, in: transaction)
        return record.flatMap { $0.isKnown ? Int($0.count) : nil }
    }

    /// The counter that the writes keep; nil if the app does not let them, or if no write has come
    /// since it does.
    static func counter(
        of user: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> ReverseCountRecord? {
        guard app.settings.reportsReverseFriends else { return nil }
        let record = try Tables.reverseCounts.record(
            app.partition(of: user), OnlyKey(), in: transaction)
        return record?.epoch == app.settings.reverseEpoch ? record : nil
    }

    /// Corrects the counter after a check that found `rows` of them, by the difference to what it
    /// was when the check began: meanwhile some may have come or gone.
    ///
    /// One that was not known begins with `rows`.
    static func correct(
        of user: UserID, toRows rows: Int64, from counted: Int64?, in ledger: Ledger
    ) throws(StorageError) {
        guard
            var record = try counter(of: user, app: ledger.app, in: ledger.transaction),
            record.isKnown == (counted != nil)
        else { return }
        record.count = counted.map { max(0, record.count + rows - $0) } ?? rows
        record.isKnown = true
        try Tables.reverseCounts.set(
            record, at: ledger.partition(of: user), OnlyKey(), in: ledger.transaction)
    }

    // MARK: Changes

    /// Notes that `owner` is one of them from now on, or no longer is: counts it, and notifies
    /// `user`, if the app reports it.
    ///
    /// The first change of a user after the app has begun to report them counts its rows, which the
    /// call has changed already.
    static func note(
        _ owner: UserID, of user: UserID, isThere: Bool, in ledger: Ledger
    ) throws(StorageError) {
        // An account that is being deleted gets no event.
        guard ledger.settings.reportsReverseFriends, try ledger.userRecord(of: user) != nil
        else { return }
        let partition = ledger.partition(of: user)
        let epoch = ledger.settings.reverseEpoch
        var record = ReverseCountRecord(epoch: epoch)
        if let old = try counter(of: user, app: ledger.app, in: ledger.transaction) {
            record = old
            // A count that was wrong before stays at 0, and a check finds it.
            if record.isKnown { record.count = max(0, record.count + (isThere ? 1 : -1)) }
        } else {
            let rows = try BackReferences.count(
                on: .friends, of: partition, limit: Limits.reverseFriendsCounted + 1,
                in: ledger.transaction)
            record.isKnown = rows <= Limits.reverseFriendsCounted
            record.count = record.isKnown ? Int64(rows) : 0
        }
        try Tables.reverseCounts.set(record, at: partition, OnlyKey(), in: ledger.transaction)
        var item = ChangeItemRecord(about: owner)
        item.reverseFriend = isThere
        try ledger.notify(user, .reverseFriendsChanged, item)
    }

    /// Adds the rows that noting a change for `user` reads.
    static func keysForNoting(_ user: UserID, app: App, into keys: inout KeyList) {
        let partition = app.partition(of: user)
        Tables.userRecords.add(partition, OnlyKey(), to: &keys)
        Tables.reverseCounts.add(partition, OnlyKey(), to: &keys)
    }
}
