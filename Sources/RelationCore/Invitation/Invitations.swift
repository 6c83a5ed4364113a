package import RelationModel
import Storage

/// Rules over invitations: codes with which other users become a user's friends.
///
/// An invitation is one row of its inviter. The app has a row for its id, which says whose it is.
package enum Invitations {
    /// Makes an invitation of `owner`.
    ///
    /// If `owner` has many that have ended, those that ended first leave its list.
    ///
    /// - Parameter record: The invitation, as it begins.
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/sensitiveText``, ``FriendStatus/invalidParameter`` if `owner` has as many
    ///   that are good as the app allows.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func create(
        _ id: InvitationID, _ record: InvitationRecord, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        guard !ledger.settings.forbids(record.text) else {
            return Outcome(.sensitiveText, Reason.InvitationCreate.sensitiveText)
        }
        let rows = try rows(of: owner, app: ledger.app, in: ledger.transaction)
        let now = ledger.now
        let ended = rows.filter { $0.record.current(at: now).state != .active }
            .sorted { ($0.record.goneMs, $0.id.text) < ($1.record.goneMs, $1.id.text) }
        guard rows.count - ended.count < ledger.limits.invitations else {
            return Outcome(.invalidParameter, Reason.InvitationCreate.limit)
        }
        let gone = ended.count { $0.record.isGone(at: now) }
        for row in ended.prefix(max(gone, ended.count - Limits.endedInvitations)) {
            remove(row.id, of: owner, in: ledger)
        }
        try add(id, record, of: owner, in: ledger)
        return .success
    }

    /// Ends the invitation `id` of `owner`, if it is good still.
    ///
    /// - Returns: The invitation afterwards, and whether it changed; nil if `owner` has no such
    ///   one.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func revoke(
        _ id: InvitationID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> (record: InvitationRecord, changed: Bool)? {
        let partition = ledger.partition(of: owner)
        guard var record = try Tables.invitations.record(partition, id, in: ledger.transaction),
            !record.isGone(at: ledger.now)
        else { return nil }
        let seen = record.current(at: ledger.now)
        guard seen.state == .active else { return (seen, false) }
        record.state = .revoked
        record.endTimeMs = ledger.now.milliseconds
        try write(id, record, of: owner, about: nil, in: ledger)
        return (record, true)
    }

    /// A user's wish to use an invitation.
    package struct Acceptance: Equatable {
        package let id: InvitationID
        /// The values that the user's own row of the inviter gets.
        package let values: FriendValues
        /// Whether they are reviewed, in an app that reviews some.
        package let isReviewed: Bool

        package init(_ id: InvitationID, _ values: FriendValues, isReviewed: Bool = true) {
            self.id = id
            self.values = values
            self.isReviewed = isReviewed
        }
    }

    /// Makes `user` and the inviter friends, or sends the inviter an application of `user`, as
    /// ``FriendRules/add(_:to:_:force:in:)`` does.
    ///
    /// The first time that a user uses an invitation which is pre-approved, they become friends
    /// whatever the inviter's allow type is. A user takes one use at most, and takes it only if a
    /// row changes.
    ///
    /// - Parameter found: Gets the inviter of an invitation that may be used.
    /// - Returns: The first of these that applies:
    ///   - ``FriendStatus/invalidParameter`` if the invitation is unknown or revoked, has expired,
    ///     or is used up by other users;
    ///   - ``FriendStatus/addRestricted`` if the inviter is suspended;
    ///   - the outcome of the addition, whose reasons are those of AddFriends.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func accept(
        _ acceptance: Acceptance, by user: UserID, in ledger: Ledger, found: (UserID) -> Void
    ) throws(StorageError) -> FriendOutcome {
        var ladder = NoRungs()
        return try accept(acceptance, by: user, noting: &ladder, in: ledger, found: found)
    }

    /// ``accept(_:by:in:found:)``, which notes its rungs, and writes only if `ladder` lets it.
    static func accept(
        _ acceptance: Acceptance, by user: UserID, noting ladder: inout some RungRecorder,
        in ledger: Ledger, found: (UserID) -> Void
    ) throws(StorageError) -> FriendOutcome {
        let id = acceptance.id
        let known = try open(id, in: ledger)
        guard ladder.passes(.invitation, known != nil), let (inviter, record) = known else {
            return Outcome(.invalidParameter, Reason.InvitationAccept.notFound)
        }
        guard ladder.passes(.invitationTime, record.expireTimeMs > ledger.now.milliseconds) else {
            return Outcome(.invalidParameter, Reason.InvitationAccept.expired)
        }
        let use = InvitationUse(expireMs: record.expireTimeMs, id: id)
        var item = FriendItem(user: inviter)
        item.values = acceptance.values
        item.isReviewed = acceptance.isReviewed
        var keys = KeyList()
        Tables.invitationUses.add(ledger.partition(of: user), use, to: &keys)
        FriendRules.keysForAdding([item], to: user, app: ledger.app, into: &keys)
        try ledger.fetch(keys)
        let hasUsed = try InvitationUses.contains(use, of: user, in: ledger)
        guard ladder.passes(.invitationUses, record.state == .active || hasUsed) else {
            return Outcome(.invalidParameter, Reason.InvitationAccept.usedUp)
        }
        found(inviter)
        guard try ladder.passes(.inviterSuspension, !Suspensions.isShielded(inviter, in: ledger))
        else {
            return Outcome(.addRestricted, Reason.Suspended.invitationAccept)
        }
        let outcome = try FriendRules.add(
            item, to: user, .both, force: record.preApproved && !hasUsed, noting: &ladder,
            in: ledger)
        guard outcome.changed, !hasUsed, !ladder.isExplaining else { return outcome }
        try InvitationUses.add(use, of: user, in: ledger)
        try count(record, id, of: inviter, by: user, in: ledger)
        return outcome
    }

    /// The invitation `id` with its inviter, unless it was revoked; nil if there is none.
    private static func open(
        _ id: InvitationID, in ledger: Ledger
    ) throws(StorageError) -> (inviter: UserID, record: InvitationRecord)? {
        let owner = try owner(of: id, app: ledger.app, in: ledger.transaction)
        guard let inviter = owner else { return nil }
        var rowKey = KeyList()
        Tables.invitations.add(ledger.partition(of: inviter), id, to: &rowKey)
        try ledger.fetch(rowKey)
        let row = try Tables.invitations.record(
            ledger.partition(of: inviter), id, in: ledger.transaction)
        guard let record = row, record.state != .revoked else { return nil }
        return (inviter, record)
    }

    /// Counts a use of an invitation that is good.
    private static func count(
        _ record: InvitationRecord, _ id: InvitationID, of inviter: UserID, by user: UserID,
        in ledger: Ledger
    ) throws(StorageError) {
        var record = record
        record.useCount += 1
        if record.useCount >= record.maxUses {
            record.state = .usedUp
            record.endTimeMs = ledger.now.milliseconds
        }
        try write(id, record, of: inviter, about: user, in: ledger)
    }

    // MARK: Reading

    /// The user that made the invitation `id`; nil if there is none.
    package static func owner(
        of id: InvitationID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> UserID? {
        try Tables.invitationIDs.record(app.invitationIDs, id, in: transaction).map {
            UserID(stored: $0.userID)
        }
    }

    /// The invitations of `owner` that calls show at `now`, the latest first.
    package static func list(
        of owner: UserID, at now: Timestamp, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [InvitationRecord] {
        try rows(of: owner, app: app, in: transaction).map(\.record)
            .filter { !$0.isGone(at: now) }
            .map { $0.current(at: now) }
            .sorted { one, other in
                (other.createTimeMs, one.invitationID) < (one.createTimeMs, other.invitationID)
            }
    }

    /// An invitation as a user sees it that holds its code.
    package struct Preview {
        package let inviter: UserID
        package let record: InvitationRecord
        package let profile: ProfileRecord
        /// Whether the inviter is suspended, so that no user may use the invitation.
        package let isSuspended: Bool
    }

    /// The invitation `id` at `now`; nil if there is none, if it was revoked, or if its inviter
    /// is no longer an account.
    package static func preview(
        _ id: InvitationID, at now: Timestamp, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Preview? {
        guard let inviter = try owner(of: id, app: app, in: transaction) else { return nil }
        let partition = app.partition(of: inviter)
        guard let record = try Tables.invitations.record(partition, id, in: transaction),
            record.state != .revoked, !record.isGone(at: now),
            let userRecord = try Tables.userRecords.record(partition, OnlyKey(), in: transaction)
        else { return nil }
        var seen = record.current(at: now)
        // As for a use, the end by time comes first: after it, no one uses the invitation again.
        if record.expireTimeMs <= now.milliseconds { seen.state = .expired }
        return Preview(
            inviter: inviter, record: seen,
            profile: try Profiles.record(of: inviter, app: app, in: transaction),
            isSuspended: userRecord.isSuspended(at: now))
    }

    // MARK: Rows

    static func rows(
        of owner: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [(id: InvitationID, record: InvitationRecord)] {
        let table = Tables.invitations
        var rows: [(id: InvitationID, record: InvitationRecord)] = []
        var isBroken = false
        try table.scan(
            table.all(of: app.partition(of: owner)), limit: .max, in: transaction
        ) { id, bytes in
            guard let record = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            rows.append((id, record))
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "the row of an invitation does not decode") }
        return rows
    }

    /// Writes an invitation that `owner` does not have yet, and notifies it.
    static func add(
        _ id: InvitationID, _ record: InvitationRecord, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        var row = InvitationOwnerRecord()
        row.userID = owner.text
        try Tables.invitationIDs.set(row, at: ledger.app.invitationIDs, id, in: ledger.transaction)
        try write(id, record, of: owner, about: nil, in: ledger)
    }

    /// Writes an invitation of `owner`, and notifies it.
    ///
    /// - Parameter user: The user that used the invitation, if one did.
    private static func write(
        _ id: InvitationID, _ record: InvitationRecord, of owner: UserID, about user: UserID?,
        in ledger: Ledger
    ) throws(StorageError) {
        try Tables.invitations.set(
            record, at: ledger.partition(of: owner), id, in: ledger.transaction)
        try InvitationExpiry.note(record.goneMs, of: owner, in: ledger)
        var item = ChangeItemRecord()
        item.userID = user?.text ?? ""
        item.invitation = record
        try ledger.notify(owner, .invitationChanged, item)
    }

    static func remove(_ id: InvitationID, of owner: UserID, in ledger: Ledger) {
        Tables.invitations.remove(ledger.partition(of: owner), id, in: ledger.transaction)
        Tables.invitationIDs.remove(ledger.app.invitationIDs, id, in: ledger.transaction)
    }
}

// The rows that each rule reads, so that the engine reads those of a whole call at once.
extension Invitations {
    /// Adds the rows that making an invitation reads; its inviter's list is scanned besides.
    package static func keysForCreating(app: App, into keys: inout KeyList) {
        Feed.addState(of: app, to: &keys)
    }

    /// Adds the rows that revoking the invitation `id` of `owner` reads.
    package static func keysForRevoking(
        _ id: InvitationID, of owner: UserID, app: App, into keys: inout KeyList
    ) {
        Feed.addState(of: app, to: &keys)
        Tables.invitations.add(app.partition(of: owner), id, to: &keys)
    }

    /// Adds the rows that using the invitation `id` reads first; they lead to the others.
    package static func keysForAccepting(
        _ id: InvitationID, app: App, into keys: inout KeyList
    ) {
        Feed.addState(of: app, to: &keys)
        Tables.invitationIDs.add(app.invitationIDs, id, to: &keys)
    }
}
