package import Protobuf

/// What every engine promises: an ordered map from keys to bytes, read in one consistent view and
/// changed in transactions.
///
/// Three rules let one set of relation rules run well on an engine in this process and on a
/// database behind a network: a key names its partition; a write declares the partitions it
/// touches; a read takes many keys at once.
package protocol Store: AnyObject, Sendable {
    /// Whether reads and writes are answered by this process, without waiting for a network.
    var isLocal: Bool { get }

    /// Runs `body` against one consistent view of everything committed so far.
    ///
    /// - Throws: What `body` throws; ``StorageError`` with the code `notInMemory` if a row lies
    ///   beyond `reach`.
    func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result

    /// Keeps everything committed so far as it is, to be read for as long as the caller likes.
    ///
    /// What is kept costs memory or disk for every row that changes meanwhile.
    func snapshot() throws(StorageError) -> any Snapshot

    /// Runs `body` and makes all that it wrote durable at once, or nothing if it throws.
    ///
    /// - Parameter partitions: Every partition that `body` writes to, in ascending order. A local
    ///   engine ignores them; one that serves many processes locks them.
    /// - Important: `body` may run again after a lost race, so it changes nothing but the
    ///   transaction. A local engine allows one writer at a time and waits for its turn.
    func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result

    /// What the store holds, as far as the engine says.
    func statistics() -> StoreStatistics

    /// Gives back files and memory. No transaction or snapshot may be open, and none is begun
    /// afterwards.
    func close()
}

/// What a store holds.
package struct StoreStatistics: Equatable, Sendable {
    package var engine = ""
    /// An estimate where counting would read all.
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

/// How far a read goes for a row.
package enum Reach: Sendable {
    /// No further than memory: a thread that must not wait reads so, and asks another thread when
    /// a row is not there.
    case memory
    /// To the disk, or to a database behind a network.
    case disk
}

/// The store as it was at one moment.
///
/// Any thread may read it, several at once.
package protocol Snapshot: AnyObject, Sendable {
    func read<Result>(
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result

    /// Lets the store forget that moment; later reads throw `unavailable`. No read may be running.
    func close()
}

/// One consistent view of the store.
///
/// - Important: Valid only inside the closure that received it.
package protocol ReadTransaction: AnyObject {
    /// The memory that records are decoded in, for the thread that runs this transaction.
    var arena: Arena { get }

    /// Reads all `keys` at once and calls `body` for each of them, in their order, with the place
    /// of the key and its value, or nil if there is none.
    ///
    /// - Important: The bytes are valid only during that call of `body`.
    func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError)

    /// Calls `body` with the keys and values of `range` in the order asked for, until it answers
    /// ``ScanStep/stop`` or `limit` rows were seen.
    ///
    /// - Important: The bytes are valid only during that call of `body`, which must not use the
    ///   transaction.
    func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError)
}

/// A view that sees its own changes, which become visible to others all at once when it ends.
package protocol WriteTransaction: ReadTransaction {
    /// Brings the values of `keys` near, in one sorted read, so that later reads of them cost no
    /// trip to the engine. Changes no answer.
    func prefetch(_ keys: KeyList) throws(StorageError)

    func set(_ key: Key, to value: [UInt8])
    func remove(_ key: Key)

    /// Marks the present state, so that ``rollback(to:)`` can return to it.
    func savepoint() -> Savepoint

    /// Undoes every change made since `savepoint`.
    func rollback(to savepoint: Savepoint)

    /// Says that what changed since the last such call, if anything did, was done by so many writes
    /// of callers: an engine that loses them can tell how many.
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
