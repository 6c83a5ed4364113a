import Memory
import Protobuf
import Storage

/// A store in which every key has the same row, and which answers without delay.
///
/// With it, the cost of a call is that of the stack without the store.
final class FixedStore: Store {
    private let transaction = FixedTransaction()

    var isLocal: Bool { true }
    var holdsRows: Bool { true }

    func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result { try body(transaction) }

    func snapshot() throws(StorageError) -> any Snapshot {
        throw StorageError(.unavailable, "fixed rows never change")
    }

    func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        throw StorageError(.unavailable, "fixed rows are not written")
    }

    func close() {}
}

/// `@unchecked Sendable`: the server under test has one loop, and only its reads come here.
private final class FixedTransaction: ReadTransaction, @unchecked Sendable {
    let arena = Arena()
    /// An encoding that is valid for every message: all fields have their defaults.
    private let row: [UInt8] = []

    deinit { arena.free() }

    func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        row.withUnsafeBytes { row in
            for index in 0..<keys.count { body(index, row) }
        }
        arena.reset()
    }

    func read(
        _ keys: StagedKeys, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        row.withUnsafeBytes { row in
            for index in 0..<keys.count { body(index, row) }
        }
    }

    func find(
        _ keys: StagedKeys, _ areThere: UnsafeMutablePointer<Bool>
    ) throws(StorageError) { areThere.initialize(repeating: true, count: keys.count) }

    func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {}
}
