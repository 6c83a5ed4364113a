package import RelationModel
import Storage

/// The trimming of events that are older, or more for one user, than the app's settings allow.
///
/// The maintenance trims events, oldest first, and without an event of its own: no sequence moves.
/// A user's record says from which sequence on its log is whole. The state of the feed says up to
/// which position events are gone. So a reader that has not come so far knows that it missed some.
///
/// Old events are found at the beginning of the feed, which is in order of time. Long logs are
/// noted by the calls that make them longer, once in ``Limits/logSlack`` events, so that no call
/// pays for the past. If the settings come to allow fewer events, all users are checked once.
package enum Retention {
    /// Removes the next events of `app` that are too many or too old, and checks some users if the
    /// settings allow fewer events than before.
    ///
    /// - Parameter limit: The most rows to write, roughly.
    /// - Returns: Whether there may be more.
    package static func step(
        _ app: App, at now: Timestamp, limit: Int, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        let ledger = Ledger(
            app: app, now: now, origin: Origin(user: nil), transaction: transaction)
        var left = limit
        try shorten(&left, in: ledger)
        if left > 0 {
            let old =
                try Tables.retention.record(app.maintenance, OnlyKey(), in: transaction)
                ?? RetentionRecord()
            var record = old
            try forget(&left, &record, in: ledger)
            if left > 0 { try noteLongLogs(&left, &record, in: ledger) }
            if record != old {
                try Tables.retention.set(
                    record, at: app.maintenance, OnlyKey(), in: transaction)
            }
        }
        try ledger.close()
        return left <= 0
    }

    // MARK: Too many

    /// Shortens the logs that were noted as too long to the length that the settings allow.
    private static func shorten(_ left: inout Int, in ledger: Ledger) throws(StorageError) {
        let table = Tables.longLogs
        var users: [UserID] = []
        try table.scan(
            table.all(of: ledger.app.maintenance), limit: left, in: ledger.transaction
        ) { user, _ in
            users.append(user)
            return .more
        }
        for user in users where left > 0 {
            if try shorten(user, &left, in: ledger) {
                table.remove(ledger.app.maintenance, user, in: ledger.transaction)
                left -= 1
            }
        }
    }

    /// - Returns: Whether the log is no longer too long.
    private static func shorten(
        _ user: UserID, _ left: inout Int, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        guard let userRecord = try ledger.userRecord(of: user) else { return true }
        let excess = userRecord.sequence - userRecord.logFloor - Int64(ledger.settings.logEvents)
        guard excess > 0 else { return true }
        let count = min(excess, Int64(left))
        try trim(user, from: userRecord.logFloor, to: userRecord.logFloor + count, in: ledger)
        left -= Int(count)
        return count == excess
    }

    /// Removes the events of a log after its floor, up to a later one: a reader that has not come
    /// so far starts over.
    static func trim(
        _ user: UserID, from old: Int64, to floor: Int64, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: user)
        let newest = try Tables.changes.record(partition, UInt64(floor), in: ledger.transaction)
        for sequence in old + 1...floor {
            Tables.changes.remove(partition, UInt64(sequence), in: ledger.transaction)
        }
        var position = newest?.feedPosition ?? 0
        try ledger.changeFeedState { feed in
            // If the event was not there, it is not known which readers have seen it.
            if newest == nil { position = feed.position }
            feed.trimmedTo = max(feed.trimmedTo, position)
        }
        try ledger.changeUserRecord(of: user) { userRecord in
            userRecord.logFloor = floor
            userRecord.logFloorPosition = position
        }
    }

    // MARK: Too old

    /// Goes on with its walk through the feed, or begins one if the oldest event is too old.
    private static func forget(
        _ left: inout Int, _ record: inout RetentionRecord, in ledger: Ledger
    ) throws(StorageError) {
        let cutoff = ledger.now.milliseconds - ledger.settings.logLifetimeMs
        guard record.oldestMs <= cutoff else { return }
        record.walkedMs = ledger.now.milliseconds
        guard let oldest = try forget(upTo: cutoff, &left, in: ledger) else { return }
        record.walkedMs = min(record.walkedMs, oldest)
        record.oldestMs = record.walkedMs
    }

    /// Removes the old events of the feed.
    ///
    /// - Returns: The time of the oldest event that is left, or now if none is left; nil if some
    ///   that are too old may be left.
    private static func forget(
        upTo cutoff: Int64, _ left: inout Int, in ledger: Ledger
    ) throws(StorageError) -> Int64? {
        let floor = try ledger.feedState().feedFloor
        var rows: [(last: Int64, record: FeedRecord)] = []
        var events = 0
        var oldest: Int64?
        var isBroken = false
        let table = Tables.feed
        let arena = ledger.transaction.arena
        let limit = max(1, left / 2)
        try table.scan(
            table.rows(of: ledger.app.feed, after: UInt64(floor)), limit: limit + 1,
            in: ledger.transaction
        ) { last, bytes in
            guard let record = table.decode(bytes, in: arena) else {
                isBroken = true
                return .stop
            }
            guard record.timeMs <= cutoff, events < limit else {
                oldest = record.timeMs
                return .stop
            }
            rows.append((Int64(last), record))
            events += max(1, record.events.count)
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "a row of the feed does not decode") }
        try forget(rows, in: ledger)
        if let last = rows.last?.last {
            try ledger.changeFeedState { feed in
                feed.feedFloor = last
                feed.trimmedTo = max(feed.trimmedTo, last)
            }
        }
        left -= rows.count + events
        if left <= 0 || events >= limit { left = min(left, 0) }
        guard left > 0 else { return nil }
        return oldest ?? ledger.now.milliseconds
    }

    /// Removes rows of the feed, and from logs the events that they name.
    static func forget(
        _ rows: [(last: Int64, record: FeedRecord)], in ledger: Ledger
    ) throws(StorageError) {
        var keys = KeyList()
        let entries = rows.flatMap { $0.record.entries(endingAt: $0.last) }
            .filter { !$0.event.isErased }
        let users = entries.map { UserID(stored: $0.event.userID) }
        Accounts.userRecords(of: users, app: ledger.app, into: &keys)
        try ledger.transaction.prefetch(keys)
        let earlier = ledger.settings.history.floor
        let feed = ledger.app.feed
        for row in rows { Tables.feed.remove(feed, UInt64(row.last), in: ledger.transaction) }
        for (user, (position, event)) in zip(users, entries) {
            // An event that only the feed has is in no log. A log has no event up to its floor, but
            // for those of an earlier history.
            guard event.event == nil, let userRecord = try ledger.userRecord(of: user),
                event.sequence > userRecord.logFloor || event.sequence <= earlier,
                event.sequence <= userRecord.sequence
            else { continue }
            Tables.changes.remove(
                ledger.partition(of: user), UInt64(event.sequence), in: ledger.transaction)
            guard event.sequence > userRecord.logFloor else { continue }
            try ledger.changeUserRecord(of: user) { userRecord in
                userRecord.logFloor = event.sequence
                userRecord.logFloorPosition = position
            }
        }
    }

    // MARK: Settings that allow less

    /// Notes the long logs of the next users, if the settings allow fewer events than at the last
    /// check of all users.
    private static func noteLongLogs(
        _ left: inout Int, _ record: inout RetentionRecord, in ledger: Ledger
    ) throws(StorageError) {
        let allowed = Int64(ledger.settings.logEvents)
        if record.lookedFor == 0 || allowed < record.lookedFor {
            record.lookedAt = ""
            record.isLooking = true
        }
        record.lookedFor = allowed
        guard record.isLooking else { return }
        let limit = max(1, left)
        let users = try Directory.page(
            of: ledger.app, after: UserID(record.lookedAt), limit: limit, in: ledger.transaction)
        var keys = KeyList()
        Accounts.userRecords(of: users, app: ledger.app, into: &keys)
        let userRecords = try Tables.userRecords.records(keys, in: ledger.transaction)
        for case (let user, let userRecord?) in zip(users, userRecords)
        where userRecord.sequence - userRecord.logFloor > allowed {
            try Tables.longLogs.set(
                EmptyRecord(), at: ledger.app.maintenance, user, in: ledger.transaction)
            left = 0
        }
        record.lookedAt = users.last?.text ?? ""
        record.isLooking = users.count == limit
        if record.isLooking { left = 0 }
    }
}
