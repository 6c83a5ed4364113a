import Memory
import Protobuf
import Storage

/// A transaction that passes everything on to another one, except what a conforming type does
/// itself.
protocol PassingTransaction: WriteTransaction {
    var inner: any WriteTransaction { get }
}

extension PassingTransaction {
    // MARK: Writing

    func savepoint() -> Savepoint { inner.savepoint() }

    func endWrites(_ count: Int) { inner.endWrites(count) }

    // MARK: Reading

    var arena: Arena { inner.arena }
    var scratch: OutputBuffer { inner.scratch }
    var readsAhead: Bool { inner.readsAhead }
    var hasWaited: Bool { inner.hasWaited }
    var refused: [Int] { inner.refused }

    func expect(_ keys: KeyList) { inner.expect(keys) }

    func expect(_ range: KeyRange, _ order: ScanOrder, limit: Int) {
        inner.expect(range, order, limit: limit)
    }

    func read(
        _ key: KeyView, _ body: (UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        try inner.read(key, body)
    }

    func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        try inner.read(keys, body)
    }

    func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        try inner.scan(range, order, limit: limit, body)
    }

    func prefetch(_ keys: KeyList) throws(StorageError) { try inner.prefetch(keys) }

    func prefetch(_ lists: [KeyList]) throws(StorageError) { try inner.prefetch(lists) }

    func lock(_ partitions: [Partition]) throws(StorageError) { try inner.lock(partitions) }
}
