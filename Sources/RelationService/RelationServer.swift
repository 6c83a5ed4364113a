package import GRPC
package import Logging
package import Protobuf
import RelationAPI
package import RelationAdmission
package import RelationCalls
import RelationChanges
import RelationCore
import RelationModel
import RelationRuntime
package import Storage

/// The whole service over a store: what `relationd` starts, and what a benchmark measures.
package final class RelationServer: Sendable {
    private let server: Server
    private let committer: Committer
    private let logger: Logger
    private let readers = ReaderPools()
    private let maintenance: Maintenance
    private let exports: ExportPoints
    private let changes: ChangeHub
    private let health: Health

    /// - Parameter descriptors: The `FileDescriptorSet` of the contract, for server reflection.
    package init(
        store: any Store, door: Door, clock: ServiceClock = .system,
        configuration: ServerConfiguration, descriptors: [[UInt8]], logger: Logger
    ) throws(CodecError) {
        self.logger = logger
        let presence = PresenceBoard()
        changes = ChangeHub(
            store: store, apps: door.apps, clock: clock,
            readers: WatchReaders(readers.scans),
            presence: presence)
        committer = Committer(store: store, apps: door.apps, listener: changes)
        health = Health()
        for service in Set(ServiceTable.all.map(\.service)) { health.set(.serving, for: service) }
        let router = Router(
            store: store, committer: committer, readers: readers, changes: changes, door: door,
            clock: clock, presence: presence)
        Self.registerCalls(in: router)
        maintenance = router.maintenance
        exports = router.exports
        let reflection = try Reflection(descriptorSets: descriptors)
        server = Server(
            configuration: configuration,
            dispatchers: [router, health, door.guarding(reflection)], logger: logger)
    }

    /// Listens, and answers where.
    ///
    /// - Parameter hasMaintenance: Whether work goes on behind the calls; a store that is
    ///   never written has none.
    package func start(hasMaintenance: Bool = true) async throws -> ServerAddress {
        let address = try await server.start()
        // What a stop or a crash left unfinished goes on.
        if hasMaintenance {
            maintenance.start(logger: logger) { [server] in server.giveBackMemory() }
        }
        changes.start()
        return address
    }

    /// Tells those who watch the server's health to send their calls elsewhere; all go on here.
    package func announceStop() {
        health.stop()
    }

    /// Takes no new calls, lets the running ones finish, and waits until all is committed.
    ///
    /// Calls that have no end of their own are ended: a stream of changes with the token to go on
    /// from, an import with the number of its last durable row. What outlives the grace is cut off.
    package func stop() async {
        announceStop()
        maintenance.stop()
        // The committer and the readers answer on the loops, so they end before those do.
        await server.shutDownGracefully { [changes, exports, committer, readers, maintenance] in
            maintenance.close()
            changes.stop()
            exports.stop()
            readers.close()
            committer.close()
        }
    }

    /// Cuts off what still runs, in a stop that takes too long for somebody.
    package func hurry() {
        server.hurry()
    }
}

extension RelationServer {
    /// Registers every call of the contract.
    package static func registerCalls(in router: Router) {
        FriendHandlers.register(in: router)
        ApplicationHandlers.register(in: router)
        BlacklistHandlers.register(in: router)
        GroupHandlers.register(in: router)
        SubscriptionHandlers.register(in: router)
        PresenceHandlers.register(in: router)
        ProfileHandlers.register(in: router)
        ChangeHandlers.register(in: router)
        ConsentHandlers.register(in: router)
        AppHandlers.register(in: router)
        AccountHandlers.register(in: router)
        ClientAppHandlers.register(in: router)
        ExportHandlers.register(in: router)
        MaintenanceHandlers.register(in: router)
    }
}
