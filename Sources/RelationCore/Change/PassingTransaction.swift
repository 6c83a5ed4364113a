package import Memory
import Protobuf
package import Storage

/// A transaction that passes everything on to another one, except what a conforming type does
/// itself.
package protocol PassingTransaction: WriteTransaction {
    var inner: any WriteTransaction { get }
}

extension PassingTransaction {
    // MARK: Writing

    package func savepoint() -> Savepoint { inner.savepoint() }

    package func endWrites(_ count: Int) { inner.endWrites(count) }

    // MARK: Reading

    package var arena: Arena { inner.arena }
    package var scratch: OutputBuffer { inner.scratch }
    package var readsAhead: Bool { inner.readsAhead }
    package var hasWaited: Bool { inner.hasWaited }
    package var refused: [Int] { inner.refused }

    package func expect(_ keys: KeyList) { inner.expect(keys) }

    package func expect(_ range: KeyRange, _ order: ScanOrder, limit: Int) {
        inner.expect(range, order, limit: limit)
    }

    package func read(
        _ key: KeyView, _ body: (UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        try inner.read(key, body)
    }

    package func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        try inner.read(keys, body)
    }

    package func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        try inner.scan(range, order, limit: limit, body)
    }

    package func prefetch(_ keys: KeyList) throws(StorageError) { try inner.prefetch(keys) }

    package func prefetch(_ lists: [KeyList]) throws(StorageError) { try inner.prefetch(lists) }

    package func lock(_ partitions: [Partition]) throws(StorageError) { try inner.lock(partitions) }
}
