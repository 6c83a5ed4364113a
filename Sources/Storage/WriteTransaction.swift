import Protobuf

/// A view that sees its own changes.
///
/// Others see all of them at once when it ends.
package protocol WriteTransaction: ReadTransaction {
    /// Reads the values of `keys` into memory at once, in one sorted read.
    ///
    /// Later reads of them need no further request to the engine. No answer changes by it.
    ///
    /// An engine may leave out the keys that are possible only. An engine on this
    /// machine does, because a row that is not read costs it more than a second request. An engine
    /// behind a network reads them too, because a second request costs a round trip.
    func prefetch(_ keys: KeyList) throws(StorageError)

    func set(_ key: Key, to value: [UInt8])
    func remove(_ key: Key)

    /// Marks the present state, so that ``rollback(to:)`` can return to it.
    func savepoint() -> Savepoint

    /// Undoes every change made since `savepoint`.
    func rollback(to savepoint: Savepoint)

    /// Tells that the changes since the last such call, if there were any, belong to so many writes
    /// of callers.
    ///
    /// An engine that loses these changes can then tell how many writes are lost.
    func endWrites(_ count: Int)
}

extension WriteTransaction {
    package func endWrites(_ count: Int) {}
}
