package import Protobuf

/// The promises of every engine: an ordered map from keys to bytes, which is read in one consistent
/// view and changed in transactions.
///
/// Three rules let one set of relation rules run well on an engine in this process and on a
/// database behind a network:
/// - a key names its partition;
/// - a write declares the partitions that it touches;
/// - a read asks for many keys at once.
package protocol Store: AnyObject, Sendable {
    /// Whether reads and writes are answered by this process, without waiting for a network.
    var isLocal: Bool { get }

    /// Runs `body` against one consistent view of everything committed so far.
    ///
    /// - Throws: The error that `body` throws; ``StorageError`` with the code `notInMemory` if a
    ///   row lies beyond `reach`.
    func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result

    /// Keeps everything committed so far as it is, to be read for as long as the caller likes.
    ///
    /// A snapshot costs memory or disk for every row that changes after it.
    func snapshot() throws(StorageError) -> any Snapshot

    /// Runs `body`. All its changes become durable at once, or none if it throws.
    ///
    /// - Parameter partitions: Every partition that `body` writes to, in ascending order. A local
    ///   engine ignores them; an engine that serves many processes locks them.
    /// - Important: `body` may run again after a lost race, so it changes nothing but the
    ///   transaction. A local engine allows one writer at a time; the others wait for their turn.
    func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result

    /// The size of the store, as far as the engine tells it.
    func statistics() -> StoreStatistics

    /// Gives back files and memory.
    ///
    /// No transaction or snapshot may be open, and none may begin afterwards.
    func close()
}

/// The size of a store.
package struct StoreStatistics: Equatable, Sendable {
    package var engine = ""
    /// An estimate if counting would read all rows.
    package var rows: Int64 = 0
    package var diskBytes: Int64 = 0
    package var memoryBytes: Int64 = 0

    package init() {}
}

extension Store {
    package func statistics() -> StoreStatistics { StoreStatistics() }

    /// Runs `body` against one consistent view, wherever its rows lie.
    package func read<Result>(
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try read(reaching: .disk, body)
    }
}

/// How far a read goes to find a row.
package enum Reach: Sendable {
    /// No further than memory. A thread that must not wait reads in this way, and asks another
    /// thread if a row is not there.
    case memory
    /// To the disk, or to a database behind a network.
    case disk
}

/// The store as it was at one moment.
///
/// Any thread may read it, and several may read at once.
package protocol Snapshot: AnyObject, Sendable {
    func read<Result>(
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result

    /// Lets the store forget that moment; later reads throw `unavailable`. No read may be running.
    func close()
}

/// One consistent view of the store.
///
/// - Important: It is valid only inside the closure that received it.
package protocol ReadTransaction: AnyObject {
    /// The memory in which records are decoded, for the thread that runs this transaction.
    var arena: Arena { get }

    /// Reads all `keys` at once, and calls `body` for each of them, in their order.
    ///
    /// `body` gets the index of the key and its value, or nil if there is none.
    ///
    /// - Important: The bytes are valid only during that call of `body`.
    func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError)

    /// Calls `body` with the keys and values of `range`, in the order asked for.
    ///
    /// It ends when `body` answers ``ScanStep/stop``, or after `limit` rows.
    ///
    /// - Important: The bytes are valid only during that call of `body`, which must not use the
    ///   transaction.
    func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError)
}

/// A view that sees its own changes.
///
/// Others see all of them at once when it ends.
package protocol WriteTransaction: ReadTransaction {
    /// Reads the values of `keys` into memory at once, in one sorted read.
    ///
    /// Later reads of them need no further request to the engine. No answer changes by it.
    ///
    /// An engine may leave out the keys that are ``KeyList/possible`` only. An engine on this
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

/// A state of a write transaction: how many changes it had made.
package struct Savepoint: Sendable {
    package let changes: Int

    package init(changes: Int) {
        self.changes = changes
    }
}

package enum ScanOrder: Sendable {
    case ascending, descending
}

package enum ScanStep: Sendable {
    case more, stop
}
