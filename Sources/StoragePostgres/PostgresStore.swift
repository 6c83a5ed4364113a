package import Storage
internal import Synchronization

/// A store in a database of PostgreSQL, which many processes may read and write at once.
///
/// All rows stand in one table. A read has one view, on a connection of its own, and is one round
/// trip for each question that it asks. A write takes the locks of its partitions, reads, and sends
/// all its changes at its end.
package final class PostgresStore: Store {
    /// The format of the rows that this version reads and writes.
    package static let format = 6

    private let database: PostgresDatabase
    private let readers: ConnectionPool
    private let snapshots: ConnectionPool
    private let writers: WriterPool
    /// Nil if the options name none.
    private let copies: Standbys?
    package var meter: DatabaseMeter { database.meter }

    private let otherServers: PostgresPeers

    /// The name that the sessions of this process end with, for ``PostgresMoveLog``.
    package var sessionName: String { database.seen.id }

    package var isLocal: Bool { false }
    package var peers: (any StorePeers)? { otherServers }
    package var standbys: (any StoreStandbys)? { copies }

    /// The purpose for which a process opens the store.
    package enum Purpose: Sendable {
        case serving
        /// It is the target of a copy.
        case copying
        /// Its rows are on their way from an earlier format.
        case upgrading
    }

    /// Opens the store.
    ///
    /// - Throws: ``StorageError`` with one of these codes. `unavailable`: the database is not
    ///   there. `foreign`: it has no store, one of another format, a part of one, or a table of
    ///   another program.
    package init(
        _ options: PostgresOptions, for purpose: Purpose = .serving, lease: Lease = Lease()
    ) throws(StorageError) {
        try Pooler.check(options)
        switch try Schema.state(options) {
        case .none: throw try Schema.none(options)
        case .older:
            throw StorageError(
                .foreign,
                "the tables have an earlier form; `relationd init` brings them to that of this "
                    + "version, while no server of the earlier version runs")
        case .store(let format) where format != Self.format:
            throw StorageError(
                .foreign,
                "the rows have the format \(format), and this version knows \(Self.format)"
                    + (format < Self.format ? "; `relationd init` brings them to it" : ""))
        case .upgrading where purpose != .upgrading:
            throw StorageError(
                .foreign,
                "the rows are on their way to another format; run `relationd init` again, which "
                    + "goes on")
        case .store, .upgrading:
            if purpose != .copying { try Schema.checkWhole(options) }
        }
        let database = PostgresDatabase(options, lease: lease)
        self.database = database
        readers = ConnectionPool(.reader, options.readers, database)
        snapshots = ConnectionPool(
            .reader, options.snapshots, keeping: Limits.idleSnapshots, database)
        writers = WriterPool(database)
        copies = options.standbys.isEmpty ? nil : Standbys(of: database)
        otherServers = PostgresPeers(database)
    }

    package func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard !readers.isClosed else { throw ConnectionPool.closed }
        let transaction = PostgresReadTransaction(reach == .disk ? readers : NoSource.only)
        defer { transaction.end() }
        return try body(transaction)
    }

    package func snapshot() throws(StorageError) -> any Snapshot {
        try PostgresSnapshot(snapshots)
    }

    /// Each takes a connection.
    package var mostSnapshots: Int? { database.options.snapshots }

    package func longSnapshot() throws(StorageError) -> any Snapshot {
        if let found = copies?.snapshot() { return found }
        return try snapshot()
    }

    package func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try write(touching: partitions, waiting: true, body)
    }

    package func write<Result>(
        touching partitions: [Partition], waiting waits: Bool,
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let writer = try writers.acquire()
        defer { writers.release(writer) }
        return try writer.write(touching: partitions, waiting: waits, body)
    }

    package func statistics() -> StoreStatistics {
        var statistics = StoreStatistics()
        statistics.engine = "postgresql"
        return statistics
    }

    package func gauges() -> StoreGauges {
        var network = meter.reading
        network.pools = [
            readers.gauge(named: "readers"), snapshots.gauge(named: "snapshots"),
            writers.gauge(named: "writers"),
        ]
        if let copies {
            network.standbys = copies.gauges
            network.pools += copies.pools
        }
        var gauges = StoreGauges()
        gauges.network = network
        return gauges
    }

    package func willClose() {
        database.options.shutdown.begin()
    }

    package func close() {
        guard readers.close() else { return }
        snapshots.close()
        copies?.close()
        otherServers.close()
        writers.close()
    }
}

/// The source of reads that may not leave this process, where no row is.
private final class NoSource: ConnectionSource, Sendable {
    static let only = NoSource()

    var patience: Int { 0 }
    var lendsAgain: Bool { false }

    func acquire() throws(StorageError) -> DatabaseConnection {
        throw StorageError(.notInMemory, "all rows stand in the database")
    }

    func release(_ connection: DatabaseConnection) {}
}
