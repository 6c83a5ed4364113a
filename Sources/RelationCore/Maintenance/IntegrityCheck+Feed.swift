import RelationModel
package import Storage

// Logs and the feed hold the same events twice. Each event in a log stands in the feed at the
// position that the event names. Each lane has no gap after the position up to which it was
// trimmed.

extension Integrity {
    /// The fault of one lane of the feed; nil if it has none.
    ///
    /// To mend a lane, its beginning is moved behind the fault, and so are the beginnings of the
    /// logs whose events it then lacks. No reader can go on from before that point.
    package static func fault(
        ofLane number: UInt8, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Finding? {
        let wrong = try LaneCheck.newestWrong(in: number, app, transaction)
        guard wrong != nil else { return nil }
        return Finding(user: nil, fault: .feedMismatch, subject: "lane_\(number)")
    }

    /// Mends one lane of the feed.
    ///
    /// - Returns: Whether it had a fault.
    package static func mend(lane number: UInt8, in ledger: Ledger) throws(StorageError) -> Bool {
        let wrong = try LaneCheck.newestWrong(in: number, ledger.app, ledger.transaction)
        guard let wrong else { return false }
        let partition = ledger.app.partition(ofLane: number)
        while true {
            let below = try LaneCheck.rows(of: partition, after: 0, in: ledger.transaction) {
                $0 <= wrong
            }
            guard !below.entries.isEmpty else { break }
            try Retention.forget(below.entries, of: partition, in: ledger)
        }
        let last = try LaneCheck.lastPosition(of: partition, in: ledger.transaction)
        try ledger.changeLane(number) { lane in
            lane.position = max(lane.position, last, wrong)
            lane.feedFloor = min(max(lane.feedFloor, wrong), lane.position)
            lane.trimmedTo = min(max(lane.trimmedTo, lane.feedFloor), lane.position)
        }
        return true
    }
}

/// A check of the rows of one lane.
private enum LaneCheck {
    typealias Entry = (position: Int64, record: FeedRecord)

    /// The highest position with a fault; nil if there is none.
    static func newestWrong(
        in number: UInt8, _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> Int64? {
        let partition = app.partition(ofLane: number)
        let lane =
            try Tables.lanes.record(partition, OnlyKey(), in: transaction) ?? LaneRecord()
        var wrong: Int64?
        if !(lane.feedFloor...max(lane.feedFloor, lane.position) ~= lane.trimmedTo) {
            wrong = lane.feedFloor
        }
        if lane.feedFloor > lane.position { wrong = lane.position }
        var last: Int64 = 0
        var floor = lane.feedFloor
        var isBroken = false
        repeat {
            let rows = try rows(of: partition, after: last, in: transaction)
            isBroken = isBroken || rows.isBroken
            for (position, _) in rows.entries {
                // A row that should be gone, or a row before which another is missing.
                if position <= floor { wrong = max(wrong ?? 0, position) }
                if position > floor + 1 { wrong = max(wrong ?? 0, position - 1) }
                floor = max(floor, position)
            }
            if let bad = try newestStray(among: rows.entries, number, app, transaction) {
                wrong = max(wrong ?? 0, bad)
            }
            guard let next = rows.entries.last?.position else { break }
            last = next
        } while true
        guard !isBroken else {
            throw StorageError(.corrupted, "a row of the feed does not decode")
        }
        if floor != lane.position { wrong = max(wrong ?? 0, floor, lane.position) }
        return wrong
    }

    /// The next rows of a lane as long as `lets` returns true, up to a bounded number.
    static func rows(
        of lane: Partition, after position: Int64, in transaction: any ReadTransaction,
        while lets: (Int64) -> Bool = { _ in true }
    ) throws(StorageError) -> (entries: [Entry], isBroken: Bool) {
        let table = Tables.feed
        var entries: [Entry] = []
        var isBroken = false
        try table.scan(
            table.rows(of: lane, after: UInt64(position)), limit: Limits.checkedFeedRows,
            in: transaction
        ) { position, bytes in
            guard lets(Int64(position)) else { return .stop }
            guard let record = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            entries.append((Int64(position), record))
            return .more
        }
        return (entries, isBroken)
    }

    static func lastPosition(
        of lane: Partition, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64 {
        let table = Tables.feed
        var last: Int64 = 0
        try table.scan(table.all(of: lane), .descending, limit: 1, in: transaction) {
            position, _ in
            last = Int64(position)
            return .stop
        }
        return last
    }

    /// The position of the last of `entries` that names an event that its user's log does not have
    /// yet, or a user of another lane.
    private static func newestStray(
        among entries: [Entry], _ number: UInt8, _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> Int64? {
        var keys = KeyList()
        let users = entries.map { UserID(stored: $0.record.userID.utf8) }
        Accounts.heads(of: users, app: app, into: &keys)
        let heads = try Tables.heads.records(keys, in: transaction)
        var stray: Int64?
        for (index, entry) in entries.enumerated() {
            let sequence = heads[index]?.sequence ?? .max
            if Lane.of(users[index]) != number || entry.record.sequence > sequence {
                stray = entry.position
            }
        }
        return stray
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
        let lane = app.partition(ofLane: Lane.of(user))
        let record = try Tables.lanes.record(lane, OnlyKey(), in: transaction) ?? LaneRecord()
        var newest: Int64?
        if head.logFloorPosition > record.position { newest = head.logFloor }
        if let left = events.last(where: { $0.sequence <= head.logFloor }) {
            newest = left.sequence
        }
        var kept = events.filter { $0.sequence > head.logFloor }[...]
        while !kept.isEmpty {
            let part = kept.prefix(Limits.checkedFeedRows)
            kept = kept.dropFirst(part.count)
            var keys = KeyList()
            for event in part {
                Tables.feed.add(lane, UInt64(max(0, event.position)), to: &keys)
            }
            let entries = try Tables.feed.records(keys, in: transaction)
            for (event, entry) in zip(part, entries)
            where entry?.sequence != event.sequence || entry?.userID != user.text {
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
            let position = try ledger.lane(Lane.of(user)).position
            try ledger.changeHead(of: user) { head in
                head.logFloor = max(head.logFloor, newest)
                head.logFloorPosition = position
            }
        }
    }
}
