package import RelationModel
package import Storage

/// Friend applications that wait: a record with the applicant, who sent it out, and one with the
/// asked user, to whom it came in.
///
/// The two live and end together, but the owner of either may hide its own.
package enum Applications {
    /// The application from `applicant` that waits for `asked`, as the asked user's list has it.
    package static func record(
        from applicant: UserID, to asked: UserID, in ledger: Ledger
    ) throws(StorageError) -> PendencyRecord? {
        try Tables.pendencies.record(
            ledger.partition(of: asked), PendencyPlace(.comeIn, applicant), in: ledger.transaction)
    }

    package static func waits(
        from applicant: UserID, to asked: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        try record(from: applicant, to: asked, in: ledger) != nil
    }

    /// Whether `applicant` has sent fewer applications today (UTC) than the app allows.
    package static func maySendToday(
        _ applicant: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let limit = ledger.settings.applicationsPerDay
        guard limit > 0, let head = try ledger.head(of: applicant) else { return true }
        return head.applicationDay != ledger.now.day || Int(head.applicationsToday) < limit
    }

    /// Makes the application of `applicant` to the user of `addition`, or renews the one that
    /// waits: wording, source and time become new, and it is unread again.
    ///
    /// - Returns: ``FriendStatus/pendencyLimit`` if a list has no room for a new one, otherwise
    ///   ``FriendStatus/pending``.
    package static func apply(
        _ addition: FriendRules.Addition, from applicant: UserID, in ledger: Ledger
    ) throws(StorageError) -> Outcome {
        let asked = addition.user
        let sent = try mine(.sendOut, with: asked, of: applicant, in: ledger)
        let received = try mine(.comeIn, with: applicant, of: asked, in: ledger)
        let limit = Outcome(.pendencyLimit, Reason.FriendAdd.pendencyLimit)
        if sent == nil, try isFull(.sendOut, applicant, in: ledger) { return limit }
        if received == nil, try isFull(.comeIn, asked, in: ledger) { return limit }

        var record = PendencyRecord()
        record.source = addition.source
        record.wording = addition.wording
        record.remark = addition.remark
        record.group = addition.group
        record.custom = addition.custom
        // The sequence of this very event makes the id unique among the applicant's, for ever.
        let sequence = try ledger.sequence(of: .addFriendRequest, for: applicant)
        record.applicationID =
            sent?.applicationID ?? received?.applicationID
            ?? "\(applicant.text)#\(sequence)#\(asked.text)"
        let today = ledger.now.day
        try ledger.changeHead(of: applicant) { head in
            if head.applicationDay != today { head.applicationsToday = 0 }
            head.applicationDay = today
            head.applicationsToday += 1
        }
        try write(record, .sendOut, with: asked, of: applicant, replacing: sent, in: ledger)
        try write(record, .comeIn, with: applicant, of: asked, replacing: received, in: ledger)
        return Outcome(.pending, Reason.FriendAdd.needConfirm)
    }

    /// Ends the application from `applicant` to `asked`, if one waits, on both sides, and tells
    /// whoever still had a record of it.
    package static func end(
        from applicant: UserID, to asked: UserID, _ outcome: ApplicationStatus, in ledger: Ledger
    ) throws(StorageError) {
        try remove(.sendOut, with: asked, of: applicant, outcome, in: ledger)
        try remove(.comeIn, with: applicant, of: asked, outcome, in: ledger)
    }

    /// What an accepted application puts onto the applicant's row.
    ///
    /// A group for which the applicant has no room any more is left out.
    package static func details(
        of application: PendencyRecord, for applicant: UserID, in ledger: Ledger
    ) throws(StorageError) -> Friendship.Details {
        var details = Friendship.Details()
        details.remark = application.remark
        details.source = application.source
        details.wording = application.wording
        details.custom = application.custom
        if !application.group.isEmpty,
            try Groups.fit([application.group], of: applicant, in: ledger)
        {
            details.groups = [application.group]
        }
        return details
    }

    // MARK: One side's record

    private static func mine(
        _ type: PendencyType, with other: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> PendencyRecord? {
        try Tables.pendencies.record(
            ledger.partition(of: owner), PendencyPlace(type, other), in: ledger.transaction)
    }

    private static func isFull(
        _ type: PendencyType, _ owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        guard let head = try ledger.head(of: owner) else { return false }
        return Int(head.count(of: type)) >= ledger.limits.pendencies
    }

    private static func write(
        _ record: PendencyRecord, _ type: PendencyType, with other: UserID, of owner: UserID,
        replacing old: PendencyRecord?, in ledger: Ledger
    ) throws(StorageError) {
        var record = record
        record.userID = other.text
        try ledger.changeHead(of: owner) { head in
            // Times in one list are unique, so that a page can begin after any of them.
            record.timeMs = max(ledger.now.milliseconds, head.lastPendencyMs + 1)
            head.lastPendencyMs = record.timeMs
            head.count(old, type, -1)
            head.count(record, type, 1)
        }
        let partition = ledger.partition(of: owner)
        let place = PendencyPlace(type, other)
        if let old {
            Tables.pendenciesByTime.remove(
                partition, TimedPendency(timeMs: old.timeMs, place: place),
                in: ledger.transaction)
        }
        try Tables.pendencies.set(record, at: partition, place, in: ledger.transaction)
        try Tables.pendenciesByTime.set(
            Nothing(), at: partition, TimedPendency(timeMs: record.timeMs, place: place),
            in: ledger.transaction)
        var item = ChangeItem(about: other)
        item.pendency = record.forTelling
        item.pendencyType = type
        try ledger.tell(owner, .addFriendRequest, item)
    }

    private static func remove(
        _ type: PendencyType, with other: UserID, of owner: UserID, _ outcome: ApplicationStatus,
        in ledger: Ledger
    ) throws(StorageError) {
        // Most who become friends have no application at all, which the head says without a read.
        guard let head = try ledger.head(of: owner), head.count(of: type) > 0,
            let record = try mine(type, with: other, of: owner, in: ledger)
        else { return }
        let partition = ledger.partition(of: owner)
        let place = PendencyPlace(type, other)
        Tables.pendencies.remove(partition, place, in: ledger.transaction)
        Tables.pendenciesByTime.remove(
            partition, TimedPendency(timeMs: record.timeMs, place: place), in: ledger.transaction)
        try ledger.changeHead(of: owner) { $0.count(record, type, -1) }
        var item = ChangeItem(about: other)
        item.pendency = record.forTelling
        item.pendencyType = type
        item.outcome = outcome
        try ledger.tell(owner, .deleteFriendRequest, item)
    }
}

extension HeadRecord {
    fileprivate func count(of type: PendencyType) -> UInt32 {
        type == .comeIn ? comeInCount : sendOutCount
    }

    /// Counts `record` in, or out, of the list and of what is unread.
    fileprivate mutating func count(
        _ record: PendencyRecord?, _ type: PendencyType, _ change: Int32
    ) {
        guard let record else { return }
        if type == .sendOut {
            sendOutCount = UInt32(Int32(sendOutCount) + change)
            return
        }
        comeInCount = UInt32(Int32(comeInCount) + change)
        if record.timeMs > readMarkMs { unreadCount = UInt32(Int32(unreadCount) + change) }
    }
}

extension PendencyRecord {
    /// The record without what the applicant noted for itself: it is nobody else's to read.
    fileprivate var forTelling: PendencyRecord {
        var record = self
        record.remark = ""
        record.group = ""
        record.custom = []
        return record
    }
}

extension Timestamp {
    /// The day since 1970, in UTC.
    fileprivate var day: Int64 {
        milliseconds / (24 * 3_600 * 1_000)
    }
}
