import RelationModel
import Storage

/// A check of the history of one app, part by part: it may have millions of entries.
///
/// Each part is bounded, and so is its repair. The counts are compared at the end, with the entries
/// of all parts, and repaired by the difference: meanwhile the app may get entries and lose some.
package struct HistoryCheck {
    /// The errors of one part.
    package struct Part {
        /// Entries about a user that is not an account.
        package fileprivate(set) var strays: [UInt64] = []
        /// Entries to which not all rows lead that should.
        package fileprivate(set) var unlisted: [UInt64] = []
        /// Rows of request ids that lead to no entry.
        package fileprivate(set) var strayRequests: [RequestPosition] = []
        /// The rows and bytes that the counts lack; negative where they have too much.
        package fileprivate(set) var missing: HistoryState?
        /// These errors as findings.
        package fileprivate(set) var findings: [Integrity.Finding] = []
    }

    private enum Stage { case entries, requests, counts, end }

    package var isDone: Bool { stage == .end }
    private let app: App
    private let limit: Int
    private var stage = Stage.entries
    private var last: UInt64 = 0
    private var lastRequest: RequestPosition?
    private var sums = HistoryState()

    package init(_ app: App, limit: Int = CoreLimits.historyEntriesPerCheck) {
        self.app = app
        self.limit = limit
    }

    /// Checks the next entries, then the next rows of request ids, and the counts at the end.
    package mutating func next(in transaction: any ReadTransaction) throws(StorageError) -> Part {
        switch stage {
        case .entries: return try checkEntries(in: transaction)
        case .requests: return try checkRequests(in: transaction)
        case .counts:
            stage = .end
            return try checkCounts(in: transaction)
        case .end: return Part()
        }
    }

    private mutating func checkEntries(
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Part {
        let (table, partition) = (Tables.history, app.historyPartition)
        var entries: [HistoryLog.Entry] = []
        var bytes: Int64 = 0
        var isBroken = false
        try table.scan(table.rows(of: partition, after: last), limit: limit, in: transaction) {
            position, value in
            guard let record = table.decode(value, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            entries.append(HistoryLog.Entry(position: position, record: record))
            bytes += Int64(value.count)
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "an entry of a history does not decode") }
        sums.count += Int64(entries.count)
        sums.bytes += bytes
        last = entries.last?.position ?? last
        sums.last = last
        if entries.count < limit { stage = .requests }
        var part = Part()
        for entry in entries {
            if let user = try Self.unknownUser(in: entry.record, app, transaction) {
                part.strays.append(entry.position)
                part.findings.append(
                    Integrity.Finding(user: user, fault: .halfPair, subject: "history"))
            } else if try !Self.isListed(entry, app, transaction) {
                part.unlisted.append(entry.position)
                part.findings.append(
                    Integrity.Finding(
                        user: entry.record.user, fault: .rowWithoutIndex, subject: "history"))
            }
        }
        return part
    }

    /// A user that the entry is about and that is not an account; nil if there is none.
    ///
    /// The entries of an account that is being deleted are its deletion's.
    private static func unknownUser(
        in record: HistoryRecord, _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> UserID? {
        for user in record.users {
            let partition = app.partition(of: user)
            if try Tables.userRecords.contains(partition, OnlyKey(), in: transaction) { continue }
            let departed = try Tables.departed.record(partition, OnlyKey(), in: transaction)
            if departed?.deletion ?? 0 == 0 { return user }
        }
        return nil
    }

    /// Whether all rows are there that should lead to the entry.
    private static func isListed(
        _ entry: HistoryLog.Entry, _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        for user in entry.record.indexedUsers {
            let partition = app.partition(of: user)
            guard
                try Tables.historyOfUsers.contains(partition, entry.position, in: transaction)
            else { return false }
        }
        guard let key = entry.record.requestKey(at: entry.position) else { return true }
        return try Tables.historyOfRequests.contains(app.historyRequests, key, in: transaction)
    }

    private mutating func checkRequests(
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Part {
        let (table, partition) = (Tables.historyOfRequests, app.historyRequests)
        var keys: [RequestPosition] = []
        let range = lastRequest.map { table.rows(of: partition, after: $0) }
        try table.scan(range ?? table.all(of: partition), limit: limit, in: transaction) { key, _ in
            keys.append(key)
            return .more
        }
        lastRequest = keys.last ?? lastRequest
        if keys.count < limit { stage = .counts }
        var part = Part()
        for key in keys where try !Self.leads(key, app, transaction) {
            part.strayRequests.append(key)
            part.findings.append(
                Integrity.Finding(
                    user: nil, fault: .indexWithoutRow, subject: "history_of_requests"))
        }
        return part
    }

    private static func leads(
        _ key: RequestPosition, _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        try HistoryLog.record(at: key.position, of: app, in: transaction)?
            .requestKey(at: key.position) == key
    }

    private func checkCounts(in transaction: any ReadTransaction) throws(StorageError) -> Part {
        let state = try HistoryLog.state(of: app, in: transaction)
        var part = Part()
        guard
            state.count != sums.count || state.bytes != sums.bytes || state.last < sums.last
        else { return part }
        var missing = HistoryState()
        missing.count = sums.count - state.count
        missing.bytes = sums.bytes - state.bytes
        missing.last = sums.last
        part.missing = missing
        part.findings.append(
            Integrity.Finding(user: nil, fault: .wrongCounter, subject: "history"))
        return part
    }

    // MARK: Repair

    /// Repairs the errors of a part, as far as they are still there.
    package static func repair(_ part: Part, in ledger: Ledger) throws(StorageError) {
        let (app, transaction) = (ledger.app, ledger.transaction)
        for position in part.strays {
            let record = try HistoryLog.record(at: position, of: app, in: transaction)
            guard let record, try unknownUser(in: record, app, transaction) != nil else { continue }
            try HistoryLog.remove(record, at: position, in: ledger)
        }
        for position in part.unlisted {
            guard let record = try HistoryLog.record(at: position, of: app, in: transaction) else {
                continue
            }
            try HistoryLog.list(record, at: position, in: ledger)
        }
        for key in part.strayRequests where try !leads(key, app, transaction) {
            Tables.historyOfRequests.remove(app.historyRequests, key, in: transaction)
        }
        guard let missing = part.missing else { return }
        var state = try HistoryLog.state(of: app, in: transaction)
        state.count += missing.count
        state.bytes += missing.bytes
        state.last = max(state.last, missing.last)
        try Tables.historyStates.set(state, at: app.historyPartition, OnlyKey(), in: transaction)
    }
}

extension IntegrityCheck {
    /// Checks that each row that leads the user to an entry of the history leads to one with it.
    mutating func checkHistory() throws(StorageError) {
        var rest = try rows(of: Tables.historyOfUsers).map(\.key)[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Limits.historyRowsAtOnce))
            rest = rest.dropFirst(part.count)
            var keys = KeyList()
            for position in part {
                Tables.history.add(app.historyPartition, position, to: &keys)
            }
            for (position, record) in zip(part, try Tables.history.records(keys, in: transaction))
            where record?.indexedUsers.contains(user) != true {
                noteStray(in: Tables.historyOfUsers, "history_of_users", position)
            }
        }
    }
}
