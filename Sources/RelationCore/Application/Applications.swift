package import RelationModel
import Storage

/// Friend applications that wait.
///
/// Each has two records: one in the list of the applicant, who sent it out, and one in the list of
/// the asked user, to whom it came in.
///
/// The two records are made together and end together, but each owner may take its own off its
/// list. An application that is older than the app's lifetime of applications no longer waits, even
/// while its records are still there.
package enum Applications {
    /// The application from `applicant` that waits for `asked`, as the asked user's list has it.
    package static func record(
        from applicant: UserID, to asked: UserID, in ledger: Ledger
    ) throws(StorageError) -> PendencyRecord? {
        try waiting(.comeIn, with: applicant, of: asked, in: ledger)
    }

    package static func waits(
        from applicant: UserID, to asked: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        try record(from: applicant, to: asked, in: ledger) != nil
    }

    /// The record of an application that waits, on the side of `owner`.
    package static func waiting(
        _ type: PendencyType, with other: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> PendencyRecord? {
        // Most users that become friends have no application, and the user record says so without a
        // read.
        guard let userRecord = try ledger.userRecord(of: owner), userRecord.count(of: type) > 0
        else { return nil }
        let record = try mine(type, with: other, of: owner, in: ledger)
        return record.flatMap { $0.timeMs > ledger.expiryCutoffMs ? $0 : nil }
    }

    /// Whether `applicant` has sent fewer applications in this window than the app allows.
    private static func maySendNow(
        _ applicant: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let limit = ledger.settings.applicationsPerDay
        guard limit > 0, let userRecord = try ledger.userRecord(of: applicant) else { return true }
        return userRecord.applicationsSent(at: ledger.now, ledger.settings) < limit
    }

    /// Whether fewer applications came in to `asked` in this window than the app allows.
    private static func mayReceiveNow(
        _ asked: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let limit = ledger.settings.applicationsReceivedPerDay
        guard limit > 0, let userRecord = try ledger.userRecord(of: asked) else { return true }
        return userRecord.applicationsReceived(at: ledger.now, ledger.settings) < limit
    }

    /// The reason why a new application of `applicant` to `asked` is one too many or comes too
    /// early; nil if it is not.
    private static func restriction(
        from applicant: UserID, to asked: UserID, noting ladder: inout some RungRecorder,
        in ledger: Ledger
    ) throws(StorageError) -> Reason? {
        guard try ladder.passes(.applicationsSent, maySendNow(applicant, in: ledger)) else {
            return Reason.FriendAdd.restricted
        }
        let cooldown = ledger.settings.applicationCooldownMs
        if cooldown > 0 {
            let isRefused = try ApplicationHistory.refuses(
                applicant, to: asked, after: ledger.now.milliseconds - cooldown, in: ledger)
            guard ladder.passes(.cooldown, !isRefused) else { return Reason.FriendAdd.coolingDown }
        }
        let mayReceive = try mayReceiveNow(asked, in: ledger)
        return ladder.passes(.applicationsReceived, mayReceive)
            ? nil : Reason.FriendAdd.peerRestricted
    }

    /// Makes the application of `applicant` to the user of `addition`, or renews the one that
    /// waits.
    ///
    /// A renewed application gets a new wording, source and time, and is unread again.
    ///
    /// A renewal does not count among the applications that an app allows in a window. It needs no
    /// room in the applicant's list, which counts the application already, even if it is hidden.
    ///
    /// - Parameter isBlocked: Whether the other user has the applicant on its blacklist.
    /// - Returns: The first of these that applies:
    ///   - ``FriendStatus/addRestricted`` if a new application would be one too many in this
    ///     window, of the applicant or to the other user, or comes too early after a refusal;
    ///   - ``FriendStatus/pendencyLimit`` if a list has no room for it;
    ///   - ``FriendStatus/invalidParameter`` if the app has no room for a review of its wording;
    ///   - ``FriendStatus/inOtherSideBlacklist`` if the applicant may learn that;
    ///   - ``FriendStatus/pending`` otherwise.
    static func apply(
        _ addition: FriendItem, from applicant: UserID, isBlocked: Bool,
        noting ladder: inout some RungRecorder, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let asked = addition.user
        let sent = try mine(.sendOut, with: asked, of: applicant, in: ledger)
        let received = try mine(.comeIn, with: applicant, of: asked, in: ledger)
        let cutoff = ledger.expiryCutoffMs
        let isOver = [sent, received].contains { $0.map { $0.timeMs <= cutoff } ?? false }
        let isNew = sent == nil && received == nil || isOver
        if isNew,
            let reason = try restriction(from: applicant, to: asked, noting: &ladder, in: ledger)
        {
            return Outcome(.addRestricted, reason)
        }
        let limit = FriendOutcome(.pendencyLimit, Reason.FriendAdd.pendencyLimit)
        if isNew,
            try !ladder.passes(.ownApplicationRoom, !isFull(.sendOut, applicant, in: ledger))
        {
            return limit
        }
        if received == nil || isOver,
            try !ladder.passes(.peerApplicationRoom, !isFull(.comeIn, asked, in: ledger))
        {
            return limit
        }
        let former = try FriendReviews.wording(
            before: addition, isOver ? nil : sent ?? received, of: applicant, in: ledger)
        let plan = try FriendReviews.plan(
            wordingOf: addition, over: former, of: applicant, in: ledger)
        guard try Reviews.haveRoom(for: plan?.growth ?? 0, in: ledger) else {
            return Outcome(.invalidParameter, Reason.ReviewDecide.friendsFull)
        }
        guard ladder.passes(block: isBlocked, .last, in: ledger) else { return .blocked }
        if ladder.reachesWrite() {
            if isOver { try end(from: applicant, to: asked, .expired, in: ledger) }
            try write(
                addition, from: applicant, replacing: isOver ? nil : sent,
                isOver ? nil : received, over: former, in: ledger)
        }
        return Outcome(.pending, Reason.FriendAdd.needConfirm, changed: true)
    }

    /// Writes the records of a new application, or of one that waits and is renewed.
    ///
    /// - Parameters:
    ///   - sent: The record in the applicant's list, if the application waits.
    ///   - received: The record in the asked user's list, if it does.
    ///   - former: The wording before, if wordings are reviewed.
    private static func write(
        _ addition: FriendItem, from applicant: UserID, replacing sent: PendencyRecord?,
        _ received: PendencyRecord?, over former: String, in ledger: Ledger
    ) throws(StorageError) {
        let asked = addition.user
        let isNew = sent == nil && received == nil
        let plan = try FriendReviews.plan(
            wordingOf: addition, over: former, of: applicant, in: ledger)
        var record = PendencyRecord()
        record.apply(addition.values)
        // Times in one list are unique, so that a page can begin after any of them. Both lists get
        // the same time, so that both sides expire at once.
        record.timeMs = ledger.now.milliseconds
        for user in [applicant, asked] {
            record.timeMs = max(
                record.timeMs, try (ledger.userRecord(of: user)?.lastPendencyMs ?? 0) + 1)
        }
        // The sequence of this event makes the id unique among all of the applicant's, forever.
        let former = try ledger.userRecord(of: applicant)?.formerSequence ?? 0
        let sequence = try former + ledger.sequence(of: .addFriendRequest, for: applicant)
        record.applicationID =
            sent?.applicationID ?? received?.applicationID
            ?? "\(applicant.text)#\(sequence)#\(asked.text)"
        if isNew {
            let window = ledger.now.window(ofMs: ledger.settings.applicationsWindowMs)
            try ledger.changeUserRecord(of: applicant) { $0.countSentApplication(in: window) }
        }
        if isNew, ledger.settings.applicationsReceivedPerDay > 0 {
            let window = ledger.now.window(ofMs: ledger.settings.applicationsReceivedWindowMs)
            try ledger.changeUserRecord(of: asked) { $0.countReceivedApplication(in: window) }
        }
        if sent == nil, received != nil {
            try forgetHidden(from: applicant, to: asked, in: ledger)
        } else if sent != nil, received == nil {
            BackReferences.remove(applicant, of: asked, on: .sendOut, in: ledger)
        }
        try write(record, .sendOut, with: asked, of: applicant, replacing: sent, in: ledger)
        try write(record, .comeIn, with: applicant, of: asked, replacing: received, in: ledger)
        try FriendReviews.carryOut(plan, asked, of: applicant, in: ledger)
        if isNew { try RiskMarks.notify(of: applicant, applyingTo: asked, in: ledger) }
    }

    /// Ends the application from `applicant` to `asked`, if there is one, on both sides.
    ///
    /// It moves each record that is still in a list into its owner's history, and notifies that
    /// owner.
    ///
    /// - Parameter status: How it ended; an application that had expired before ends as expired.
    package static func end(
        from applicant: UserID, to asked: UserID, _ status: ApplicationStatus, in ledger: Ledger
    ) throws(StorageError) {
        let sent = try end(.sendOut, with: asked, of: applicant, status, in: ledger)
        let received = try end(.comeIn, with: applicant, of: asked, status, in: ledger)
        if status == .refused, sent || received {
            try RiskMarks.countRefusal(of: applicant, by: asked, in: ledger)
        }
        if received, !sent {
            try forgetHidden(from: applicant, to: asked, in: ledger)
        } else if sent, !received {
            BackReferences.remove(applicant, of: asked, on: .sendOut, in: ledger)
        }
        try FriendReviews.settleWording(asked, of: applicant, in: ledger)
    }

    /// Ends as accepted the applications that the new row `owner → friend` answers.
    ///
    /// They are the owner's application, and the friend's too if the friend has the owner: two
    /// users that have each other as friends have nothing left to ask for.
    package static func endAnswered(
        byRowOf owner: UserID, for friend: UserID, in ledger: Ledger
    ) throws(StorageError) {
        try end(from: owner, to: friend, .accepted, in: ledger)
        if try Friendship.contains(owner, of: friend, app: ledger.app, in: ledger.transaction) {
            try end(from: friend, to: owner, .accepted, in: ledger)
        }
    }

    /// Adds the records of the applications between `owner` and `other`, in both directions.
    static func keys(
        between owner: UserID, _ other: UserID, app: App, into keys: inout KeyList
    ) {
        let (mine, theirs) = (app.partition(of: owner), app.partition(of: other))
        for type in [PendencyType.comeIn, .sendOut] {
            Tables.pendencies.add(mine, PendencyKey(type, other), to: &keys)
            Tables.pendencies.add(theirs, PendencyKey(type, owner), to: &keys)
        }
    }

    /// Adds the records that ``endAnswered(byRowOf:for:in:)`` reads, if the user records say that
    /// there may be some.
    static func keysForEndingAnswered(
        byRowOf owner: UserID, for friend: UserID, in ledger: Ledger, into keys: inout KeyList
    ) throws(StorageError) {
        let (mine, theirs) = (try ledger.userRecord(of: owner), try ledger.userRecord(of: friend))
        guard mine?.hasApplications ?? false || theirs?.hasApplications ?? false else { return }
        self.keys(between: owner, friend, app: ledger.app, into: &keys)
    }

    /// Takes the record off `owner`'s list and notifies the owner's devices; the application goes
    /// on waiting.
    package static func hide(
        _ type: PendencyType, with other: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        guard let record = try removeRecord(type, with: other, of: owner, in: ledger) else {
            return
        }
        let theirs: PendencyType = type == .comeIn ? .sendOut : .comeIn
        let isGone = try mine(theirs, with: owner, of: other, in: ledger) == nil
        switch (type, isGone) {
        case (.comeIn, true): try forgetHidden(from: other, to: owner, in: ledger)
        case (.comeIn, false): try BackReferences.add(other, of: owner, on: .sendOut, in: ledger)
        case (_, true): BackReferences.remove(owner, of: other, on: .sendOut, in: ledger)
        case (_, false): try noteHidden(from: owner, to: other, in: ledger)
        }
        try notify(owner, .deleteFriendRequest, ChangedApplication(record, type), in: ledger)
        guard isGone else { return }
        let (applicant, asked) = type == .sendOut ? (owner, other) : (other, owner)
        try FriendReviews.settleWording(asked, of: applicant, in: ledger)
    }

    // MARK: Hidden from the applicant

    /// Notes that the applicant took an application that waits off its list.
    ///
    /// It still counts against the limit: otherwise hiding would make room for any number of
    /// others.
    private static func noteHidden(
        from applicant: UserID, to asked: UserID, in ledger: Ledger
    ) throws(StorageError) {
        try BackReferences.add(asked, of: applicant, on: .comeIn, in: ledger)
        try ledger.changeUserRecord(of: applicant) { $0.hiddenSentCount += 1 }
    }

    /// Notes that a hidden application has ended, or is on its applicant's list again.
    private static func forgetHidden(
        from applicant: UserID, to asked: UserID, in ledger: Ledger
    ) throws(StorageError) {
        BackReferences.remove(asked, of: applicant, on: .comeIn, in: ledger)
        // Applications that were hidden before this count existed are not in it.
        guard let userRecord = try ledger.userRecord(of: applicant), userRecord.hiddenSentCount > 0
        else { return }
        try ledger.changeUserRecord(of: applicant) { $0.hiddenSentCount.decrease() }
    }

    /// Notes with the other side that `user`, whose account is being deleted, no longer has the
    /// record at `key`.
    static func forget(
        _ key: PendencyKey, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let other = key.user
        guard key.type == .comeIn else {
            return BackReferences.remove(user, of: other, on: .sendOut, in: ledger)
        }
        let hasHidden = try Tables.mentions.contains(
            ledger.partition(of: other), Mention(.comeIn, user), in: ledger.transaction)
        if hasHidden { try forgetHidden(from: other, to: user, in: ledger) }
    }

    /// The number of applications that the applicant has hidden and that still wait.
    ///
    /// They count against the limit of applications sent out.
    ///
    /// - Parameter cutoff: ``AppSettings/expiryCutoffMs(at:)``.
    /// - Parameter ledger: The ledger of the transaction, if that writes.
    package static func hiddenThatWait(
        _ userRecord: UserRecord, of applicant: UserID, _ app: App, cutoff: Int64,
        in transaction: any ReadTransaction, for ledger: Ledger? = nil
    ) throws(StorageError) -> Int {
        guard userRecord.hiddenSentCount > 0, cutoff != .min else {
            return Int(userRecord.hiddenSentCount)
        }
        let mentions = Tables.mentions
        let range = KeyRange(
            in: app.partition(of: applicant),
            prefix: [mentions.kind, Mention.List.comeIn.rawValue])
        var keys = KeyList()
        try mentions.scan(range, limit: Int(userRecord.hiddenSentCount), in: transaction) {
            mention, _ in
            keys.append(
                Tables.pendencies.key(
                    app.partition(of: mention.owner), PendencyKey(.comeIn, applicant)))
            return .more
        }
        // Only the mentions lead to these rows.
        try ledger?.fetch(keys)
        let records = try Tables.pendencies.records(keys, in: transaction)
        return records.count { ($0?.timeMs ?? .min) > cutoff }
    }

    /// The values that an accepted application gives to the applicant's row.
    ///
    /// If they no longer fit among the applicant's groups, all groups are left out.
    package static func values(
        of application: PendencyRecord, for applicant: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendValues {
        var values = application.values
        if try !Groups.fit(values.groups ?? [], of: applicant, in: ledger) { values.groups = nil }
        return values
    }

    // MARK: Applications of an import

    /// Writes one side's record of an application that waits, as an export has it.
    ///
    /// The other side's record may come later, or never, if its owner took it off its list: until
    /// it comes, it counts as hidden.
    ///
    /// - Precondition: `owner` is an account, and has no such record.
    static func restore(
        _ record: PendencyRecord, _ type: PendencyType, with other: UserID, of owner: UserID,
        in ledger: Ledger
    ) throws(StorageError) {
        try write(record, type, with: other, of: owner, replacing: nil, in: ledger)
        let theirs: PendencyType = type == .comeIn ? .sendOut : .comeIn
        let isWhole = try mine(theirs, with: owner, of: other, in: ledger) != nil
        switch (type, isWhole) {
        case (.comeIn, true): BackReferences.remove(other, of: owner, on: .sendOut, in: ledger)
        case (.comeIn, false):
            try BackReferences.add(owner, of: other, on: .comeIn, in: ledger)
            guard try ledger.userRecord(of: other) != nil else { return }
            try ledger.changeUserRecord(of: other) { $0.hiddenSentCount += 1 }
        case (_, true): try forgetHidden(from: owner, to: other, in: ledger)
        case (_, false): try BackReferences.add(owner, of: other, on: .sendOut, in: ledger)
        }
    }

    /// Counts the applications of `applicant`, a new account, of which only the asked users'
    /// records have come yet.
    static func countHidden(of applicant: UserID, in ledger: Ledger) throws(StorageError) {
        let mentions = Tables.mentions
        let range = KeyRange(
            in: ledger.partition(of: applicant),
            prefix: [mentions.kind, Mention.List.comeIn.rawValue])
        var count: UInt32 = 0
        try mentions.scan(range, limit: .max, in: ledger.transaction) { _, _ in
            count += 1
            return .more
        }
        guard count > 0 else { return }
        try ledger.changeUserRecord(of: applicant) { $0.hiddenSentCount = count }
    }

    /// Writes an application of `owner` that has ended, as an export has it, and notifies the
    /// owner.
    static func restore(
        _ record: PendencyRecord, ended key: HandledKey, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        try ledger.changeUserRecord(of: owner) {
            $0.lastPendencyMs = max($0.lastPendencyMs, key.timeMs)
        }
        try ApplicationHistory.append(record, at: key, of: owner, in: ledger)
        let change = ChangedApplication(
            record.forEvent, key.type, key.status, endMs: key.timeMs)
        try notify(owner, .deleteFriendRequest, change, in: ledger)
    }

    // MARK: Counts

    /// The numbers of applications that wait in each direction, and of unread ones.
    package struct Counts: Equatable {
        package var comeIn: Int
        package var sendOut: Int
        package var unread: Int
    }

    /// The counts of `userRecord` without applications that have expired: those may not be seen as
    /// waiting, even before a sweep ends them.
    ///
    /// - Parameter cutoff: ``AppSettings/expiryCutoffMs(at:)``.
    package static func counts(
        of userRecord: UserRecord, _ user: UserID, _ app: App, cutoff: Int64,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Counts {
        var counts = Counts(
            comeIn: Int(userRecord.comeInCount), sendOut: Int(userRecord.sendOutCount),
            unread: Int(userRecord.unreadCount))
        guard userRecord.oldestPendencyMs != 0, userRecord.oldestPendencyMs <= cutoff else {
            return counts
        }
        let table = Tables.pendenciesByTime
        try table.scan(
            table.rows(of: app.partition(of: user), through: cutoff),
            limit: counts.comeIn + counts.sendOut,
            in: transaction
        ) { row, _ in
            if row.key.type == .sendOut {
                counts.sendOut.decrease()
            } else {
                counts.comeIn.decrease()
                if row.timeMs > userRecord.readMarkMs { counts.unread.decrease() }
            }
            return .more
        }
        return counts
    }

    private static func isFull(
        _ type: PendencyType, _ owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let limit = ledger.limits.pendencies
        // Expired applications are subtracted only if the list looks full.
        guard let userRecord = try ledger.userRecord(of: owner) else { return false }
        let hidden = type == .sendOut ? userRecord.hiddenSentCount : 0
        guard Int(userRecord.count(of: type) + hidden) >= limit else { return false }
        let counts = try counts(
            of: userRecord, owner, ledger.app, cutoff: ledger.expiryCutoffMs, in: ledger.transaction
        )
        guard type == .sendOut else { return counts.comeIn >= limit }
        guard counts.sendOut < limit else { return true }
        let hiddenSent = try hiddenThatWait(
            userRecord, of: owner, ledger.app, cutoff: ledger.expiryCutoffMs,
            in: ledger.transaction, for: ledger)
        return counts.sendOut + hiddenSent >= limit
    }

    // MARK: One side's record

    /// The record in the owner's list, expired or not.
    private static func mine(
        _ type: PendencyType, with other: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> PendencyRecord? {
        try Tables.pendencies.record(
            ledger.partition(of: owner), PendencyKey(type, other), in: ledger.transaction)
    }

    private static func write(
        _ record: PendencyRecord, _ type: PendencyType, with other: UserID, of owner: UserID,
        replacing old: PendencyRecord?, in ledger: Ledger
    ) throws(StorageError) {
        var record = record
        record.userID = other.text
        try ledger.changeUserRecord(of: owner) { userRecord in
            userRecord.lastPendencyMs = max(userRecord.lastPendencyMs, record.timeMs)
            if let old { userRecord.countOut(old, type) }
            userRecord.countIn(record, type)
        }
        let partition = ledger.partition(of: owner)
        let key = PendencyKey(type, other)
        if let old {
            Tables.pendenciesByTime.remove(
                partition, TimedPendency(timeMs: old.timeMs, key: key),
                in: ledger.transaction)
        }
        try Tables.pendencies.set(record, at: partition, key, in: ledger.transaction)
        try Tables.pendenciesByTime.set(
            EmptyRecord(), at: partition, TimedPendency(timeMs: record.timeMs, key: key),
            in: ledger.transaction)
        try ApplicationExpiry.note(record.timeMs, of: owner, in: ledger)
        try notify(owner, .addFriendRequest, ChangedApplication(record, type), in: ledger)
    }

    /// - Returns: Whether the owner had a record.
    private static func end(
        _ type: PendencyType, with other: UserID, of owner: UserID, _ status: ApplicationStatus,
        in ledger: Ledger
    ) throws(StorageError) -> Bool {
        guard let record = try removeRecord(type, with: other, of: owner, in: ledger) else {
            return false
        }
        // The end is later than the beginning, and not later than the beginning of the next
        // application between the two. So no two applications that ended with the same user have
        // the same time.
        var (status, timeMs) = (status, max(ledger.now.milliseconds, record.timeMs + 1))
        if record.timeMs <= ledger.expiryCutoffMs {
            status = .expired
            timeMs = record.timeMs + (ledger.settings.applicationLifetimeMs ?? 0)
        }
        try ledger.changeUserRecord(of: owner) {
            $0.lastPendencyMs = max($0.lastPendencyMs, timeMs)
        }
        let key = HandledKey(timeMs: timeMs, type: type, status: status, user: other)
        try ApplicationHistory.append(record.forEvent, at: key, of: owner, in: ledger)
        let change = ChangedApplication(record, type, status, endMs: timeMs)
        try notify(owner, .deleteFriendRequest, change, in: ledger)
        return true
    }

    /// Takes a record off its owner's list, if there is one.
    private static func removeRecord(
        _ type: PendencyType, with other: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> PendencyRecord? {
        // Most users that become friends have no application, and the user record says so without a
        // read.
        guard let userRecord = try ledger.userRecord(of: owner), userRecord.count(of: type) > 0,
            let record = try mine(type, with: other, of: owner, in: ledger)
        else { return nil }
        let partition = ledger.partition(of: owner)
        let key = PendencyKey(type, other)
        Tables.pendencies.remove(partition, key, in: ledger.transaction)
        Tables.pendenciesByTime.remove(
            partition, TimedPendency(timeMs: record.timeMs, key: key), in: ledger.transaction)
        try ledger.changeUserRecord(of: owner) { $0.countOut(record, type) }
        return record
    }

    static func notify(
        _ owner: UserID, _ kind: ChangeKind, _ application: ChangedApplication, in ledger: Ledger
    ) throws(StorageError) {
        var item = ChangeItemRecord()
        item.userID = application.userID
        item.application = application
        try ledger.notify(owner, kind, item)
    }
}

extension UserRecord {
    fileprivate var hasApplications: Bool { comeInCount > 0 || sendOutCount > 0 }

    fileprivate func count(of type: PendencyType) -> UInt32 {
        type == .comeIn ? comeInCount : sendOutCount
    }

    /// Counts `record` in the list, and among the unread ones.
    fileprivate mutating func countIn(_ record: PendencyRecord, _ type: PendencyType) {
        guard type == .comeIn else {
            sendOutCount += 1
            return
        }
        comeInCount += 1
        if record.timeMs > readMarkMs { unreadCount += 1 }
    }

    /// Takes `record` out of the counts.
    fileprivate mutating func countOut(_ record: PendencyRecord, _ type: PendencyType) {
        guard type == .comeIn else { return sendOutCount.decrease() }
        comeInCount.decrease()
        if record.timeMs > readMarkMs { unreadCount.decrease() }
    }
}

extension PendencyRecord {
    /// The record without the applicant's notes for itself: no other user may read them.
    fileprivate var forEvent: PendencyRecord {
        var record = self
        record.remark = ""
        record.group = ""
        record.moreGroups = []
        record.custom = []
        return record
    }
}
