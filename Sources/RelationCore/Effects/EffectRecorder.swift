import RelationModel
package import Storage

/// A transaction that notes each row that a write touches.
///
/// Every rule writes through the transaction of its ledger, so no call has to tell what it changes.
/// Only a dry run that lists its rows has such a transaction.
package final class EffectRecorder: PassingTransaction {
    private struct Note {
        let key: Key
        /// How many changes the transaction had made before.
        let changesBefore: Int
    }

    package let inner: any WriteTransaction
    // One thread has the transaction, and no access to these overlaps another.
    /// The rows, each once, in the order in which they were touched first.
    @exclusivity(unchecked) private var notes: [Note] = []
    @exclusivity(unchecked) private var noted: Set<Key> = []
    /// The state before the write.
    private let start: Savepoint

    package init(over transaction: any WriteTransaction) {
        inner = transaction
        start = transaction.savepoint()
    }

    /// Takes everything back, and returns what differed: the first ``Limits/effectRows`` rows and
    /// the first ``Limits/effectEvents`` events.
    ///
    /// The rows as they were are read at the end, all at once: a database has each request on its
    /// way for some time.
    package func revert() throws(StorageError) -> WrittenEffects {
        let keys = KeyList(notes.map(\.key))
        let after = try values(of: keys)
        inner.rollback(to: start)
        let before = try values(of: keys)
        var effects = WrittenEffects()
        var events: [WrittenEffects.Event] = []
        for (index, note) in notes.enumerated() where after[index] != before[index] {
            let after = after[index]
            let bytes = Int64(note.key.bytes.count + (after?.count ?? 0))
            effects.rowCount += 1
            effects.rowBytes += bytes
            if effects.rows.count < Limits.effectRows {
                var row = TableWords.row(of: note.key)
                row.isDeleted = after == nil
                row.bytes = bytes
                effects.rows.append(row)
            }
            guard before[index] == nil, let after else { continue }
            events += try self.events(in: after, at: note.key)
        }
        effects.eventCount = Int64(events.count)
        events.sort { $0.position < $1.position }
        effects.events = Array(events.prefix(Limits.effectEvents))
        return effects
    }

    /// The events that a new row holds: one in a row of a log, and those of the feed that are in no
    /// log.
    private func events(
        in row: [UInt8], at key: Key
    ) throws(StorageError) -> [WrittenEffects.Event] {
        switch key.kind {
        case Tables.changes.kind:
            let table = Tables.changes
            let record = row.withUnsafeBytes { table.decode($0, in: arena) }
            let sequence = key.rowKey { UInt64(reading: $0) }
            guard let record, let sequence else {
                throw StorageError(.corrupted, "an event of a dry run does not decode")
            }
            return [
                WrittenEffects.Event(
                    user: key.ownerText, sequence: Int64(bitPattern: sequence), record)
            ]
        case Tables.feed.kind:
            let table = Tables.feed
            let record = row.withUnsafeBytes { table.decode($0, in: arena) }
            guard let record else {
                throw StorageError(.corrupted, "a row of the feed of a dry run does not decode")
            }
            return record.events.compactMap { entry in
                entry.event.map { WrittenEffects.Event(user: entry.userID, sequence: 0, $0) }
            }
        default: return []
        }
    }

    private func values(of keys: KeyList) throws(StorageError) -> [[UInt8]?] {
        var values: [[UInt8]?] = []
        values.reserveCapacity(keys.count)
        try inner.read(keys) { _, bytes in values.append(bytes.map { Array($0) }) }
        return values
    }

    private func note(_ key: Key) {
        guard noted.insert(key).inserted else { return }
        notes.append(Note(key: key, changesBefore: inner.savepoint().changes))
    }

    // MARK: Writing

    package func set(_ key: KeyView, to value: UnsafeRawBufferPointer) {
        note(key.key)
        inner.set(key, to: value)
    }

    package func remove(_ key: KeyView) {
        note(key.key)
        inner.remove(key)
    }

    package func set(_ key: Key, to value: [UInt8]) {
        note(key)
        inner.set(key, to: value)
    }

    package func remove(_ key: Key) {
        note(key)
        inner.remove(key)
    }

    package func rollback(to savepoint: Savepoint) {
        // After `revert()` nothing is left to roll back.
        guard savepoint.changes <= inner.savepoint().changes else { return }
        inner.rollback(to: savepoint)
        while let last = notes.last, last.changesBefore >= savepoint.changes {
            noted.remove(last.key)
            notes.removeLast()
        }
    }
}

extension WrittenEffects.Event {
    fileprivate init(user: String, sequence: Int64, _ record: ChangeRecord) {
        self.init(
            user: user, sequence: sequence, kind: record.kind, items: Int64(record.items.count),
            position: record.feedPosition)
    }
}
