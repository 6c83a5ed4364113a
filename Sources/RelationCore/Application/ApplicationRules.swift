package import RelationModel
import Storage

/// Rules over friend applications.
package enum ApplicationRules {
    /// One answer to an application, as the caller wrote it.
    package struct Answer: Equatable {
        package let applicant: UserID
        package let type: FriendResponseType
        /// The remark, the groups and the custom values of the applicant in the responder's list.
        package var values = FriendValues()
        /// The id of the application that the caller means; empty for whichever waits.
        package var applicationID = ""
        /// Whether the values are reviewed, in an app that reviews some.
        package var isReviewed = true

        package init(to applicant: UserID, _ type: FriendResponseType) {
            self.applicant = applicant
            self.type = type
        }
    }

    /// Answers the application of `answer.applicant` that waits for `responder`.
    ///
    /// To agree puts the responder into the applicant's list. To agree and add also puts the
    /// applicant into the responder's list, with the answer's values. To reject only ends the
    /// application.
    ///
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/accountNotFound``, ``FriendStatus/noApplication``,
    ///   ``FriendStatus/sensitiveText``, ``FriendStatus/selfFriendFull`` if the responder's list
    ///   has no room, ``FriendStatus/theirFriendFull`` if the applicant's has none. The last one is
    ///   ``FriendStatus/invalidParameter`` if the app has no room for a review of a text.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func respond(
        _ answer: Answer, of responder: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        var ladder = NoRungs()
        return try respond(answer, of: responder, noting: &ladder, in: ledger)
    }

    /// ``respond(_:of:in:)``, which notes its rungs, and writes only if `ladder` lets it.
    static func respond(
        _ answer: Answer, of responder: UserID, noting ladder: inout some RungRecorder,
        in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let applicant = answer.applicant
        guard try ladder.passes(.peerAccount, Accounts.ensureExists(applicant, in: ledger)) else {
            return Outcome(.accountNotFound, Reason.FriendResponse.accountNotExist)
        }
        let waiting = try Applications.record(from: applicant, to: responder, in: ledger)
        guard ladder.passes(.waitingApplication, waiting != nil), let application = waiting else {
            return Outcome(.noApplication, Reason.FriendResponse.pendencyNotExist)
        }
        guard
            answer.applicationID.isEmpty
                || ladder.passes(
                    .meantApplication, application.isMeant(by: answer.applicationID))
        else {
            return Outcome(.noApplication, Reason.FriendResponse.applicationChanged)
        }
        guard answer.type != .reject else {
            if ladder.reachesWrite() {
                try Applications.end(from: applicant, to: responder, .refused, in: ledger)
            }
            return .success
        }
        guard !answer.values.areForbidden(by: ledger.settings) else {
            return Outcome(.sensitiveText, Reason.FriendResponse.sensitiveText)
        }
        let missing = try missingRows(for: answer, of: responder, in: ledger)
        _ = ladder.records(.missingRow, missing.mine || missing.theirs)
        if missing.mine,
            try !ladder.passes(.ownFriendRoom, !Friendship.isFull(responder, in: ledger))
        {
            return Outcome(.selfFriendFull, Reason.FriendResponse.selfFriendFull)
        }
        if missing.theirs,
            try !ladder.passes(.peerFriendRoom, !Friendship.isFull(applicant, in: ledger))
        {
            return Outcome(.theirFriendFull, Reason.FriendResponse.peerFriendFull)
        }
        let hasRoom = try FriendReviews.haveRoom(
            for: answer.values, applicant, of: responder,
            isReviewed: missing.mine && answer.isReviewed, in: ledger)
        guard hasRoom else { return Outcome(.invalidParameter, Reason.ReviewDecide.friendsFull) }
        if ladder.reachesWrite() {
            try accept(application, by: answer, missing, of: responder, in: ledger)
        }
        return .success
    }

    /// The rows that agreeing would write.
    private struct MissingRows {
        let mine: Bool
        let theirs: Bool
    }

    private static func missingRows(
        for answer: Answer, of responder: UserID, in ledger: Ledger
    ) throws(StorageError) -> MissingRows {
        let (app, transaction) = (ledger.app, ledger.transaction)
        let applicant = answer.applicant
        return MissingRows(
            mine: answer.type == .agreeAndAdd
                ? try !Friendship.contains(applicant, of: responder, app: app, in: transaction)
                : false,
            theirs: try !Friendship.contains(responder, of: applicant, app: app, in: transaction))
    }

    /// Writes the missing rows, and ends the application.
    private static func accept(
        _ application: PendencyRecord, by answer: Answer, _ missing: MissingRows,
        of responder: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let applicant = answer.applicant
        var keys = KeyList()
        if missing.theirs {
            try Friendship.keysForInserting(
                responder, of: applicant, groups: application.groups, in: ledger, into: &keys)
        }
        if missing.mine {
            try Friendship.keysForInserting(applicant, of: responder, in: ledger, into: &keys)
        }
        try ledger.fetch(keys)
        if missing.theirs {
            let values = try Applications.values(of: application, for: applicant, in: ledger)
            // Its texts are reviewed even beyond the app's limit: this call is not about them.
            try Friendship.insert(
                responder, of: applicant, values, isOfBoth: missing.mine, isReviewed: true,
                in: ledger)
        }
        if missing.mine {
            var values = answer.values
            values.source = application.source
            values.wording = application.wording
            if try !Groups.fit(values.groups ?? [], of: responder, in: ledger) {
                values.groups = nil
            }
            try Friendship.insert(
                applicant, of: responder, values, isOfBoth: missing.theirs,
                isReviewed: answer.isReviewed, in: ledger)
        }
        try Applications.endAnswered(byRowOf: applicant, for: responder, in: ledger)
    }

    // MARK: Deleting, withdrawing, reading

    /// Takes the application with `user` off `owner`'s list, on one side of it.
    ///
    /// The application goes on waiting. If it was sent by the owner, it can still be answered; if
    /// it came in, it is renewed when the applicant adds again.
    ///
    /// - Parameters:
    ///   - type: ``PendencyType/comeIn`` or ``PendencyType/sendOut``.
    ///   - id: The id of the application that the caller means; empty for whichever waits.
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/accountNotFound``, ``FriendStatus/noApplication``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func delete(
        _ type: PendencyType, with user: UserID, of owner: UserID, id: String = "",
        in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        guard try Accounts.ensureExists(user, in: ledger) else {
            return Outcome(.accountNotFound, Reason.PendencyDelete.accountNotExist)
        }
        let application = try Applications.waiting(type, with: user, of: owner, in: ledger)
        guard let application else {
            return Outcome(.noApplication, Reason.PendencyDelete.pendencyNotExist)
        }
        guard application.isMeant(by: id) else {
            return Outcome(.noApplication, Reason.PendencyDelete.applicationChanged)
        }
        try Applications.hide(type, with: user, of: owner, in: ledger)
        return .success
    }

    /// Takes back the application of `applicant` to `asked`, on both sides.
    ///
    /// An application that one side took off its list can be taken back as long as the other side
    /// has it.
    ///
    /// - Parameter id: The id of the application that the caller means; empty for whichever waits.
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/accountNotFound``, ``FriendStatus/noApplication``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func withdraw(
        from asked: UserID, of applicant: UserID, id: String = "", in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        guard try Accounts.ensureExists(asked, in: ledger) else {
            return Outcome(.accountNotFound, Reason.ApplicationWithdraw.accountNotExist)
        }
        let mine = try Applications.waiting(.sendOut, with: asked, of: applicant, in: ledger)
        let theirs = try Applications.record(from: applicant, to: asked, in: ledger)
        guard let application = mine ?? theirs else {
            return Outcome(.noApplication, Reason.ApplicationWithdraw.pendencyNotExist)
        }
        guard application.isMeant(by: id) else {
            return Outcome(.noApplication, Reason.ApplicationWithdraw.applicationChanged)
        }
        try Applications.end(from: applicant, to: asked, .withdrawn, in: ledger)
        return .success
    }

    /// Marks the applications that came in up to `timestampMs`, inclusive, as read, and notifies
    /// the user's devices.
    ///
    /// The mark moves only forward, and not beyond the newest application: one that comes later is
    /// unread, whatever time was reported. If no application becomes read, nothing is written.
    ///
    /// - Returns: The number of unread applications afterwards, and whether any became read.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func report(
        upTo timestampMs: Int64, of user: UserID, in ledger: Ledger
    ) throws(StorageError) -> (unread: Int, changed: Bool) {
        var changed = false
        var userRecord = try ledger.userRecord(of: user) ?? UserRecord()
        let mark = min(timestampMs, userRecord.lastPendencyMs)
        let partition = ledger.partition(of: user)
        if mark > userRecord.readMarkMs, userRecord.unreadCount > 0 {
            var unread: UInt32 = 0
            let table = Tables.pendenciesByTime
            try table.scan(
                table.rows(of: partition, from: mark + 1),
                limit: Int(userRecord.comeInCount) + Int(userRecord.sendOutCount),
                in: ledger.transaction
            ) { row, _ in
                if row.key.type == .comeIn { unread += 1 }
                return .more
            }
            if unread < userRecord.unreadCount {
                userRecord.readMarkMs = mark
                userRecord.unreadCount = unread
                try ledger.changeUserRecord(of: user) { $0 = userRecord }
                var item = ChangeItemRecord()
                item.readTimeMs = mark
                try ledger.notify(user, .pendencyReport, item)
                changed = true
            }
        }
        let counts = try Applications.counts(
            of: userRecord, user, ledger.app, cutoff: ledger.expiryCutoffMs, in: ledger.transaction)
        return (counts.unread, changed)
    }
}

// The rows that each rule reads, so that the engine reads those of a whole call at once.
extension ApplicationRules {
    /// Adds the rows that `answers` read.
    package static func keysForResponding(
        _ answers: [Answer], of responder: UserID, app: App, into keys: inout KeyList
    ) {
        Feed.addState(of: app, to: &keys)
        Reviews.keysForUpdating(app, into: &keys)
        for answer in answers {
            let applicant = answer.applicant
            Accounts.keysForNaming(applicant, app: app, into: &keys)
            Applications.keys(between: responder, applicant, app: app, into: &keys)
            Friendship.keys(between: responder, applicant, app: app, into: &keys)
            for group in answer.values.groups ?? [] {
                Tables.groups.add(app.partition(of: responder), GroupName(group), to: &keys)
            }
        }
    }

    /// Adds the rows that taking the applications with `users` off one side of a list reads.
    package static func keysForDeleting(
        _ type: PendencyType, with users: [UserID], of owner: UserID, app: App,
        into keys: inout KeyList
    ) {
        let theirs: PendencyType = type == .comeIn ? .sendOut : .comeIn
        Feed.addState(of: app, to: &keys)
        for user in users {
            Accounts.keysForNaming(user, app: app, into: &keys)
            Tables.pendencies.add(app.partition(of: owner), PendencyKey(type, user), to: &keys)
            Tables.pendencies.add(app.partition(of: user), PendencyKey(theirs, owner), to: &keys)
        }
    }

    /// Adds the rows that withdrawing the applications to `users` reads.
    package static func keysForWithdrawing(
        from users: [UserID], of applicant: UserID, app: App, into keys: inout KeyList
    ) {
        keysForDeleting(.sendOut, with: users, of: applicant, app: app, into: &keys)
    }

    /// Adds the rows that ``report(upTo:of:in:)`` reads.
    package static func keysForReporting(of user: UserID, app: App, into keys: inout KeyList) {
        Feed.addState(of: app, to: &keys)
    }
}

extension PendencyRecord {
    /// Whether a caller that names the application `id` means this one; any, if it names none.
    fileprivate func isMeant(by id: String) -> Bool {
        id.isEmpty || id.isExactly(applicationID)
    }
}
