import RelationModel
import Storage

/// One step of the walk of an erasure: a bounded number of rows in the order of its stages.
struct ErasureStep {
    /// How far the walk has come.
    var walk: ErasureWalkRecord
    let ledger: Ledger
    /// The rows that the step may still read or write.
    var left: Int
    /// The bytes of rows that it may still read.
    var bytesLeft = Limits.bytesPerErasureStep
    let names: ErasedNames
    let kept: ErasureKept

    init(_ walk: ErasureWalkRecord, limit: Int, in ledger: Ledger) {
        self.walk = walk
        self.ledger = ledger
        left = limit
        names = ErasedNames(walk.users.map(\.userID))
        kept = walk.kept ?? ErasureKept()
    }

    var partition: Partition { ledger.app.maintenance }
    var isSpent: Bool { left <= 0 || bytesLeft <= 0 }

    /// - Returns: Whether the walk is done.
    mutating func run() throws(StorageError) -> Bool {
        while !isSpent {
            let stage = ErasureStage(rawValue: walk.stage) ?? .end
            switch stage {
            case .records:
                try eraseRecords()
                advance(to: .imports)
            case .imports: if try eraseImports() { advance(to: .administrators) }
            case .administrators:
                if try eraseAnswers(of: .administrator) { advance(to: .users) }
            case .users: if try eraseUsers() { try beginFeed() }
            case .feed:
                if try eraseFeed() {
                    try eraseHookFailures()
                    if kept.logsUntilMs == 0 { left -= try ErasedEvents.note(in: ledger) }
                    advance(to: .deletions)
                }
            case .deletions: if try eraseDeletions() { advance(to: .audit) }
            case .audit: if try eraseAudit() { advance(to: .end) }
            case .end: return try end()
            }
        }
        return false
    }

    private mutating func advance(to stage: ErasureStage) {
        walk.stage = stage.rawValue
        (walk.userID, walk.position, walk.requestID) = ("", 0, "")
        walk.isInAnswers = false
    }

    /// Counts rows that named the users at `indices`.
    mutating func count(
        _ indices: some Sequence<Int>, _ path: WritableKeyPath<ErasureTally, Int64>
    ) {
        for index in indices {
            var tally = walk.users[index].tally ?? ErasureTally()
            tally[keyPath: path] += 1
            walk.users[index].tally = tally
        }
    }

    // MARK: Rows of the app

    /// Removes the rows that keep a position under the users' ids, and the ends of their sessions.
    private mutating func eraseRecords() throws(StorageError) {
        let transaction = ledger.transaction
        for (index, user) in walk.users.enumerated() {
            let id = UserID(stored: user.userID)
            if try Tables.longLogs.contains(partition, id, in: transaction) {
                Tables.longLogs.remove(partition, id, in: transaction)
                count([index], \.others)
            }
            guard !kept.sessionEnd else { continue }
            if try SessionRules.erase(id, in: ledger) { count([index], \.others) }
            left -= 2
        }
        let retention = try Tables.retention.record(partition, OnlyKey(), in: transaction)
        guard var retention, let index = names[retention.lookedAt] else { return }
        // The look at all users starts over.
        retention.lookedAt = ""
        try Tables.retention.set(retention, at: partition, OnlyKey(), in: transaction)
        count([index], \.others)
    }

    /// Removes the progress of imports that stand at one of the users: they cannot go on.
    private mutating func eraseImports() throws(StorageError) -> Bool {
        let table = Tables.imports
        let last = walk.requestID.isEmpty ? nil : ImportKey(walk.userID, walk.requestID)
        let range =
            last.map { table.rows(of: partition, after: $0) } ?? table.all(of: partition)
        var found: [(key: ImportKey, indices: Set<Int>)] = []
        let isEnd = try scan(table, range) { (key: ImportKey, record, _, names) in
            guard let position = record.position else { return found.append((key, [])) }
            let section = UInt8(exactly: position.section).flatMap(AppExport.Section.init)
            let user = section?.user(in: position.rowKey)
            let other = user.map { names.indices($0.text) } ?? []
            found.append((key, names.indices(position.userID).union(other)))
        }
        for (key, indices) in found where !indices.isEmpty {
            table.remove(partition, key, in: ledger.transaction)
            count(indices, \.others)
        }
        if let last = found.last?.key { (walk.userID, walk.requestID) = (last.call, last.id) }
        return isEnd
    }

    /// Takes the ids out of the failed requests of hooks, now that the feed has no more events of
    /// the users.
    private mutating func eraseHookFailures() throws(StorageError) {
        let table = Tables.hookFailures
        let (partition, transaction) = (ledger.app.partition, ledger.transaction)
        var found: [(key: HookFailureKey, record: HookFailureRecord, index: Int)] = []
        let names = names
        // A hook keeps few, so they are read at once.
        try table.scan(table.all(of: partition), limit: .max, in: transaction) { key, bytes in
            let record = table.decode(bytes, in: transaction.arena)
            if let record, let index = names[record.userID] { found.append((key, record, index)) }
            return .more
        }
        for (key, record, index) in found {
            var record = record
            // A receiver may have repeated the id in what it answered.
            if record.cause.contains(record.userID) { record.cause = "" }
            record.userID = ""
            try table.set(record, at: partition, key, in: transaction)
            count([index], \.others)
        }
        left -= found.count
    }

    /// Takes the ids out of earlier deletions of accounts that had them.
    private mutating func eraseDeletions() throws(StorageError) -> Bool {
        let table = Tables.deletions
        let range = table.rows(of: partition, after: UInt64(walk.position))
        var found: [(number: UInt64, record: DeletionRecord)] = []
        let isEnd = try scan(table, range) { (number: UInt64, record, _, _) in
            found.append((number, record))
        }
        let present = Set(walk.users.map(\.number))
        for (number, record) in found where !present.contains(number) {
            guard let index = names[record.userID] else { continue }
            var record = record
            record.userID = ""
            try table.set(record, at: partition, number, in: ledger.transaction)
            count([index], \.others)
        }
        if let last = found.last { walk.position = Int64(last.number) }
        return isEnd
    }

    /// Takes the ids out of records of the audit, also out of request ids: what is hashed of them
    /// stays, and tells nothing.
    ///
    /// A request id that has the id of another account around an erased one names that account:
    /// without an erasure of `ann-b`, the request id `add:ann-b` stays when `ann` is erased.
    private mutating func eraseAudit() throws(StorageError) -> Bool {
        let table = Tables.audit
        let range = table.rows(of: ledger.app.audit, after: UInt64(walk.position))
        var found: [(number: UInt64, record: AuditRow)] = []
        let isEnd = try scan(table, range) { (number: UInt64, record, _, _) in
            found.append((number, record))
        }
        var looks = Limits.rowsPerErasureStep
        for (number, record) in found {
            guard looks > 0 else {
                // The next step reads the others again.
                left = 0
                return false
            }
            walk.position = Int64(number)
            let named = try namedUsers(inRequestID: record, &looks)
            guard let erased = AuditChain.erased(record, names, named: named) else { continue }
            try table.set(erased.row, at: ledger.app.audit, number, in: ledger.transaction)
            count(erased.indices, \.others)
        }
        return isEnd
    }

    /// The erased users whom a request id names.
    ///
    /// - Parameter looks: How many users the step may still look up, roughly.
    private func namedUsers(
        inRequestID row: AuditRow, _ looks: inout Int
    ) throws(StorageError) -> Set<Int> {
        guard !row.requestDigest.isEmpty else { return [] }
        var named: Set<Int> = []
        for word in names.words(inText: row.requestID) where !named.contains(word.index) {
            let others = word.around.map(\.text).filter { names[$0] == nil }
                .map { UserID(stored: $0) }
            looks -= others.count
            let records = try Accounts.records(
                of: others, app: ledger.app, in: ledger.transaction)
            if records.allSatisfy({ $0 == nil }) { named.insert(word.index) }
        }
        return named
    }

    // MARK: The end

    /// Removes all that is left under the users' ids, and makes the receipts.
    private mutating func end() throws(StorageError) -> Bool {
        let transaction = ledger.transaction
        for (index, user) in walk.users.enumerated() {
            let own = ledger.partition(of: UserID(stored: user.userID))
            let departed = try Tables.departed.record(own, OnlyKey(), in: transaction)
            if let departed {
                // Each later account begins above it, since it may have the id.
                try ledger.changeFeedState { feed in
                    let sequence = departed.userRecord?.sequence ?? 0
                    feed.erasedSequence = max(feed.erasedSequence, sequence)
                    feed.erasedVersion = max(feed.erasedVersion, departed.profileVersion)
                }
            }
            for range in UserRows.ranges(of: own) {
                let most = Limits.rowsPerErasureStep
                for _ in 0..<(try transaction.removeRows(of: range, limit: most)) {
                    count([index], \.others)
                }
            }
            let deletion = try Tables.deletions.record(partition, user.number, in: transaction)
            guard var deletion else { continue }
            deletion.userID = ""
            deletion.state = .done
            deletion.finishedMs = ledger.now.milliseconds
            // The deletion that came before has dealt with the reports.
            var tally = walk.users[index].tally ?? ErasureTally()
            tally.reports = deletion.tally?.reports ?? 0
            var kept = try keptOf(UserID(stored: user.userID))
            kept.reportsUntilMs = deletion.kept?.reportsUntilMs ?? 0
            (deletion.tally, deletion.kept) = (tally, kept)
            try Tables.deletions.set(deletion, at: partition, user.number, in: transaction)
            try AuditChain.recordErasure(
                user.number, digest: deletion.digest, rows: tally.rows, in: ledger)
        }
        return true
    }

    /// The kinds of rows that are kept of one user.
    private func keptOf(_ user: UserID) throws(StorageError) -> ErasureKept {
        var kept = kept
        let partition = ledger.app.partition
        kept.sessionEnd = try Tables.sessionEnds.contains(
            partition, user, in: ledger.transaction)
        kept.sessionEndDigest = try Tables.sessionEnds.contains(
            partition, SessionRules.erasedName(of: user), in: ledger.transaction)
        return kept
    }

    // MARK: Reading

    /// Reads the next rows of a table, as many as the step has room for.
    ///
    /// - Returns: Whether the range has no more.
    mutating func scan<TableKey, Record>(
        _ table: Table<TableKey, Record>, _ range: KeyRange,
        _ body: (TableKey, Record, UnsafeRawBufferPointer, ErasedNames) -> Void
    ) throws(StorageError) -> Bool {
        var isBroken = false
        var isEnd = true
        let limit = max(1, left)
        var (rows, bytesLeft) = (0, bytesLeft)
        let (arena, names) = (ledger.transaction.arena, names)
        try table.scan(range, limit: limit + 1, in: ledger.transaction) { key, bytes in
            guard rows < limit, rows == 0 || bytesLeft > 0 else {
                isEnd = false
                return .stop
            }
            guard let record = table.decode(bytes, in: arena) else {
                isBroken = true
                return .stop
            }
            body(key, record, bytes, names)
            rows += 1
            bytesLeft -= bytes.count
            return .more
        }
        if isBroken {
            throw StorageError(.corrupted, "a row that an erasure reads does not decode")
        }
        self.bytesLeft = bytesLeft
        left -= rows
        return isEnd
    }
}
