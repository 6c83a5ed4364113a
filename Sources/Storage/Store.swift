/// The promises of every engine: an ordered map from keys to bytes, which is read in one consistent
/// view and changed in transactions.
///
/// Three rules let one set of relation rules run well on an engine in this process and on a
/// database over a network:
/// - a key names its partition;
/// - a write declares the partitions that it touches;
/// - a read asks for many keys at once.
package protocol Store: AnyObject, Sendable {
    /// Whether reads and writes are answered by this process, without waiting for a network.
    var isLocal: Bool { get }

    /// Whether every row stands in this process's memory, where a read finds it in no more time
    /// than a call takes to name it.
    ///
    /// If so, a loop may read many rows for one call.
    var holdsRows: Bool { get }

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

    /// How many snapshots there may be at one time; nil if the engine has no such bound.
    var mostSnapshots: Int? { get }

    /// Keeps everything committed so far as it is, for one who reads much of it.
    ///
    /// A store with copies elsewhere may take it from one of them, and wait for that a little. So a
    /// loop does not call it on a store that is not local.
    func longSnapshot() throws(StorageError) -> any Snapshot

    /// Runs `body`. All its changes become durable at once, or none if it throws.
    ///
    /// - Parameter partitions: Every partition that `body` writes to, in ascending order. A local
    ///   engine ignores them; an engine that serves many processes locks them.
    /// - Important: `body` may run again after a lost race, so it changes nothing but the
    ///   transaction. A local engine allows one writer at a time; the others wait for the lock.
    func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result

    /// Runs `body` as ``write(touching:_:)`` does.
    ///
    /// - Parameter waits: Whether it waits for partitions that another process has. If not, the
    ///   transaction leaves those alone that it does not get at once; it returns them by
    ///   ``WriteTransaction/refused``, and `body` reads and writes nothing of them.
    func write<Result>(
        touching partitions: [Partition], waiting waits: Bool,
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result

    /// The size of the store, as far as the engine reports it.
    func statistics() -> StoreStatistics

    /// The state of the store, for an operator; it may cost a millisecond.
    func gauges() -> StoreGauges

    /// The backups of the store; nil if the engine makes none.
    var backups: (any StoreBackups)? { get }

    /// The other processes that serve the store; nil if this one has it for itself.
    var peers: (any StorePeers)? { get }

    /// The copies of the store that may answer reads; nil if it has none.
    var standbys: (any StoreStandbys)? { get }

    /// Learns that the process is about to close it: from now on nothing waits long for a store
    /// that does not answer.
    func willClose()

    /// Gives back files and memory.
    ///
    /// No transaction or snapshot may be open, and none may begin afterwards.
    func close()
}

extension Store {
    /// No other process has anything of an engine on this machine.
    package func write<Result>(
        touching partitions: [Partition], waiting waits: Bool,
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try write(touching: partitions, body)
    }

    package var holdsRows: Bool { false }

    package var mostSnapshots: Int? { nil }

    package func longSnapshot() throws(StorageError) -> any Snapshot { try snapshot() }

    package func statistics() -> StoreStatistics { StoreStatistics() }

    package func gauges() -> StoreGauges { StoreGauges() }

    package var backups: (any StoreBackups)? { nil }

    package func willClose() {}

    package var peers: (any StorePeers)? { nil }

    package var standbys: (any StoreStandbys)? { nil }

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
    /// To the disk, or to a database over a network.
    case disk
}
