package import Storage

/// A store in a modelled database of PostgreSQL, as one of several processes has it.
///
/// It makes the statements of the real one in their order, so the same suite checks both.
package final class ModelStore: Store {
    private let client: ModelClient
    private let readers: ModelPool<ModelConnection>
    private let snapshots: ModelPool<ModelConnection>
    private let writers: ModelPool<ModelWriter>
    private let others: ModelPeers
    private let copies: ModelStandbys?

    package var isLocal: Bool { false }
    package var peers: (any StorePeers)? { others }
    package var standbys: (any StoreStandbys)? { copies }

    /// - Parameter seed: Names the process, and draws its pauses.
    package init(
        _ model: PostgresModel, _ time: any ModelTime, _ options: ModelOptions = ModelOptions(),
        seed: UInt64, lease: Lease? = nil
    ) {
        let client = ModelClient(
            model, time, options, lease ?? Lease { time.now }, Chance(seed, "process"))
        self.client = client
        readers = ModelPool(client, options.readers)
        snapshots = ModelPool(client, options.snapshots)
        writers = ModelPool(client, options.writers)
        others = ModelPeers(client)
        copies = options.hasStandbys ? ModelStandbys(client) : nil
    }

    /// The name by which the database knows the process.
    package var process: String { client.process }

    package func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard !readers.isClosed else {
            throw StorageError(.unavailable, "the store is closed")
        }
        let transaction = ModelReadTransaction(
            client,
            { [readers, client] () throws(StorageError) in
                guard reach == .disk else {
                    throw StorageError(.notInMemory, "all rows stand in the database")
                }
                return try readers.connection { () throws(StorageError) in
                    try client.connect(isRepeatable: true)
                }
            }, release: { [readers] in readers.release(connection: $0) })
        defer { transaction.end() }
        return try body(transaction)
    }

    package func snapshot() throws(StorageError) -> any Snapshot {
        var pauses = client.pauses(milliseconds: client.options.patienceMilliseconds)
        while true {
            let connection = try snapshots.connection { () throws(StorageError) in
                try client.connect(isRepeatable: true)
            }
            do throws(StorageError) {
                // The first statement takes the view.
                _ = try connection.ask([.rows([])])
                return ModelSnapshot(connection) { [snapshots] in
                    snapshots.release(connection: $0)
                }
            } catch {
                snapshots.release(connection: connection)
                guard error.code == .unavailable, !snapshots.isClosed, client.pause(&pauses)
                else { throw error }
            }
        }
    }

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
        let writer = try writers.acquire() ?? ModelWriter(client)
        defer { if !writers.release(writer) { writer.close() } }
        return try writer.write(touching: partitions, waiting: waits, body)
    }

    package func close() {
        guard !readers.isClosed else { return }
        for connection in readers.close() + snapshots.close() { connection.close() }
        copies?.close()
        others.close()
        for writer in writers.close() { writer.close() }
    }
}
