package import Memory
import Protobuf
package import Storage

/// A transaction that passes everything on to another one, except what a conforming type does
/// itself.
package protocol ForwardingTransaction: WriteTransaction {
    var inner: any WriteTransaction { get }
}

extension ForwardingTransaction {
    package var arena: Arena { inner.arena }

    package var hasWaited: Bool { inner.hasWaited }
    package var refused: [Int] { inner.refused }

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

    package func lock(_ partitions: [Partition]) throws(StorageError) {
        try inner.lock(partitions)
    }

    package func set(_ key: Key, to value: [UInt8]) { inner.set(key, to: value) }

    package func remove(_ key: Key) { inner.remove(key) }

    package func savepoint() -> Savepoint { inner.savepoint() }

    package func rollback(to savepoint: Savepoint) { inner.rollback(to: savepoint) }

    package func endWrites(_ count: Int) { inner.endWrites(count) }
}
