import Memory
import Protobuf
package import RelationModel
import Storage

/// The rows of friend lists: `owner → friend`, each direction by itself.
package enum Friendship {
    package static func record(
        _ friend: UserID, of owner: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> FriendRecord? {
        try Tables.friends.record(app.partition(of: owner), friend, in: transaction)
    }

    package static func contains(
        _ friend: UserID, of owner: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        try Tables.friends.contains(app.partition(of: owner), friend, in: transaction)
    }

    /// Adds the rows `owner → friend` and `friend → owner`.
    ///
    /// A change of one of them reads the other too, because ``BackReferences`` distinguish them.
    ///
    /// - Parameter bothWays: Whether the rule asks for the second row even if the first stays.
    static func keys(
        between owner: UserID, _ friend: UserID, bothWays: Bool = true, app: App,
        into keys: inout KeyList
    ) {
        Tables.friends.add(app.partition(of: owner), friend, to: &keys)
        let theirs = app.partition(of: friend)
        if app.settings.reportsReverseFriends {
            keys.addPossible { keys in
                ReverseCounts.keysForNoting(friend, app: app, into: &keys)
                ReverseCounts.keysForNoting(owner, app: app, into: &keys)
            }
        }
        guard !bothWays else { return Tables.friends.add(theirs, owner, to: &keys) }
        keys.addPossible { keys in Tables.friends.add(theirs, owner, to: &keys) }
    }

    /// Adds the rows that writing the new row `owner → friend` reads, beside those that the call
    /// knew from its request.
    ///
    /// - Parameter groups: The groups that the row names, if the request did not.
    static func keysForInserting(
        _ friend: UserID, of owner: UserID, groups: [String] = [], in ledger: Ledger,
        into keys: inout KeyList
    ) throws(StorageError) {
        // Most lists have no tombstone, and the user record says so.
        if try ledger.userRecord(of: owner)?.tombstoneCount ?? 0 > 0 {
            Tables.tombstones.add(ledger.partition(of: owner), friend, to: &keys)
        }
        for group in groups {
            Tables.groups.add(ledger.partition(of: owner), GroupName(group), to: &keys)
        }
    }

    /// Whether `owner`'s list has no room for another friend.
    package static func isFull(
        _ owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        Int(try ledger.userRecord(of: owner)?.friendCount ?? 0) >= ledger.limits.friends
    }

    /// Writes the row `owner → friend`, which does not exist yet, and notifies `owner` by an event
    /// of `kind`.
    ///
    /// It makes the groups that do not exist yet.
    ///
    /// - Parameters:
    ///   - isOfBoth: Whether the call writes the reverse row too, which does not exist yet either:
    ///     then nothing has to note that one side lacks its row.
    ///   - isReviewed: Whether the values of the caller are reviewed.
    /// - Precondition: The list has room, and the groups fit.
    package static func insert(
        _ friend: UserID, of owner: UserID, _ values: FriendValues,
        reporting kind: ChangeKind = .addFriend, isOfBoth: Bool = false, isReviewed: Bool = false,
        in ledger: Ledger
    ) throws(StorageError) {
        var row = FriendRecord(friend, values, at: ledger.now)
        // No remark has no time, even if an import gives one.
        if row.remark.isEmpty { row.remarkTimeMs = 0 }
        try ledger.changeUserRecord(of: owner) { $0.friendCount += 1 }
        try write(row, friend, of: owner, leaving: [], reporting: kind, in: ledger)
        try BackReferences.noteMuting(friend, of: owner, from: nil, to: row, in: ledger)
        if !isOfBoth { try BackReferences.friendAdded(friend, of: owner, in: ledger) }
        // Values that are not reviewed end the review of an application's wording.
        let mayHaveReview = try FriendReviews.hasSome(of: owner, in: ledger)
        guard isReviewed || mayHaveReview else { return }
        let plan = try FriendReviews.plan(
            values, from: nil, to: row, friend, of: owner, isReviewed: isReviewed, in: ledger)
        try FriendReviews.carryOut(plan, friend, of: owner, in: ledger)
    }

    /// Writes the row `owner → friend` of an import as it is, and notifies `owner` that its list
    /// has changed.
    ///
    /// - Parameter reviews: The reviews of its fields.
    /// - Precondition: There is no such row, and the groups that it names exist.
    static func restore(
        _ row: FriendRecord, _ friend: UserID, of owner: UserID, with reviews: [ReviewRecord],
        in ledger: Ledger
    ) throws(StorageError) {
        var row = row
        row.sequence = 0
        try ledger.changeUserRecord(of: owner) { $0.friendCount += 1 }
        try write(row, friend, of: owner, leaving: [], reporting: .listChanged, in: ledger)
        try BackReferences.noteMuting(friend, of: owner, from: nil, to: row, in: ledger)
        try BackReferences.friendAdded(friend, of: owner, in: ledger)
        try FriendReviews.restore(reviews, friend, of: owner, in: ledger)
    }

    /// Writes the row `owner → friend` as it was before it was removed, and notifies `owner` that
    /// the friend was added.
    ///
    /// It makes the groups that do not exist any more. Reviews do not come back.
    ///
    /// - Parameter isOfBoth: Whether the call writes the reverse row too, which does not exist
    ///   either.
    /// - Precondition: The list has room, and the groups fit.
    static func bringBack(
        _ row: FriendRecord, _ friend: UserID, of owner: UserID, isOfBoth: Bool, in ledger: Ledger
    ) throws(StorageError) {
        var row = row
        row.sequence = 0
        try ledger.changeUserRecord(of: owner) { $0.friendCount += 1 }
        try write(row, friend, of: owner, leaving: [], reporting: .addFriend, in: ledger)
        try BackReferences.noteMuting(friend, of: owner, from: nil, to: row, in: ledger)
        if !isOfBoth { try BackReferences.friendAdded(friend, of: owner, in: ledger) }
    }

    /// Writes the row `owner → friend`, which exists, as it was before it was changed.
    ///
    /// Texts that come back are not reviewed, and end the reviews of those that they replace. Other
    /// reviews stay: no text that waits for a moderator may stay in the row without one.
    ///
    /// - Precondition: The groups fit.
    static func revert(
        to earlier: FriendRecord, _ friend: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let old = try record(friend, of: owner, app: ledger.app, in: ledger.transaction)
        guard let old else { return }
        var row = earlier
        row.sequence = old.sequence
        var values = FriendValues()
        if !row.remark.isExactly(old.remark) { values.remark = row.remark }
        if !row.wording.isExactly(old.wording) { values.wording = row.wording }
        values.custom = (old.custom + row.custom).filter {
            old.custom.value(of: $0.key) != row.custom.value(of: $0.key)
        }
        let plan = try FriendReviews.plan(
            values, from: old, to: row, friend, of: owner, isReviewed: false, in: ledger)
        try change(old, to: row, friend, of: owner, reporting: .friendChange, in: ledger)
        try FriendReviews.carryOut(plan, friend, of: owner, in: ledger)
    }

    /// Writes the row `owner → friend` with values that a call changed; `old` is the stored row.
    static func change(
        _ old: FriendRecord, to row: FriendRecord, _ friend: UserID, of owner: UserID,
        reporting kind: ChangeKind, in ledger: Ledger
    ) throws(StorageError) {
        try write(row, friend, of: owner, leaving: old.groups, reporting: kind, in: ledger)
        try BackReferences.noteMuting(friend, of: owner, from: old, to: row, in: ledger)
    }

    /// Writes a changed row with the sequence of the event that notifies its owner of the change.
    ///
    /// No other function writes rows of friends: every change of a row, of its groups too, goes
    /// through this one, so that the list's versions stay complete.
    ///
    /// - Parameter groups: The groups that the stored row names, if the friend is to move from them
    ///   to those of `row`. Nil leaves groups and their members alone.
    /// - Precondition: `row.sequence` is the sequence of the stored row, or 0 if the row is new.
    package static func write(
        _ row: FriendRecord, _ friend: UserID, of owner: UserID, leaving groups: [String]? = nil,
        reporting kind: ChangeKind, in ledger: Ledger
    ) throws(StorageError) {
        let hasMoved =
            try groups.map { (groups) throws(StorageError) in
                try Groups.move(friend, of: owner, from: groups, to: row.groups, in: ledger)
            } ?? false
        var row = row
        let old = row.sequence
        let bytes = bytes(toReport: kind, of: row, friend)
        row.sequence = try ledger.sequence(of: kind, for: owner, adding: bytes)
        if hasMoved { try ledger.noteGroups(of: owner, at: row.sequence) }
        try FriendVersions.note(friend, of: owner, from: old, to: row.sequence, in: ledger)
        let output = try Tables.friends.encoded(row, in: ledger.transaction)
        try Tables.friends.set(
            encoded: output.bytes, at: ledger.partition(of: owner), friend, in: ledger.transaction)
        switch kind {
        case .listChanged:
            // An event about the whole list names no rows: its receiver asks for the changes.
            break
        case .groupCreated, .groupDeleted, .groupRenamed, .groupMembersChanged:
            // The changes of the rows follow from the change of the group.
            let sequence = row.sequence
            try ledger.changeUserRecord(of: owner) {
                $0.friendsSequence = max($0.friendsSequence, sequence)
            }
        default:
            try ledger.notify(owner, kind, of: friend, row: output.bytes)
        }
    }

    /// The bytes that an event of `kind` needs to report the row, whatever its sequence becomes.
    private static func bytes(
        toReport kind: ChangeKind, of row: FriendRecord, _ friend: UserID
    ) -> Int {
        switch kind {
        case .listChanged: return 0
        case .groupCreated, .groupDeleted, .groupRenamed, .groupMembersChanged:
            return Ledger.bytes(ofGroupMoving: friend)
        default:
            return Ledger.bytes(ofFriend: friend, row: row.bytesBound)
        }
    }

    /// Removes the rows `owner → friend` and `friend → owner`, as far as they exist.
    ///
    /// - Returns: Whether there was each of them.
    package static func removeBoth(
        _ friend: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> (mine: Bool, theirs: Bool) {
        let (app, transaction) = (ledger.app, ledger.transaction)
        let mine = try contains(friend, of: owner, app: app, in: transaction)
        let theirs = try contains(owner, of: friend, app: app, in: transaction)
        let isOfBoth = mine && theirs
        if mine { try remove(friend, of: owner, isOfBoth: isOfBoth, in: ledger) }
        if theirs { try remove(owner, of: friend, isOfBoth: isOfBoth, in: ledger) }
        return (mine, theirs)
    }

    /// Removes the row `owner → friend`, with its remark, its groups and its reviews, and notifies
    /// `owner`.
    ///
    /// - Parameter isOfBoth: Whether the call removes the reverse row too, which exists.
    /// - Returns: Whether there was such a row.
    @discardableResult
    package static func remove(
        _ friend: UserID, of owner: UserID, isOfBoth: Bool = false, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let row = try record(friend, of: owner, app: ledger.app, in: ledger.transaction)
        guard let row else { return false }
        let partition = ledger.partition(of: owner)
        let hasMoved = try Groups.move(
            friend, of: owner, from: row.groups, to: [], in: ledger)
        let sequence = try ledger.sequence(
            of: .deleteFriend, for: owner, adding: Ledger.bytes(ofFriend: friend, row: 0))
        if hasMoved { try ledger.noteGroups(of: owner, at: sequence) }
        Tables.friends.remove(partition, friend, in: ledger.transaction)
        try FriendVersions.noteRemoval(friend, of: owner, at: sequence, in: ledger)
        try BackReferences.noteMuting(friend, of: owner, from: row, to: nil, in: ledger)
        if !isOfBoth { try BackReferences.friendRemoved(friend, of: owner, in: ledger) }
        try ledger.changeUserRecord(of: owner) { $0.friendCount.decrease() }
        try ledger.notify(owner, .deleteFriend, of: friend, row: nil)
        try FriendReviews.end(friend, of: owner, in: ledger)
        return true
    }
}
