import RelationModel
import Storage

// The stage of an erasure that goes from account to account, and the one of the feed, whose rows
// name the logs.

extension ErasureStep {
    /// Erases the rows of the next accounts.
    ///
    /// - Returns: Whether all were looked at.
    mutating func eraseUsers() throws(StorageError) -> Bool {
        let last = UserID(walk.userID)
        let limit = Limits.accountsPerErasureStep
        let users = try Directory.page(
            of: ledger.app, after: last, limit: limit, in: ledger.transaction)
        var keys = KeyList()
        Accounts.userRecords(of: users, app: ledger.app, into: &keys)
        try ledger.fetch(keys)
        for user in users {
            guard !isSpent, try erase(user) else { return false }
            left -= 1
            walk.userID = user.text
            (walk.position, walk.requestID, walk.isInAnswers) = (0, "", false)
        }
        return users.count < limit
    }

    /// - Returns: Whether all rows of the account were looked at.
    private mutating func erase(_ user: UserID) throws(StorageError) -> Bool {
        if !walk.isInAnswers {
            if walk.position == 0 {
                try eraseTombstones(of: user)
                try eraseApplications(of: user)
            }
            guard try eraseLog(of: user) else { return false }
            walk.isInAnswers = true
        }
        return try eraseAnswers(of: user)
    }

    /// Removes the tombstones of the users, so that a copy from before is read as a whole.
    private mutating func eraseTombstones(of owner: UserID) throws(StorageError) {
        guard try ledger.userRecord(of: owner)?.tombstoneCount ?? 0 > 0 else { return }
        let partition = ledger.partition(of: owner)
        var keys = KeyList()
        let users = walk.users.map { UserID(stored: $0.userID) }
        for user in users { Tables.tombstones.add(partition, user, to: &keys) }
        let records = try Tables.tombstones.records(keys, in: ledger.transaction)
        for (index, record) in records.enumerated() {
            guard let record else { continue }
            try FriendVersions.forget(
                SequencedUser(sequence: record.sequence, user: users[index]), of: owner, in: ledger)
            count([index], \.removedFriends)
            left -= 2
        }
    }

    /// Removes the applications of the users from a history.
    private mutating func eraseApplications(of owner: UserID) throws(StorageError) {
        guard kept.applicationsUntilMs == 0,
            try ledger.userRecord(of: owner)?.handledCount ?? 0 > 0
        else { return }
        let table = Tables.handledApplications
        let partition = ledger.partition(of: owner)
        var gone: [(key: HandledKey, index: Int)] = []
        // A history is short, so it is read at once.
        try table.scan(table.all(of: partition), limit: .max, in: ledger.transaction) { key, _ in
            if let index = names[key.user.text] { gone.append((key, index)) }
            return .more
        }
        guard !gone.isEmpty else { return }
        for (key, index) in gone {
            table.remove(partition, key, in: ledger.transaction)
            count([index], \.applications)
        }
        left -= gone.count
        try ledger.changeUserRecord(of: owner) { $0.handledCount.decrease(by: gone.count) }
    }

    // MARK: Logs

    /// Looks at the next events of a log, and trims the log up to the last one that names a user.
    ///
    /// - Returns: Whether the whole log was looked at.
    private mutating func eraseLog(of owner: UserID) throws(StorageError) -> Bool {
        guard kept.logsUntilMs == 0, let userRecord = try ledger.userRecord(of: owner) else {
            return true
        }
        let table = Tables.changes
        let partition = ledger.partition(of: owner)
        let range = table.rows(of: partition, after: UInt64(walk.position))
        var last = walk.position
        var found: [(sequence: Int64, indices: Set<Int>)] = []
        let isEnd = try scan(table, range) { (sequence: UInt64, event, _, names) in
            last = Int64(sequence)
            let indices = names.indices(in: event)
            if !indices.isEmpty { found.append((last, indices)) }
        }
        // Events of an earlier history stand below the floor, and leave with the feed.
        for (sequence, indices) in found where sequence <= userRecord.logFloor {
            table.remove(partition, UInt64(sequence), in: ledger.transaction)
            count(indices, \.events)
        }
        found.removeAll { $0.sequence <= userRecord.logFloor }
        guard let newest = found.last?.sequence else {
            walk.position = last
            return isEnd
        }
        let floor = try trim(owner, userRecord, to: newest)
        for (_, indices) in found.prefix(while: { $0.sequence <= floor }) {
            count(indices, \.events)
        }
        // If not all could be removed, the next step finds the same event again.
        guard floor == newest else { return false }
        walk.position = last
        return isEnd
    }

    /// Removes the events of a log up to `sequence`, as many as the step has room for.
    ///
    /// - Returns: The new floor of the log.
    private mutating func trim(
        _ owner: UserID, _ userRecord: UserRecord, to sequence: Int64
    ) throws(StorageError) -> Int64 {
        let count = min(sequence - userRecord.logFloor, Int64(max(left, Limits.leastTrimmed)))
        let floor = userRecord.logFloor + count
        try Retention.trim(owner, from: userRecord.logFloor, to: floor, in: ledger)
        left -= Int(count)
        return floor
    }

    // MARK: Kept answers

    /// Removes kept answers that name the users: the same request is done again then.
    ///
    /// - Returns: Whether all answers of `owner` were looked at.
    mutating func eraseAnswers(of owner: UserID) throws(StorageError) -> Bool {
        guard kept.answersUntilMs == 0,
            try ledger.userRecord(of: owner)?.answerCount ?? 0 > 0
        else { return true }
        let table = Tables.answers
        let partition = ledger.partition(of: owner)
        let range =
            walk.requestID.isEmpty
            ? table.all(of: partition)
            : table.rows(of: partition, after: RequestID(walk.requestID))
        var last = walk.requestID
        var gone: [(key: TimedRequest, indices: Set<Int>)] = []
        let isEnd = try scan(table, range) { (id: RequestID, record, _, names) in
            last = id.text
            let indices = names.indices(in: record.response)
            if !indices.isEmpty {
                gone.append((TimedRequest(timeMs: record.timeMs, id: id), indices))
            }
        }
        for (key, indices) in gone {
            table.remove(partition, key.id, in: ledger.transaction)
            Tables.answersByTime.remove(partition, key, in: ledger.transaction)
            count(indices, \.answers)
        }
        if !gone.isEmpty {
            try ledger.changeUserRecord(of: owner) { $0.answerCount.decrease(by: gone.count) }
        }
        walk.requestID = last
        return isEnd
    }

    // MARK: The feed

    /// Begins the stage of the feed, up to where it ends now.
    mutating func beginFeed() throws(StorageError) {
        walk.stage = ErasureStage.feed.rawValue
        let feed = try ledger.feedState()
        (walk.position, walk.feedEnd) = (feed.feedFloor, feed.position)
    }

    /// Takes the events of the users out of the next rows of the feed.
    ///
    /// - Returns: Whether the feed was looked at up to its end.
    mutating func eraseFeed() throws(StorageError) -> Bool {
        guard kept.logsUntilMs == 0, walk.position < walk.feedEnd else { return true }
        let table = Tables.feed
        let partition = ledger.app.feed
        let range = table.rows(of: partition, after: UInt64(walk.position))
        var last = walk.position
        var found: [(last: Int64, record: FeedRecord, indices: [Int: Set<Int>])] = []
        let isEnd = try scan(table, range) { (position: UInt64, record, _, names) in
            last = Int64(position)
            var indices: [Int: Set<Int>] = [:]
            for (number, event) in record.events.enumerated() {
                var named = names.indices(event.userID)
                if let own = event.event { named.formUnion(names.indices(in: own)) }
                if !named.isEmpty { indices[number] = named }
            }
            if !indices.isEmpty { found.append((last, record, indices)) }
        }
        for row in found {
            var record = row.record
            let first = row.last - Int64(record.events.count) + 1
            for (number, indices) in row.indices {
                // No log has this event, so a reader that has not seen it must start over.
                if record.events[number].event != nil {
                    try ledger.changeFeedState { feed in
                        feed.trimmedTo = max(feed.trimmedTo, first + Int64(number))
                    }
                }
                var erased = FeedEventRecord()
                erased.sequence = record.events[number].sequence
                record.events[number] = erased
                count(indices, \.feedEntries)
            }
            record.hasOwnEvents = record.events.contains { $0.event != nil }
            record.isRewritten = true
            try table.set(record, at: partition, UInt64(row.last), in: ledger.transaction)
        }
        walk.position = last
        return isEnd || last >= walk.feedEnd
    }
}
