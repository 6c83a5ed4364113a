import Protobuf
import RelationCore
import RelationModel
import Storage

/// The events after a position that a stream follows, in the order of the feed.
struct MissedEvents {
    /// A position in one log.
    private struct LogCursor {
        let user: UserID
        /// The sequences of the next event and of the last one.
        var next: Int64
        let last: Int64
        /// The position of the next event in the feed.
        var position: Int64
    }

    private enum Rest {
        /// The rows of the feed after `after`, up to `last`.
        case feed(after: Int64, last: Int64)
        /// The logs of the users, which are merged by their positions in the feed.
        ///
        /// They are a heap: no log's next event comes before that of the first.
        case logs([LogCursor])
    }

    private var rest = Rest.logs([])
    /// The callers that the feed tells of the events that were returned last, by their positions.
    ///
    /// No user's log has them: clients do not get to know who called.
    private(set) var callers: [Int64: FeedCaller] = [:]

    var isDone: Bool {
        switch rest {
        case .feed(let after, let last): after >= last
        case .logs(let cursors): cursors.isEmpty
        }
    }

    /// The position of the feed up to which all events were returned; nil for events of logs.
    var reached: Int64? {
        if case .feed(let after, _) = rest { after } else { nil }
    }

    /// No events.
    init() {}

    /// The events of the whole app; nil if some of them are no longer kept.
    init?(of feed: FeedState, since position: Int64) {
        guard feed.trimmedTo <= position else { return nil }
        rest = .feed(after: position, last: feed.position)
    }

    /// The events in the logs of `users`; nil if some of them are no longer kept.
    init?(
        of users: [UserID], since position: Int64, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) {
        var keys = KeyList()
        Accounts.userRecords(of: users, app: app, into: &keys)
        var cursors: [LogCursor] = []
        for (user, userRecord) in zip(users, try Tables.userRecords.records(keys, in: transaction))
        {
            guard let userRecord else {
                // A deleted account had events; an account that was never named has none.
                let isGone = try Tables.departed.contains(
                    app.partition(of: user), OnlyKey(), in: transaction)
                if isGone { return nil }
                continue
            }
            guard userRecord.logFloorPosition <= position else { return nil }
            let first = try Self.first(of: user, userRecord, after: position, app, transaction)
            guard first <= userRecord.sequence else { continue }
            let next = try Self.position(of: user, at: first, app, transaction)
            cursors.append(
                LogCursor(user: user, next: first, last: userRecord.sequence, position: next))
        }
        // A list that is in order is a heap too.
        rest = .logs(cursors.sorted { $0.position < $1.position })
    }

    /// The sequence of the first event after that position of the feed; the one after the last
    /// event if there is none.
    ///
    /// Positions grow as sequences do.
    private static func first(
        of user: UserID, _ userRecord: UserRecord, after position: Int64, _ app: App,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> Int64 {
        var (low, high) = (userRecord.logFloor + 1, userRecord.sequence + 1)
        while low < high {
            let middle = low + (high - low) / 2
            let found = try Self.position(of: user, at: middle, app, transaction)
            if found > position { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The position in the feed of one event of a log.
    private static func position(
        of user: UserID, at sequence: Int64, _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> Int64 {
        let event = try Tables.changePositions.record(
            app.partition(of: user), UInt64(sequence), in: transaction)
        guard let event else {
            throw StorageError(.corrupted, "the log of \(user) has a gap at \(sequence)")
        }
        return event.feedPosition
    }

    /// Returns the next events: about `limit`, or fewer if they are long.
    mutating func next(
        _ limit: Int, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [StoredEvent] {
        switch rest {
        case .feed(let after, let last):
            let (events, reached) = try next(
                limit, after: after, through: last, app, transaction)
            rest = .feed(after: reached, last: last)
            return events
        case .logs(var cursors):
            let events = try Self.next(limit, of: &cursors, app, transaction)
            rest = .logs(cursors)
            return events
        }
    }

    // MARK: The feed

    /// - Returns: The events, and the position up to which these are all.
    private mutating func next(
        _ limit: Int, after: Int64, through last: Int64, _ app: App,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> (events: [StoredEvent], reached: Int64) {
        guard after < last else { return ([], last) }
        let table = Tables.feed
        let range = table.rows(of: app.feed, after: UInt64(after))
        var entries: [(position: Int64, event: FeedEventRecord)] = []
        var callers: [Int64: FeedCaller] = [:]
        var isBroken = false
        var isAtEnd = true
        try table.scan(range, limit: .max, in: transaction) { end, bytes in
            guard entries.count < limit else {
                isAtEnd = false
                return .stop
            }
            guard let row = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            // The row that holds the next event may begin before it, and rows after the end of the
            // view are of a later commit.
            let next = row.entries(endingAt: Int64(end)).filter {
                $0.position > after && $0.position <= last
            }
            if let caller = row.caller { for entry in next { callers[entry.position] = caller } }
            entries += next
            return Int64(end) < last ? .more : .stop
        }
        if isBroken { throw StorageError(.corrupted, "a row of the feed does not decode") }
        self.callers = callers
        var events: [StoredEvent] = []
        var bytes = 0
        var remaining = entries[...]
        while !remaining.isEmpty, bytes < WatchLimits.batchBytes {
            let part = remaining.prefix(WatchLimits.feedEventsPerRead)
            remaining = remaining.dropFirst(part.count)
            let read = try Self.events(part.map(\.event), app, transaction)
            bytes += read.reduce(0) { $0 + $1.byteCount }
            events += read
        }
        if let next = remaining.first { return (events, next.position - 1) }
        return (events, isAtEnd ? last : entries.last?.position ?? last)
    }

    /// The events that rows of the feed name, except events of accounts that are gone.
    private static func events(
        _ entries: [FeedEventRecord], _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> [StoredEvent] {
        var events = entries.map { StoredEvent(feed: $0) }
        var keys = KeyList()
        var indices: [Int] = []
        for (index, entry) in entries.enumerated() where entry.event == nil && !entry.isErased {
            let user = UserID(stored: entry.userID)
            Tables.changes.add(app.partition(of: user), UInt64(entry.sequence), to: &keys)
            indices.append(index)
        }
        var rows: [[UInt8]?] = []
        try transaction.read(keys) { _, bytes in rows.append(bytes.map { Array($0) }) }
        for (index, row) in zip(indices, rows) {
            guard let row else { continue }
            events[index] = try stored(
                row, of: UserID(stored: entries[index].userID),
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
        _ limit: Int, of cursors: inout [LogCursor], _ app: App,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [StoredEvent] {
        var events: [StoredEvent] = []
        var bytes = 0
        while events.count < limit, bytes < WatchLimits.batchBytes, !cursors.isEmpty {
            let read = try nextEvents(&cursors, limit - events.count, app, transaction)
            bytes += read.reduce(0) { $0 + $1.byteCount }
            events += read
        }
        return events
    }

    /// The next events of the first log, as far as no other log has one before them.
    private static func nextEvents(
        _ cursors: inout [LogCursor], _ limit: Int, _ app: App,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [StoredEvent] {
        var cursor = cursors[0]
        let others = cursors[1...].prefix(2)
        let end = others.lazy.map(\.position).min() ?? .max
        var rows: [(sequence: Int64, bytes: [UInt8])] = []
        var count = 0
        var isDone = true
        var isBroken = false
        try ChangeLog.scan(
            of: cursor.user, after: cursor.next - 1, limit: .max, app: app, in: transaction
        ) { sequence, bytes in
            guard sequence <= cursor.last else { return .stop }
            guard let position = try? StoredEventHeader(bytes).feedPosition else {
                isBroken = true
                return .stop
            }
            let isNext = rows.isEmpty || position < end
            guard isNext, rows.count < limit, count < WatchLimits.batchBytes else {
                (cursor.next, cursor.position) = (sequence, position)
                isDone = false
                return .stop
            }
            rows.append((sequence, Array(bytes)))
            count += bytes.count
            return .more
        }
        if isBroken {
            throw StorageError(.corrupted, "an event of \(cursor.user) does not decode")
        }
        if isDone {
            cursors.swapAt(0, cursors.count - 1)
            cursors.removeLast()
        } else {
            cursors[0] = cursor
        }
        moveFirstDown(&cursors)
        var events: [StoredEvent] = []
        events.reserveCapacity(rows.count)
        for row in rows {
            events.append(
                try stored(row.bytes, of: cursor.user, sequence: row.sequence, transaction))
        }
        return events
    }

    /// Makes a heap again, of which only the first element may stand at a wrong index.
    private static func moveFirstDown(_ cursors: inout [LogCursor]) {
        var index = 0
        while true {
            let children = (2 * index + 1)..<min(2 * index + 3, max(cursors.count, 2 * index + 1))
            let least = children.min { cursors[$0].position < cursors[$1].position }
            guard let least, cursors[least].position < cursors[index].position else { return }
            cursors.swapAt(index, least)
            index = least
        }
    }
}
