import Memory
import Storage

/// A view of the store for a rule that writes, and that only explains itself: it forgets changes.
///
/// Such a rule ends before its first write. An app may make accounts implicitly, and the rule then
/// makes those that the call names. It reads them from its ledger, and never from the store.
final class UnwrittenTransaction: WriteTransaction {
    private let view: any ReadTransaction

    init(_ view: any ReadTransaction) {
        self.view = view
    }

    var arena: Arena { view.arena }

    func read(
        _ key: KeyView, _ body: (UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        try view.read(key, body)
    }

    func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        try view.read(keys, body)
    }

    func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        try view.scan(range, order, limit: limit, body)
    }

    func prefetch(_ keys: KeyList) throws(StorageError) { view.expect(keys) }

    func set(_ key: Key, to value: [UInt8]) {}
    func remove(_ key: Key) {}
    func savepoint() -> Savepoint { Savepoint(changes: 0) }
    func rollback(to savepoint: Savepoint) {}
}
