import RelationModel
import Storage

/// The versions of a friend list: each row has the sequence of its last change, and each removed
/// friend leaves a tombstone.
///
/// A user has a row or a tombstone, never both. Tombstones are kept as long as the log is. Later
/// writes remove older ones, at most ``trimmedPerWrite`` each, and the user record says up to which
/// sequence.
package enum FriendVersions {
    /// Tombstones that one write removes: more than it makes, so that their number falls, and so
    /// few that no call pays for the past.
    package static let trimmedPerWrite = 2

    /// Notes that the row of `friend` was written with the sequence `new`; `old` is its former
    /// sequence, or 0 if the row is new.
    static func note(
        _ friend: UserID, of owner: UserID, from old: Int64, to new: Int64, in ledger: Ledger
    ) throws(StorageError) {
        if old == 0 { try revive(friend, of: owner, in: ledger) }
        // A row may have the sequence of an event about something else, such as its groups.
        try ledger.changeUserRecord(of: owner) { $0.friendsSequence = max($0.friendsSequence, new) }
        try trim(owner, in: ledger)
    }

    /// Notes that the row of `friend` was removed by the event with the sequence `new`.
    static func noteRemoval(
        _ friend: UserID, of owner: UserID, at new: Int64, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: owner)
        let transaction = ledger.transaction
        var tombstone = TombstoneRecord()
        tombstone.sequence = new
        tombstone.timeMs = ledger.now.milliseconds
        try Tables.tombstones.set(tombstone, at: partition, friend, in: transaction)
        try Tables.tombstonesBySequence.set(
            EmptyRecord(), at: partition, SequencedUser(sequence: tombstone.sequence, user: friend),
            in: transaction)
        try ledger.changeUserRecord(of: owner) { userRecord in
            if userRecord.tombstoneCount == 0 { userRecord.oldestTombstoneMs = tombstone.timeMs }
            userRecord.tombstoneCount += 1
        }
        try trim(owner, in: ledger)
    }

    /// Removes the tombstone of a friend that comes back.
    private static func revive(
        _ friend: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        // Most lists have no tombstone, and the user record says so without a read.
        guard try ledger.userRecord(of: owner)?.tombstoneCount ?? 0 > 0 else { return }
        let partition = ledger.partition(of: owner)
        let tombstone = try Tables.tombstones.record(partition, friend, in: ledger.transaction)
        guard let tombstone else { return }
        try remove(
            SequencedUser(sequence: tombstone.sequence, user: friend), of: owner, in: ledger)
    }

    /// Removes a few tombstones that are older than the log.
    private static func trim(_ owner: UserID, in ledger: Ledger) throws(StorageError) {
        let oldest = ledger.now.milliseconds - ledger.settings.logLifetimeMs
        guard let userRecord = try ledger.userRecord(of: owner), userRecord.tombstoneCount > 0,
            userRecord.oldestTombstoneMs <= oldest
        else { return }
        let partition = ledger.partition(of: owner)
        let index = Tables.tombstonesBySequence
        var rowKeys: [SequencedUser] = []
        try index.scan(
            index.all(of: partition), limit: trimmedPerWrite + 1, in: ledger.transaction
        ) { rowKey, _ in
            rowKeys.append(rowKey)
            return .more
        }
        var keys = KeyList()
        for rowKey in rowKeys { Tables.tombstones.add(partition, rowKey.user, to: &keys) }
        try ledger.fetch(keys)
        let records = try Tables.tombstones.records(keys, in: ledger.transaction)
        for (number, rowKey) in rowKeys.enumerated() {
            guard let record = records[number] else {
                throw StorageError(.corrupted, "an index names a missing tombstone")
            }
            guard record.timeMs <= oldest, number < trimmedPerWrite else {
                try ledger.changeUserRecord(of: owner) { $0.oldestTombstoneMs = record.timeMs }
                return
            }
            try remove(rowKey, of: owner, in: ledger)
            try ledger.changeUserRecord(of: owner) { $0.friendsTrimmedTo = rowKey.sequence }
        }
    }

    /// Removes one tombstone for good: a copy from before it is read as a whole.
    static func forget(
        _ key: SequencedUser, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        try remove(key, of: owner, in: ledger)
        try ledger.changeUserRecord(of: owner) {
            $0.friendsTrimmedTo = max($0.friendsTrimmedTo, key.sequence)
        }
    }

    private static func remove(
        _ key: SequencedUser, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: owner)
        Tables.tombstones.remove(partition, key.user, in: ledger.transaction)
        Tables.tombstonesBySequence.remove(partition, key, in: ledger.transaction)
        try ledger.changeUserRecord(of: owner) { $0.tombstoneCount.decrease() }
    }
}
