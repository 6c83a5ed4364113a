package import RelationModel
import Storage

/// Imports friendships from another system: allow types, blacklists and applications do not hinder
/// it.
package enum FriendImport {
    /// One row of an import.
    package struct Row: Equatable {
        package let owner: UserID
        package let friend: UserID
        package var bothWays = false
        package var values = FriendValues()

        package init(owner: UserID, friend: UserID) {
            self.owner = owner
            self.friend = friend
        }
    }

    /// Writes the row `owner → friend`, and with `bothWays` also the reverse.
    ///
    /// The reverse row gets the times, the source and the wording; remark, groups, marks and custom
    /// values are only for the owner's row.
    ///
    /// A user that gains a friend no longer has an application to it: one that waits ends as
    /// accepted.
    ///
    /// - Parameter notify: Whether each owner is notified of each row, as if the friend had been
    ///   added. Otherwise it is notified that its list has changed.
    /// - Returns: ``FriendStatus/success``, which says whether a row changed, or the first of these
    ///   that applies: ``FriendStatus/invalidParameter`` if the two are the same user,
    ///   ``FriendStatus/accountNotFound``, ``FriendStatus/sensitiveText``,
    ///   ``FriendStatus/selfFriendFull``, ``FriendStatus/theirFriendFull``,
    ///   ``FriendStatus/groupLimit``. A row that is refused has changed nothing.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func write(
        _ row: Row, notify: Bool, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let app = ledger.app
        let transaction = ledger.transaction
        guard row.owner != row.friend else {
            return Outcome(.invalidParameter, Reason.FriendImport.oneself)
        }
        guard try Accounts.ensureExists(row.owner, in: ledger),
            try Accounts.ensureExists(row.friend, in: ledger)
        else {
            return Outcome(.accountNotFound, Reason.FriendImport.accountNotExist)
        }
        guard !row.values.areForbidden(by: ledger.settings) else {
            return Outcome(.sensitiveText, Reason.FriendImport.sensitiveText)
        }
        let mine = try Friendship.record(row.friend, of: row.owner, app: app, in: transaction)
        let theirs =
            try row.bothWays
            ? Friendship.record(row.owner, of: row.friend, app: app, in: transaction) : nil
        if mine == nil, try Friendship.isFull(row.owner, in: ledger) {
            return Outcome(.selfFriendFull, Reason.FriendImport.selfFriendFull)
        }
        if row.bothWays, theirs == nil, try Friendship.isFull(row.friend, in: ledger) {
            return Outcome(.theirFriendFull, Reason.FriendImport.peerFriendFull)
        }
        guard try Groups.fit(row.values.groups ?? [], of: row.owner, in: ledger) else {
            return Outcome(.groupLimit, Reason.FriendImport.groupLimit)
        }

        let isOfBoth = row.bothWays && mine == nil && theirs == nil
        var changed = try writeSide(
            row.friend, of: row.owner, mine, row.values, notify: notify, isOfBoth: isOfBoth,
            in: ledger)
        if row.bothWays {
            var values = row.values
            values.remark = nil
            values.remarkTimeMs = nil
            values.groups = nil
            values.custom = []
            values.starred = nil
            values.pinOrder = nil
            values.muteUntilMs = nil
            values.ignored = nil
            let isOtherChanged = try writeSide(
                row.owner, of: row.friend, theirs, values, notify: notify, isOfBoth: isOfBoth,
                in: ledger)
            changed = changed || isOtherChanged
        }
        return .done(changing: changed)
    }

    /// Writes one side of a row.
    ///
    /// - Returns: Whether it differs from `old`.
    private static func writeSide(
        _ friend: UserID, of owner: UserID, _ old: FriendRecord?, _ values: FriendValues,
        notify: Bool, isOfBoth: Bool, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        guard let old else {
            var keys = KeyList()
            try Friendship.keysForInserting(friend, of: owner, in: ledger, into: &keys)
            try Applications.keysForEndingAnswered(
                byRowOf: owner, for: friend, in: ledger, into: &keys)
            try ledger.fetch(keys)
            try Friendship.insert(
                friend, of: owner, values, reporting: notify ? .addFriend : .listChanged,
                isOfBoth: isOfBoth, in: ledger)
            try Applications.endAnswered(byRowOf: owner, for: friend, in: ledger)
            return true
        }
        var row = old
        row.apply(values, at: ledger.now)
        // The texts of an import are not reviewed, and end the reviews of those before.
        let plan = try FriendReviews.plan(
            values, from: old, to: row, friend, of: owner, isReviewed: false, in: ledger)
        let isChanged = try Tables.friends.differ(row, old, in: ledger.transaction)
        if isChanged {
            let kind = notify ? ChangeKind.friendChange : .listChanged
            try Friendship.change(old, to: row, friend, of: owner, reporting: kind, in: ledger)
        }
        try FriendReviews.carryOut(plan, friend, of: owner, in: ledger)
        return isChanged || plan != nil
    }

    /// Adds the rows that importing `row` reads, so that an engine can fetch them at once.
    package static func keys(for row: Row, app: App, into keys: inout KeyList) {
        let mine = app.partition(of: row.owner)
        Accounts.keysForNaming(row.owner, app: app, into: &keys)
        Accounts.keysForNaming(row.friend, app: app, into: &keys)
        Friendship.keys(
            between: row.owner, row.friend, bothWays: row.bothWays, app: app, into: &keys)
        Feed.addState(of: app, to: &keys)
        Reviews.keysForUpdating(app, into: &keys)
        for group in row.values.groups ?? [] {
            Tables.groups.add(mine, GroupName(group), to: &keys)
        }
    }
}
