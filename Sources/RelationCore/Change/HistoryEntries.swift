import RelationModel
import Storage

/// The entries that one call adds to the history of its app, while they are made.
struct HistoryEntries {
    private(set) var all: [HistoryRecord] = []
    /// The users of each entry but the first, which most calls have alone.
    private var indices: [[UserID]: Int] = [:]
    private let ledger: Ledger

    init(of ledger: Ledger) {
        self.ledger = ledger
    }

    /// Adds a row between two users.
    mutating func add(_ row: HistoryTransaction.ChangedRow) {
        guard let other = row.other else { return }
        var change = HistoryChangeRecord()
        change.table = UInt32(row.table)
        change.pendencyType = row.pendencyType
        (change.before, change.after) = (row.before, row.after)
        if let index = index(of: row.owner, other) {
            all[index].changes.append(change)
        } else if let index = index(of: other, row.owner) {
            change.isOfOther = true
            all[index].changes.append(change)
        } else {
            make(change, row.owner, other)
        }
    }

    /// Adds the fields of a profile that differ, unless none does, or the profile is gone.
    mutating func addProfile(_ row: HistoryTransaction.ChangedRow) throws(StorageError) {
        // A deletion has no history.
        guard !row.after.isEmpty else { return }
        let difference = ProfileDifference(
            from: try record(row.before), to: try record(row.after))
        guard !difference.paths.isEmpty else { return }
        let (table, arena) = (Tables.profiles, ledger.transaction.arena)
        var change = HistoryChangeRecord()
        change.table = UInt32(row.table)
        change.before = try table.encode(difference.before, in: arena)
        change.after = try table.encode(difference.after, in: arena)
        change.paths = difference.paths
        add(change, of: row.owner)
    }

    private func record(_ bytes: [UInt8]) throws(StorageError) -> ProfileRecord {
        guard !bytes.isEmpty else { return ProfileRecord() }
        let arena = ledger.transaction.arena
        let record = bytes.withUnsafeBytes { Tables.profiles.decode($0, in: arena) }
        guard let record else { throw StorageError(.corrupted, "a profile does not decode") }
        return record
    }

    /// Adds the groups that were made, renamed or deleted.
    ///
    /// A group that is made for a friend stands in the row of that friend, and has no change of its
    /// own.
    mutating func addGroups(
        _ rows: [HistoryTransaction.ChangedRow]
    ) throws(StorageError) {
        let groups = rows.filter { row in
            row.table == Tables.groups.kind && (row.before.isEmpty || row.after.isEmpty)
        }
        guard !groups.isEmpty else { return }
        let gone = groups.filter(\.after.isEmpty)
        var new = groups.filter(\.before.isEmpty)
        for row in gone {
            let number = try number(row.before)
            var index: Int?
            for (position, other) in new.enumerated()
            where other.owner == row.owner && index == nil {
                if try self.number(other.after) == number { index = position }
            }
            addGroup(row.group, index.map { new.remove(at: $0).group }, of: row.owner)
        }
        guard !new.isEmpty else { return }
        let named = try namedGroups(rows)
        for row in new where !named.contains([row.owner.text, row.group]) {
            addGroup(nil, row.group, of: row.owner)
        }
    }

    private func number(_ bytes: [UInt8]) throws(StorageError) -> UInt32 {
        let arena = ledger.transaction.arena
        let record = bytes.withUnsafeBytes { Tables.groups.decode($0, in: arena) }
        guard let record else { throw StorageError(.corrupted, "a group does not decode") }
        return record.number
    }

    /// The owners and groups in the rows of friends that the call wrote.
    private func namedGroups(
        _ rows: [HistoryTransaction.ChangedRow]
    ) throws(StorageError) -> Set<[String]> {
        let (table, arena) = (Tables.friends, ledger.transaction.arena)
        var named: Set<[String]> = []
        for row in rows where row.table == table.kind && !row.after.isEmpty {
            guard let record = row.after.withUnsafeBytes({ table.decode($0, in: arena) }) else {
                throw StorageError(.corrupted, "a friend's row does not decode")
            }
            for group in record.groups { named.insert([row.owner.text, group]) }
        }
        return named
    }

    private mutating func addGroup(_ before: String?, _ after: String?, of owner: UserID) {
        var change = HistoryChangeRecord()
        change.table = UInt32(Tables.groups.kind)
        change.before = Array((before ?? "").utf8)
        change.after = Array((after ?? "").utf8)
        add(change, of: owner)
    }

    /// Adds a change of a user alone.
    private mutating func add(_ change: HistoryChangeRecord, of user: UserID) {
        if let index = index(of: user, nil) {
            all[index].changes.append(change)
        } else {
            make(change, user, nil)
        }
    }

    private func index(of user: UserID, _ other: UserID?) -> Int? {
        guard let first = all.first else { return nil }
        if first.userID.isExactly(user.text), first.otherUserID.isExactly(other?.text ?? "") {
            return 0
        }
        return all.count == 1 ? nil : indices[other.map { [user, $0] } ?? [user]]
    }

    private mutating func make(_ change: HistoryChangeRecord, _ user: UserID, _ other: UserID?) {
        if !all.isEmpty { indices[other.map { [user, $0] } ?? [user]] = all.count }
        var entry = HistoryRecord()
        entry.timeMs = ledger.now.milliseconds
        entry.caller = ledger.origin.caller
        entry.actorUserID = ledger.origin.user?.text ?? ""
        entry.deviceID = ledger.origin.deviceID
        entry.requestID = ledger.origin.requestID
        if let source = ledger.origin.source {
            (entry.credential, entry.address) = (source.credential, source.address)
            entry.hookAnswer = source.hookAnswer
        }
        entry.userID = user.text
        entry.otherUserID = other?.text ?? ""
        entry.changes = [change]
        all.append(entry)
    }
}
