import Memory
import Protobuf
package import RelationModel
import Storage

/// The history of an app's relations: what rows were before calls changed them.
///
/// An entry is about two users, and stands in the app's own rows under its position, which grows
/// with each entry. Each of the two users has a row that leads to it. The ledger writes entries in
/// the transaction of the call, see ``Ledger/writeHistory(of:)``.
package enum HistoryLog {
    /// An entry with its position.
    package struct Entry {
        package let position: UInt64
        package let record: HistoryRecord
    }

    /// The entries that a caller asks for.
    package struct Query: Sendable {
        /// The user that they name; nil for all.
        package var user: UserID?
        /// The other user that they name; nil for any.
        package var other: UserID?
        /// The kinds of changes of which they have at least one; none means all.
        package var kinds: Set<ChangeKind> = []
        /// The acting user; nil for any.
        package var actor: UserID?
        /// The kind of the credential; nil for any.
        package var caller: CallerKind?
        /// The request id of the call; empty for any.
        package var requestID = ""
        /// No entry from before this time; 0 for no bound.
        package var sinceMs: Int64 = 0
        /// No entry of this time and later; 0 for no bound.
        package var untilMs: Int64 = 0

        package init() {}

        func wants(
            _ record: HistoryRecord, in transaction: any ReadTransaction
        ) throws(StorageError) -> Bool {
            // A user may be the acting one alone.
            guard user.map({ record.names($0) }) ?? true, record.timeMs >= sinceMs,
                untilMs == 0 || record.timeMs < untilMs,
                other.map({ record.names($0) }) ?? true,
                actor.map({ record.actorUserID.isExactly($0.text) }) ?? true,
                caller.map({ record.caller == $0 }) ?? true,
                requestID.isEmpty || record.requestID.isExactly(requestID)
            else { return false }
            guard !kinds.isEmpty else { return true }
            return try record.rows(in: transaction).contains { kinds.contains($0.kind) }
        }
    }

    /// The wanted ones among the `limit` latest entries below `position`, the latest first.
    ///
    /// It looks at fewer entries if they are long.
    ///
    /// - Parameter position: 0 for the latest of all.
    /// - Returns: The entries, and the position of the last one that was looked at, if there are
    ///   more.
    package static func page(
        _ query: Query, below position: UInt64, limit: Int, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> (entries: [Entry], next: UInt64?) {
        let positions = try self.positions(
            query, below: position, limit: limit + 1, app: app, in: transaction)
        var entries: [Entry] = []
        var bytes = 0
        var rest = positions.prefix(limit)
        while !rest.isEmpty {
            let part = Array(rest.prefix(Limits.historyRowsAtOnce))
            rest = rest.dropFirst(part.count)
            for (position, record) in zip(part, try records(at: part, of: app, in: transaction)) {
                guard let record, try query.wants(record, in: transaction) else { continue }
                entries.append(Entry(position: position, record: record))
                bytes += record.bytesAtMost
                if bytes >= Limits.historyPageBytes, position != positions.last {
                    return (entries, position)
                }
            }
        }
        return (entries, positions.count > limit ? positions[limit - 1] : nil)
    }

    private static func records(
        at positions: [UInt64], of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [HistoryRecord?] {
        var keys = KeyList()
        for position in positions { Tables.history.add(app.historyPartition, position, to: &keys) }
        return try Tables.history.records(keys, in: transaction)
    }

    /// The positions of the next `limit` entries which a query looks at, the latest first.
    ///
    /// They stand below the request id if the query has one, else below the user, else below the
    /// acting user, else in the history of the app.
    private static func positions(
        _ query: Query, below position: UInt64, limit: Int, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [UInt64] {
        var positions: [UInt64] = []
        if !query.requestID.isEmpty {
            let (table, partition) = (Tables.historyOfRequests, app.historyRequests)
            let id = RequestID(query.requestID)
            let range = KeyRange(
                in: partition,
                from: [table.kind] + RequestPosition(id: id, position: 0).bytes,
                to: [table.kind]
                    + RequestPosition(id: id, position: position == 0 ? .max : position).bytes)
            try table.scan(range, .descending, limit: limit, in: transaction) { key, _ in
                positions.append(key.position)
                return .more
            }
            return positions
        }
        if let user = query.user ?? query.actor {
            let (table, partition) = (Tables.historyOfUsers, app.partition(of: user))
            let range =
                position == 0
                ? table.all(of: partition) : table.rows(of: partition, before: position)
            try table.scan(range, .descending, limit: limit, in: transaction) { position, _ in
                positions.append(position)
                return .more
            }
            return positions
        }
        let (table, partition) = (Tables.history, app.historyPartition)
        let range =
            position == 0 ? table.all(of: partition) : table.rows(of: partition, before: position)
        try table.scan(range, .descending, limit: limit, in: transaction) { position, _ in
            positions.append(position)
            return .more
        }
        return positions
    }

    /// The positions of the next entries to be taken back that a query wants, the latest first.
    ///
    /// It leaves out entries that cannot be taken back. It looks at up to
    /// ``Limits/undoneHistoryRows`` entries, and at none that is older than the query wants by more
    /// than ``Limits/historySkewMilliseconds``: positions are given out by the clocks of several
    /// servers.
    ///
    /// - Parameter position: 0 for the latest of all.
    /// - Returns: Up to `limit` positions, and the last position that was looked at, if there may
    ///   be more.
    package static func selection(
        _ query: Query, below position: UInt64, limit: Int, in ledger: Ledger
    ) throws(StorageError) -> (positions: [UInt64], next: UInt64?) {
        let (app, transaction) = (ledger.app, ledger.transaction)
        let looked = Limits.undoneHistoryRows
        let positions = try self.positions(
            query, below: position, limit: looked + 1, app: app, in: transaction)
        let oldest = query.sinceMs - min(query.sinceMs, Limits.historySkewMilliseconds)
        var found: [UInt64] = []
        var rest = positions.prefix(looked)
        while !rest.isEmpty {
            let part = Array(rest.prefix(Limits.historyRowsAtOnce))
            rest = rest.dropFirst(part.count)
            var keys = KeyList()
            for position in part {
                Tables.history.add(app.historyPartition, position, to: &keys)
            }
            try ledger.fetch(keys)
            for (position, record) in zip(part, try Tables.history.records(keys, in: transaction)) {
                guard let record else { continue }
                if record.timeMs < oldest { return (found, nil) }
                guard record.canBeTakenBack, try query.wants(record, in: transaction) else {
                    continue
                }
                found.append(position)
                if found.count == limit {
                    return (found, position == positions.last ? nil : position)
                }
            }
        }
        return (found, positions.count > looked ? positions[looked - 1] : nil)
    }

    /// The entry at a position; nil if there is none, or it was removed.
    package static func record(
        at position: UInt64, of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> HistoryRecord? {
        try Tables.history.record(app.historyPartition, position, in: transaction)
    }

    /// How many entries the app keeps, and their bytes.
    package static func state(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> HistoryState {
        try Tables.historyStates.record(app.historyPartition, OnlyKey(), in: transaction)
            ?? HistoryState()
    }

    // MARK: Removal

    /// Removes entries about `user`, whose account is deleted: the next `limit` of them.
    ///
    /// An entry about others in which it acted stays, without its name.
    ///
    /// - Returns: How many it removed.
    static func forget(
        _ user: UserID, limit: Int, in ledger: Ledger
    ) throws(StorageError) -> Int {
        let (app, transaction) = (ledger.app, ledger.transaction)
        var query = Query()
        query.user = user
        let positions = try positions(query, below: 0, limit: limit, app: app, in: transaction)
        guard !positions.isEmpty else { return 0 }
        var state = try state(of: app, in: transaction)
        for (position, record) in zip(
            positions, try records(at: positions, of: app, in: transaction))
        {
            if let record, record.names(user) {
                try remove(record, at: position, &state, app, transaction)
            } else if var record {
                let bytes = try Tables.history.encode(record, in: transaction.arena).count
                if let key = record.requestKey(at: position) {
                    Tables.historyOfRequests.remove(app.historyRequests, key, in: transaction)
                }
                (record.actorUserID, record.deviceID, record.requestID) = ("", "", "")
                let output = try Tables.history.encoded(record, in: transaction)
                state.bytes += Int64(output.bytes.count - bytes)
                try Tables.history.set(
                    encoded: output.bytes, at: app.historyPartition, position, in: transaction)
            }
            // A row that leads to no entry goes too.
            Tables.historyOfUsers.remove(app.partition(of: user), position, in: transaction)
        }
        try Tables.historyStates.set(
            state, at: app.historyPartition, OnlyKey(), in: transaction)
        return positions.count
    }

    /// Removes one entry with all rows that lead to it.
    static func remove(
        _ record: HistoryRecord, at position: UInt64, in ledger: Ledger
    ) throws(StorageError) {
        var state = try state(of: ledger.app, in: ledger.transaction)
        try remove(record, at: position, &state, ledger.app, ledger.transaction)
        try Tables.historyStates.set(
            state, at: ledger.app.historyPartition, OnlyKey(), in: ledger.transaction)
    }

    /// Writes the rows that lead to an entry: those of its users, and that of its request id.
    static func list(
        _ record: HistoryRecord, at position: UInt64, in ledger: Ledger
    ) throws(StorageError) {
        for user in record.indexedUsers {
            try Tables.historyOfUsers.set(
                EmptyRecord(), at: ledger.partition(of: user), position, in: ledger.transaction)
        }
        guard let key = record.requestKey(at: position) else { return }
        try Tables.historyOfRequests.set(
            EmptyRecord(), at: ledger.app.historyRequests, key, in: ledger.transaction)
    }

    private static func remove(
        _ record: HistoryRecord, at position: UInt64, _ state: inout HistoryState, _ app: App,
        _ transaction: any WriteTransaction
    ) throws(StorageError) {
        Tables.history.remove(app.historyPartition, position, in: transaction)
        if let key = record.requestKey(at: position) {
            Tables.historyOfRequests.remove(app.historyRequests, key, in: transaction)
        }
        for user in record.indexedUsers {
            Tables.historyOfUsers.remove(app.partition(of: user), position, in: transaction)
        }
        let bytes = try Tables.history.encode(record, in: transaction.arena).count
        state.count = max(0, state.count - 1)
        state.bytes = max(0, state.bytes - Int64(bytes))
    }

    /// Removes up to `limit` entries of the app that are too old, or too many bytes: one step of
    /// the maintenance.
    ///
    /// No event reports it.
    ///
    /// - Returns: Whether there may be more.
    package static func trim(
        _ app: App, at now: Timestamp, limit: Int, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        var state = try state(of: app, in: transaction)
        // An older server kept the history without a note of its beginning.
        if app.keepsHistory, try sinceMs(of: app, in: transaction) == nil {
            try begin(app, at: now, in: transaction)
        }
        guard state.count > 0 else { return false }
        let (table, partition) = (Tables.history, app.historyPartition)
        let days = Int64(app.settings.historyDays)
        let cutoff = days == 0 ? Int64.max : now.milliseconds - days * 86_400_000
        var excess = state.bytes - app.settings.historyBytes
        var entries: [Entry] = []
        var isBroken = false
        try table.scan(table.all(of: partition), limit: limit, in: transaction) { position, bytes in
            guard let record = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            guard record.timeMs <= cutoff || excess > 0 else { return .stop }
            excess -= Int64(bytes.count)
            entries.append(Entry(position: position, record: record))
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "an entry of a history does not decode") }
        guard !entries.isEmpty else { return false }
        for entry in entries {
            try remove(entry.record, at: entry.position, &state, app, transaction)
        }
        try Tables.historyStates.set(state, at: partition, OnlyKey(), in: transaction)
        if app.keepsHistory {
            let last = entries.map(\.record.timeMs).max() ?? 0
            try begin(app, at: Timestamp(milliseconds: last), in: transaction)
        }
        return entries.count == limit
    }
}
