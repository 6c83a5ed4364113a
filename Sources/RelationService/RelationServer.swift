package import GRPC
package import Logging
package import Protobuf
import RelationAPI
import RelationCore
import RelationModel
package import Storage

/// The whole service over a store: what `relationd` starts, and what a benchmark measures.
package final class RelationServer: Sendable {
    private let server: Server
    private let committer: Committer
    private let logger: Logger
    private let readers = ReaderPools()
    private let upkeep: Upkeep
    private let exports: ExportPoints
    private let changes: ChangeHub
    private let health: Health

    /// - Parameter descriptors: The `FileDescriptorSet` of the contract, for server reflection.
    package init(
        store: any Store, door: Door, clock: Clock = .system,
        configuration: ServerConfiguration, descriptors: [[UInt8]], logger: Logger
    ) throws(CodecError) {
        self.logger = logger
        let presence = PresenceBoard()
        changes = ChangeHub(
            store: store, apps: door.apps, clock: clock,
            readers: WatchReaders { [scans = readers.scans] in scans.submit($0) },
            presence: presence)
        committer = Committer(store: store, apps: door.apps, changes: changes)
        health = Health()
        for service in Set(ServiceTable.all.map(\.service)) { health.set(.serving, for: service) }
        let router = Router(
            store: store, committer: committer, readers: readers, changes: changes, door: door,
            clock: clock, presence: presence)
        router.registerAll()
        upkeep = router.upkeep
        exports = router.exports
        let reflection = try Reflection(descriptorSets: descriptors)
        server = Server(
            configuration: configuration,
            dispatchers: [router, health, door.guarding(reflection)], logger: logger)
    }

    /// Listens, and answers where.
    ///
    /// - Parameter hasUpkeep: Whether work goes on behind the calls; a store that is never written
    ///   has none.
    package func start(hasUpkeep: Bool = true) async throws -> ServerAddress {
        let address = try await server.start()
        // What a stop or a crash left unfinished goes on.
        if hasUpkeep { upkeep.start(logger: logger) }
        changes.start()
        return address
    }

    /// Takes no new calls, lets the running ones finish, and waits until all is committed.
    package func stop() async {
        // Balancers that watch stop sending before the connections are told to go.
        health.stop()
        upkeep.stop()
        // Streams of changes have no end of their own; each is told where to go on.
        changes.stop()
        // Exports would go on for long; whoever reads one learns that it is to begin anew.
        exports.stop()
        // The committer and the readers answer on the loops, so they end before those do.
        await server.shutDownGracefully { [committer, readers] in
            readers.close()
            committer.close()
        }
    }
}

extension Router {
    /// Registers every call of the contract.
    package func registerAll() {
        FriendHandlers.register(in: self)
        ApplicationHandlers.register(in: self)
        BlacklistHandlers.register(in: self)
        GroupHandlers.register(in: self)
        SubscriptionHandlers.register(in: self)
        PresenceHandlers.register(in: self)
        ProfileHandlers.register(in: self)
        ChangeHandlers.register(in: self)
        ConsentHandlers.register(in: self)
        AppHandlers.register(in: self)
        AccountHandlers.register(in: self)
        ClientAppHandlers.register(in: self)
        ImportHandlers.register(in: self)
        ExportHandlers.register(in: self)
        MaintenanceHandlers.register(in: self)
    }
}
