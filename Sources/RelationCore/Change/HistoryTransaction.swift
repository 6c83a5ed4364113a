import Memory
import RelationModel
import Storage

/// A transaction that keeps rows of relations as they were before a call changed them.
///
/// Every rule writes through the ledger's transaction, so none can forget to tell the history of a
/// change. An app without a history has no such transaction.
final class HistoryTransaction: PassingTransaction {
    private struct Note {
        let key: Key
        let before: [UInt8]
        /// How many changes the transaction had made before.
        let changesBefore: Int
    }

    /// A row that is not as it was.
    struct ChangedRow {
        let table: UInt8
        let owner: UserID
        /// Nil for a row about its owner alone.
        var other: UserID?
        var pendencyType = PendencyType.unspecified
        /// The name of a group; empty for other rows.
        var group = ""
        /// Empty if there was no row.
        let before: [UInt8]
        /// Empty if there is no row.
        let after: [UInt8]
    }

    let inner: any WriteTransaction
    // `inner` has the same two as long as it lives; each row that is written asks for them.
    let arena: Arena
    let scratch: OutputBuffer
    // One thread has the transaction, and no access to these overlaps another.
    @exclusivity(unchecked) private var notes: [Note] = []
    @exclusivity(unchecked) private var failure: StorageError?

    /// - Parameter transaction: That of the call, or that of its ledger before.
    init(over transaction: any WriteTransaction) {
        inner = (transaction as? HistoryTransaction)?.inner ?? transaction
        (arena, scratch) = (inner.arena, inner.scratch)
    }

    /// The rows that differ from what they were, in the order in which they were written first.
    func changedRows() throws(StorageError) -> [ChangedRow] {
        if let failure { throw failure }
        var seen: Set<Key> = []
        var rows: [ChangedRow] = []
        // As many as a look at each finds sooner than a hash does: most calls are about two users.
        let isShort = notes.count <= 8
        for (index, note) in notes.enumerated() {
            let isFirst =
                isShort
                ? !notes[..<index].contains { $0.key == note.key }
                : seen.insert(note.key).inserted
            guard isFirst else { continue }
            let after = try bytes(of: note.key)
            guard after != note.before else { continue }
            guard let row = Self.row(note, after) else {
                throw StorageError(.corrupted, "the key of a relation names no users")
            }
            rows.append(row)
        }
        return rows
    }

    private static func row(_ note: Note, _ after: [UInt8]) -> ChangedRow? {
        let (table, owner) = (note.key.kind, note.key.owner.user)
        return note.key.bytes.withUnsafeBytes { bytes -> ChangedRow? in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[(note.key.partitionCount + 1)...])
            var row = ChangedRow(table: table, owner: owner, before: note.before, after: after)
            switch table {
            case Tables.profiles.kind: break
            case Tables.groups.kind:
                guard let name = GroupName(reading: rest) else { return nil }
                row.group = name.text
            case Tables.pendencies.kind:
                guard let key = PendencyKey(reading: rest) else { return nil }
                (row.other, row.pendencyType) = (key.user, key.type)
            default:
                guard let other = UserID(reading: rest) else { return nil }
                row.other = other
            }
            return row
        }
    }

    private func bytes(of key: Key) throws(StorageError) -> [UInt8] {
        var found: [UInt8] = []
        try inner.read(KeyList([key])) { _, bytes in
            if let bytes { found = Array(bytes) }
        }
        return found
    }

    private func note(_ key: KeyView) {
        switch key.kind {
        case Tables.friends.kind, Tables.blacklist.kind, Tables.pendencies.kind,
            Tables.follows.kind, Tables.groups.kind, Tables.profiles.kind:
            break
        default: return
        }
        var before: [UInt8] = []
        do throws(StorageError) {
            try inner.read(key) { bytes in
                if let bytes { before = Array(bytes) }
            }
        } catch {
            failure = failure ?? error
        }
        notes.append(
            Note(key: key.key, before: before, changesBefore: inner.savepoint().changes))
    }

    // MARK: Writing

    func set(_ key: KeyView, to value: UnsafeRawBufferPointer) {
        note(key)
        inner.set(key, to: value)
    }

    func remove(_ key: KeyView) {
        note(key)
        inner.remove(key)
    }

    func set(_ key: Key, to value: [UInt8]) {
        key.bytes.withUnsafeBytes {
            note(KeyView(bytes: $0, partitionCount: key.partitionCount))
        }
        inner.set(key, to: value)
    }

    func remove(_ key: Key) {
        key.bytes.withUnsafeBytes {
            note(KeyView(bytes: $0, partitionCount: key.partitionCount))
        }
        inner.remove(key)
    }

    func rollback(to savepoint: Savepoint) {
        inner.rollback(to: savepoint)
        while let last = notes.last, last.changesBefore >= savepoint.changes { notes.removeLast() }
    }
}
