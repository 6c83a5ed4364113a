import Protobuf
import RelationCore
import RelationModel
import Storage

/// The events after a point that a stream follows, lane by lane, each lane in its order.
struct MissedEvents {
    /// A position in one log.
    private struct LogCursor {
        let user: UserID
        /// The sequences of the next event and of the last one.
        var next: Int64
        let last: Int64
        /// Events that were read ahead, in their order.
        var ahead: ArraySlice<StoredEvent> = []
    }

    private enum Lanes {
        /// The rows of the feed behind `after`, up to `last`.
        case feed([(lane: UInt8, after: Int64, last: Int64)])
        /// The logs of the users of each lane, merged by their positions in the feed.
        case logs([[LogCursor]])
    }

    private var lanes = Lanes.logs([])

    var isDone: Bool {
        switch lanes {
        case .feed(let rest): rest.isEmpty
        case .logs(let rest): rest.isEmpty
        }
    }

    /// No events.
    init() {}

    /// The events of the whole app; nil if some of them are no longer kept.
    init?(of lanes: [LaneRecord], since point: FeedPoint) {
        var rest: [(lane: UInt8, after: Int64, last: Int64)] = []
        for (number, lane) in lanes.enumerated() {
            let after = point[UInt8(number)]
            guard lane.trimmedTo <= after else { return nil }
            if lane.position > after { rest.append((UInt8(number), after, lane.position)) }
        }
        self.lanes = .feed(rest)
    }

    /// The events in the logs of `users`; nil if some of them are no longer kept.
    init?(
        of users: [UserID], since point: FeedPoint, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) {
        var keys = KeyList()
        Accounts.heads(of: users, app: app, into: &keys)
        var rest: [UInt8: [LogCursor]] = [:]
        for (user, head) in zip(users, try Tables.heads.records(keys, in: transaction)) {
            guard let head else {
                // A deleted account had events; an account that was never named has none.
                let isGone = try Tables.departed.contains(
                    app.partition(of: user), OnlyKey(), in: transaction)
                if isGone { return nil }
                continue
            }
            let after = point[Lane.of(user)]
            guard head.logFloorPosition <= after else { return nil }
            let first = try Self.first(of: user, head, after: after, app, transaction)
            guard first <= head.sequence else { continue }
            rest[Lane.of(user), default: []].append(
                LogCursor(user: user, next: first, last: head.sequence))
        }
        lanes = .logs(rest.sorted { $0.key < $1.key }.map(\.value))
    }

    /// The sequence of the first event behind that position of the feed; the one after the last
    /// event if there is none.
    ///
    /// Positions grow as sequences do.
    private static func first(
        of user: UserID, _ head: HeadRecord, after position: Int64, _ app: App,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> Int64 {
        var (low, high) = (head.logFloor + 1, head.sequence + 1)
        while low < high {
            let middle = low + (high - low) / 2
            let event = try Tables.changePositions.record(
                app.partition(of: user), UInt64(middle), in: transaction)
            guard let event else {
                throw StorageError(.corrupted, "the log of \(user) has a gap at \(middle)")
            }
            if event.feedPosition > position { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Returns the next events: about `limit`, or fewer if they are long.
    mutating func next(
        _ limit: Int, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [StoredEvent] {
        switch lanes {
        case .feed(var rest):
            let events = try Self.next(limit, of: &rest, app, transaction)
            lanes = .feed(rest)
            return events
        case .logs(var rest):
            let events = try Self.next(limit, of: &rest, app, transaction)
            lanes = .logs(rest)
            return events
        }
    }

    // MARK: The feed

    private static func next(
        _ limit: Int, of rest: inout [(lane: UInt8, after: Int64, last: Int64)], _ app: App,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [StoredEvent] {
        guard let (lane, after, last) = rest.first else { return [] }
        let table = Tables.feed
        let range = table.rows(of: app.partition(ofLane: lane), after: UInt64(after))
        var entries: [(position: Int64, entry: FeedRecord)] = []
        var isBroken = false
        try table.scan(range, limit: limit, in: transaction) { position, bytes in
            guard Int64(position) <= last else { return .stop }
            guard let entry = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            entries.append((Int64(position), entry))
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "a row of the feed does not decode") }
        var events: [StoredEvent] = []
        var bytes = 0
        var told = entries[...]
        while !told.isEmpty, bytes < WatchLimits.turnBytes {
            let part = told.prefix(WatchLimits.feedEventsPerRead)
            told = told.dropFirst(part.count)
            let read = try self.events(part.map(\.entry), app, transaction)
            bytes += read.reduce(0) { $0 + $1.byteCount }
            events += read
        }
        if entries.count < limit, told.isEmpty {
            rest.removeFirst()
        } else {
            rest[0].after = told.first.map { $0.position - 1 } ?? entries.last?.position ?? last
        }
        return events
    }

    /// The events that rows of the feed name, except events of accounts that are gone.
    private static func events(
        _ entries: [FeedRecord], _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> [StoredEvent] {
        var events = entries.map { StoredEvent(feed: $0) }
        var keys = KeyList()
        var indices: [Int] = []
        for (index, entry) in entries.enumerated() where entry.event == nil {
            let user = UserID(stored: entry.userID.utf8)
            Tables.changes.add(app.partition(of: user), UInt64(entry.sequence), to: &keys)
            indices.append(index)
        }
        var rows: [[UInt8]?] = []
        try transaction.read(keys) { _, bytes in rows.append(bytes.map { Array($0) }) }
        for (index, row) in zip(indices, rows) {
            guard let row else { continue }
            events[index] = try stored(
                row, of: UserID(stored: entries[index].userID.utf8),
                sequence: entries[index].sequence, transaction)
        }
        return events.compactMap { $0 }
    }

    private static func stored(
        _ row: [UInt8], of user: UserID, sequence: Int64, _ transaction: any ReadTransaction
    ) throws(StorageError) -> StoredEvent {
        do throws(CodecError) {
            return try StoredEvent(row, of: user, sequence: sequence)
        } catch {
            throw StorageError(.corrupted, "an event of \(user) does not decode: \(error)")
        }
    }

    // MARK: Logs

    private static func next(
        _ limit: Int, of rest: inout [[LogCursor]], _ app: App,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [StoredEvent] {
        var events: [StoredEvent] = []
        var bytes = 0
        while events.count < limit, bytes < WatchLimits.turnBytes, var cursors = rest.first {
            for index in cursors.indices where cursors[index].ahead.isEmpty {
                try fill(&cursors[index], limit, app, transaction)
            }
            cursors.removeAll { $0.ahead.isEmpty }
            while events.count < limit, bytes < WatchLimits.turnBytes, !cursors.isEmpty {
                let earliest = cursors.indices.min { one, other in
                    cursors[one].ahead.first?.position ?? 0
                        < cursors[other].ahead.first?.position ?? 0
                }
                guard let earliest, let event = cursors[earliest].ahead.popFirst() else { break }
                events.append(event)
                bytes += event.byteCount
                // The next event of this log is not read yet, and it may be the next one of the
                // lane.
                if cursors[earliest].ahead.isEmpty {
                    try fill(&cursors[earliest], limit, app, transaction)
                    if cursors[earliest].ahead.isEmpty { cursors.remove(at: earliest) }
                }
            }
            if cursors.isEmpty { rest.removeFirst() } else { rest[0] = cursors }
        }
        return events
    }

    /// Reads the next events of a log ahead.
    private static func fill(
        _ cursor: inout LogCursor, _ limit: Int, _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) {
        guard cursor.next <= cursor.last else { return }
        var rows: [(sequence: Int64, bytes: [UInt8])] = []
        var count = 0
        try ChangeLog.scan(
            of: cursor.user, after: cursor.next - 1, limit: min(limit, WatchLimits.eventsAhead),
            app: app, in: transaction
        ) { sequence, bytes in
            rows.append((sequence, Array(bytes)))
            count += bytes.count
            return count < WatchLimits.bytesAhead ? .more : .stop
        }
        var ahead: [StoredEvent] = []
        for row in rows {
            ahead.append(
                try stored(row.bytes, of: cursor.user, sequence: row.sequence, transaction))
        }
        cursor.ahead = ahead[...]
        cursor.next = (rows.last?.sequence ?? cursor.last) + 1
    }
}
