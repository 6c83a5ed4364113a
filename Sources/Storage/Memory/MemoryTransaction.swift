internal import Memory
internal import Protobuf

/// A transaction over rows of its own.
///
/// ``MemoryStore`` uses it for readers and for writers.
final class MemoryTransaction: WriteTransaction {
    let arena = Arena(capacity: Limits.transactionArenaBytes)
    private(set) var rows: MemoryRows
    /// The old value of each change, for ``rollback(to:)``.
    private var undo: [(key: [UInt8], value: [UInt8]?)] = []

    init(_ rows: MemoryRows) {
        self.rows = rows
    }

    deinit {
        arena.free()
    }

    func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        for index in 0..<keys.count {
            guard let value = rows.value(of: keys[index].bytes) else {
                body(index, nil)
                continue
            }
            value.withUnsafeBytes { body(index, $0) }
        }
    }

    func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        let slice = rows.slice(from: range.lower, to: range.upper)
        let indices = order == .ascending ? Array(slice.indices) : slice.indices.reversed()
        for index in indices.prefix(limit) {
            let row = slice[index]
            let step = row.key.withUnsafeBytes { key in
                row.value.withUnsafeBytes { value in body(key, value) }
            }
            if step == .stop { return }
        }
    }

    func prefetch(_ keys: KeyList) throws(StorageError) {}

    func set(_ key: Key, to value: [UInt8]) {
        change(key.bytes, to: value)
    }

    func remove(_ key: Key) {
        change(key.bytes, to: nil)
    }

    func savepoint() -> Savepoint {
        Savepoint(changes: undo.count)
    }

    func rollback(to savepoint: Savepoint) {
        precondition(savepoint.changes <= undo.count, "the savepoint was rolled back already")
        while undo.count > savepoint.changes {
            let change = undo.removeLast()
            rows.set(change.key, to: change.value)
        }
    }

    private func change(_ key: [UInt8], to value: [UInt8]?) {
        undo.append((key, rows.value(of: key)))
        rows.set(key, to: value)
    }
}
