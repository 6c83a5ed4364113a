import RelationModel
import Storage

// The feed names the events of the logs. Each event in a log is named by the row of the feed that
// holds the position that the event has. The rows of a feed have each position after the one up to
// which it was trimmed, once.

extension Integrity {
    /// The error of the feed; nil if it has none.
    ///
    /// To repair a feed, its beginning is moved after the error, and so are the beginnings of the
    /// logs whose events it then lacks. No reader can go on from before that point.
    package static func feedFinding(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Finding? {
        guard try FeedCheck.newestWrong(in: app, transaction) != nil else { return nil }
        // Clients know the feed by this name.
        return Finding(user: nil, fault: .feedMismatch, subject: "lane_0")
    }

    /// Repairs the feed.
    ///
    /// - Returns: Whether it had an error.
    package static func repairFeed(in ledger: Ledger) throws(StorageError) -> Bool {
        let (app, transaction) = (ledger.app, ledger.transaction)
        guard let wrong = try FeedCheck.newestWrong(in: app, transaction) else { return false }
        while true {
            let below = try FeedCheck.rows(of: app, after: 0, in: transaction) { $0 <= wrong }
            guard !below.rows.isEmpty else { break }
            try Retention.forget(below.rows, in: ledger)
        }
        let last = try FeedCheck.lastPosition(of: app, in: transaction)
        try ledger.changeFeedState { feed in
            feed.position = max(feed.position, last, wrong)
            feed.feedFloor = min(max(feed.feedFloor, wrong), feed.position)
            feed.trimmedTo = min(max(feed.trimmedTo, feed.feedFloor), feed.position)
        }
        return true
    }
}

/// A check of the rows of a feed.
private enum FeedCheck {
    typealias Row = (last: Int64, record: FeedRecord)

    /// The highest position with an error; nil if there is none.
    static func newestWrong(
        in app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> Int64? {
        let feed = try Feed.state(of: app, in: transaction)
        var wrong: Int64?
        if !(feed.feedFloor...max(feed.feedFloor, feed.position) ~= feed.trimmedTo) {
            wrong = feed.feedFloor
        }
        if feed.feedFloor > feed.position { wrong = feed.position }
        var last: Int64 = 0
        var floor = feed.feedFloor
        var isBroken = false
        repeat {
            let rows = try rows(of: app, after: last, in: transaction)
            isBroken = isBroken || rows.isBroken
            for (last, record) in rows.rows {
                let first = last - Int64(record.events.count) + 1
                // A row that should be gone, or a row before which another is missing.
                if first <= floor || first > last { wrong = max(wrong ?? 0, last) }
                if first > floor + 1 { wrong = max(wrong ?? 0, first - 1) }
                floor = max(floor, last)
            }
            if let bad = try newestStray(among: rows.rows, app, transaction) {
                wrong = max(wrong ?? 0, bad)
            }
            guard let next = rows.rows.last?.last else { break }
            last = next
        } while true
        guard !isBroken else {
            throw StorageError(.corrupted, "a row of the feed does not decode")
        }
        if floor != feed.position { wrong = max(wrong ?? 0, floor, feed.position) }
        return wrong
    }

    /// The next rows of a feed as long as `lets` returns true, up to a bounded number.
    static func rows(
        of app: App, after position: Int64, limit: Int = Limits.checkedFeedRows,
        in transaction: any ReadTransaction, while lets: (Int64) -> Bool = { _ in true }
    ) throws(StorageError) -> (rows: [Row], isBroken: Bool) {
        let table = Tables.feed
        var rows: [Row] = []
        var isBroken = false
        try table.scan(
            table.rows(of: app.feed, after: UInt64(max(0, position))), limit: limit, in: transaction
        ) { position, bytes in
            guard lets(Int64(position)) else { return .stop }
            guard let record = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            rows.append((Int64(position), record))
            return .more
        }
        return (rows, isBroken)
    }

    static func lastPosition(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64 {
        let table = Tables.feed
        var last: Int64 = 0
        try table.scan(table.all(of: app.feed), .descending, limit: 1, in: transaction) {
            position, _ in
            last = Int64(position)
            return .stop
        }
        return last
    }

    /// The end of the last of `rows` that names an event that its user's log does not have yet.
    private static func newestStray(
        among rows: [Row], _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> Int64? {
        var keys = KeyList()
        for row in rows {
            let users = row.record.events.filter { !$0.isErased }
                .map { UserID(stored: $0.userID) }
            Accounts.userRecords(of: users, app: app, into: &keys)
        }
        let userRecords = try Tables.userRecords.records(keys, in: transaction)
        var stray: Int64?
        var number = 0
        for row in rows {
            for event in row.record.events where !event.isErased {
                if event.sequence > userRecords[number]?.sequence ?? .max { stray = row.last }
                number += 1
            }
        }
        return stray
    }

    /// The event at that position, as the feed names it; nil if no row has it.
    static func event(
        at position: Int64, of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> FeedEventRecord? {
        let found = try rows(of: app, after: position - 1, limit: 1, in: transaction)
        guard let row = found.rows.first else { return nil }
        // Every event of a log is looked up: no list is made for it.
        let events = row.record.events
        let index = events.count - 1 - Int(clamping: row.last - position)
        return events.indices.contains(index) ? events[index] : nil
    }
}

extension IntegrityCheck {
    /// Checks that each event of the log stands in the feed at the position that it names, and that
    /// no event below the floor is left.
    ///
    /// - Parameter events: The events of the log with their positions in the feed, in order.
    mutating func checkFeed(
        _ events: [(sequence: Int64, position: Int64)]
    ) throws(StorageError) {
        let end = try Feed.state(of: app, in: transaction).position
        var newest: Int64?
        if userRecord.logFloorPosition > end { newest = userRecord.logFloor }
        // Events of an earlier history leave with the feed.
        let earlier = app.settings.history.floor
        if let left = events.last(where: {
            $0.sequence <= userRecord.logFloor && $0.sequence > earlier
        }) {
            newest = left.sequence
        }
        for event in events where event.sequence > userRecord.logFloor {
            let entry = try FeedCheck.event(at: event.position, of: app, in: transaction)
            if entry?.sequence != event.sequence || entry?.userID != user.text {
                newest = event.sequence
            }
        }
        guard let newest else { return }
        let (user, partition) = (user, partition)
        let gone = events.prefix { $0.sequence <= newest }.map(\.sequence)
        note(.feedMismatch, "feed") { (ledger) throws(StorageError) in
            for sequence in gone {
                Tables.changes.remove(partition, UInt64(sequence), in: ledger.transaction)
            }
            // It is not known which of them a reader of the feed has seen, so no reader may go on
            // from before.
            let position = try ledger.feedState().position
            try ledger.changeUserRecord(of: user) { userRecord in
                userRecord.logFloor = max(userRecord.logFloor, newest)
                userRecord.logFloorPosition = position
            }
        }
    }
}
