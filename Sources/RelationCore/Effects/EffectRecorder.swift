import RelationModel
package import Storage

/// A transaction that notes each row that a write touches, as it was before.
///
/// Every rule writes through the transaction of its ledger, so no call has to tell what it changes.
/// Only a dry run that lists its rows has such a transaction.
package final class EffectRecorder: PassingTransaction {
    private struct Note {
        let key: Key
        /// Nil if there was no row.
        let before: [UInt8]?
        /// How many changes the transaction had made before.
        let changesBefore: Int
    }

    package let inner: any WriteTransaction
    // One thread has the transaction, and no access to these overlaps another.
    /// The rows, each once, in the order in which they were touched first.
    @exclusivity(unchecked) private var notes: [Note] = []
    @exclusivity(unchecked) private var noted: Set<Key> = []
    @exclusivity(unchecked) private var failure: StorageError?

    package init(over transaction: any WriteTransaction) {
        inner = transaction
    }

    /// What differs from the time before, with the first ``Limits/effectRows`` rows and the first
    /// ``Limits/effectEvents`` events.
    package func effects() throws(StorageError) -> WrittenEffects {
        if let failure { throw failure }
        var effects = WrittenEffects()
        var events: [WrittenEffects.Event] = []
        for note in notes {
            let after = try value(of: note.key)
            guard after != note.before else { continue }
            let bytes = Int64(note.key.bytes.count + (after?.count ?? 0))
            effects.rowCount += 1
            effects.rowBytes += bytes
            if effects.rows.count < Limits.effectRows {
                var row = TableWords.row(of: note.key)
                row.isDeleted = after == nil
                row.bytes = bytes
                effects.rows.append(row)
            }
            guard note.before == nil, let after else { continue }
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

    private func value(of key: Key) throws(StorageError) -> [UInt8]? {
        var found: [UInt8]?
        try inner.read(KeyList([key])) { _, bytes in found = bytes.map { Array($0) } }
        return found
    }

    private func note(_ key: Key) {
        guard noted.insert(key).inserted else { return }
        var before: [UInt8]?
        do throws(StorageError) {
            before = try value(of: key)
        } catch {
            failure = failure ?? error
        }
        notes.append(
            Note(key: key, before: before, changesBefore: inner.savepoint().changes))
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
