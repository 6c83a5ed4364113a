public import Memory
import Protobuf

/// A view that sees its own changes.
///
/// Others see all of them at once when it ends.
@usableFromInline package protocol WriteTransaction: ReadTransaction {
    /// A buffer in which one record at a time is encoded.
    var scratch: OutputBuffer { get }

    /// Reads the values of `keys` into memory at once, in one sorted read.
    ///
    /// Later reads of them need no further request to the engine. No answer changes by it.
    ///
    /// An engine may leave out the keys that are possible only. An engine on this machine does,
    /// because a row that is not read costs it more than a second request. An engine over a network
    /// reads them too, because a second request costs a round trip.
    func prefetch(_ keys: KeyList) throws(StorageError)

    /// Reads the values of the keys in several lists at once, as if they were one list.
    func prefetch(_ lists: [KeyList]) throws(StorageError)

    /// Keeps other writers out of more partitions than the transaction began with.
    ///
    /// It reads nothing of them before. An engine with one writer has nothing to do.
    func lock(_ partitions: [Partition]) throws(StorageError)

    /// Whether another process had a partition's lock when this transaction asked for it.
    ///
    /// It is known after the first read. An engine with one writer never waits.
    var hasWaited: Bool { get }

    /// The partitions that another process had, of a transaction that waits for none: their indices
    /// among those that it was to touch.
    ///
    /// It is known after the first read. An engine with one writer refuses none.
    var refused: [Int] { get }

    func set(_ key: Key, to value: [UInt8])
    func remove(_ key: Key)

    /// Sets a row whose key and value are views; the transaction copies both.
    func set(_ key: KeyView, to value: UnsafeRawBufferPointer)

    /// Removes a row whose key is a view.
    func remove(_ key: KeyView)

    /// Marks the present state, so that ``rollback(to:)`` can return to it.
    func savepoint() -> Savepoint

    /// Undoes every change made since `savepoint`.
    func rollback(to savepoint: Savepoint)

    /// Says that the changes since the last such call, if there were any, belong to so many writes
    /// of callers.
    ///
    /// An engine that loses these changes can then report how many writes are lost.
    func endWrites(_ count: Int)
}

extension WriteTransaction {
    package func prefetch(_ lists: [KeyList]) throws(StorageError) {
        var keys = KeyList()
        for list in lists { keys.append(list) }
        try prefetch(keys)
    }

    package func lock(_ partitions: [Partition]) throws(StorageError) {}

    package var hasWaited: Bool { false }

    package var refused: [Int] { [] }

    package var scratch: OutputBuffer { OutputBuffer(capacity: 256) }

    package func set(_ key: KeyView, to value: UnsafeRawBufferPointer) {
        set(key.key, to: Array(value))
    }

    package func remove(_ key: KeyView) { remove(key.key) }

    package func endWrites(_ count: Int) {}
}
