package import GRPC
import GRPCWire
package import Logging
package import Protobuf
import RelationAPI
package import RelationAdmission
package import RelationCalls
import RelationChanges
package import RelationCore
import RelationHooks
import RelationRuntime
package import Storage
import Synchronization
import TIMGateway

/// The whole service over a store, or over the databases of a fleet: `relationd` starts it, and a
/// benchmark measures it.
package final class RelationServer: Sendable {
    let server: Server
    /// The part for the store; in a fleet, for the one that has the directory.
    let home: StoreService
    /// The other databases; nil for a server of one store.
    let fleet: Fleet?
    private let logger: Logger
    /// The minutes between backups; 0 if only calls make them.
    let backupMinutes: Int
    private let engineMemory = Mutex(EngineMemory())
    private let receivers: HookOffer?
    private let health: Health

    var store: any Store { home.store }
    var committer: Committer { home.committer }
    var readers: ReaderPools { home.readers }
    var changes: ChangeHub { home.changes }
    var hooks: HookDriver? { home.hooks }
    var asker: HookAsker { home.asker }
    var apps: Apps { home.apps }
    var peerSync: PeerSync? { home.peerSync }

    /// - Parameters:
    ///   - memory: The memory that answers reads; nil for that of the usual size.
    ///   - backupMinutes: How old the newest backup may become; 0 if only calls make backups.
    ///   - hooks: The way to the receivers of hooks; nil if no hooks are allowed.
    ///   - fleet: The other databases; nil if `store` is the only one, which then costs nothing
    ///     more.
    ///   - faults: The faults that callers of a demo may ask for; nil if none is looked for.
    ///   - descriptors: The `FileDescriptorSet` of the contract, for server reflection.
    package init(
        store: any Store, authenticator: Authenticator, clock: ServiceClock = .system,
        memory: ReadCache? = nil,
        configuration: ServerConfiguration, backupMinutes: Int = 0, hooks: HookOffer? = nil,
        fleet offer: FleetOffer? = nil, faults: RequestedFaults? = nil, descriptors: [[UInt8]],
        logger: Logger
    ) throws(CodecError) {
        self.logger = logger
        self.backupMinutes = backupMinutes
        receivers = hooks
        health = Health()
        for service in Set(ServiceTable.all.map(\.service)) { health.set(.serving, for: service) }
        let others = offer.map { _ in FleetStores() }
        home = StoreService(
            store, authenticator, clock: clock, memory: memory, backupMinutes: backupMinutes,
            hooks: hooks, health: offer == nil ? health : Health(), others: others, logger: logger)
        let router = home.router
        Self.registerCalls(in: router)
        let reflection = try Reflection(descriptorSets: descriptors)
        let guarded = authenticator.guarding(reflection)
        fleet = offer.map { [home, health] offer in
            Fleet(home, offer, health, logger) { database, lost in
                try Self.service(database, unless: lost, beside: home, offer, others, hooks, logger)
            }
        }
        others?.begin(fleet?.paths)
        let tim: TIMDispatcher
        var dispatchers: [any Dispatcher]
        if let fleet {
            tim = TIMDispatcher { [fleet] in fleet.authenticator(of: $0) }
            dispatchers = [
                fleet.dispatcher { $0.router.methods },
                fleet.dispatcher { $0.authenticator.guarding(reflection).methods },
            ]
        } else {
            tim = TIMDispatcher(authenticator)
            dispatchers = [
                faults.map { InterceptedDispatcher(router, $0.verdict) } ?? router, guarded,
            ]
        }
        dispatchers += [health, tim]
        var configuration = configuration
        configuration.callGroups = authenticator.apps.counted.groupCount
        configuration.details = DetailForms([
            ErrorInfo.schema, BadRequest.schema, RetryInfo.schema,
        ])
        server = Server(configuration: configuration, dispatchers: dispatchers, logger: logger)
        tim.serve(by: server)
    }

    /// Makes the part for a database beside home, takes its lease, and begins its work.
    ///
    /// - Parameter lost: The history of a store that had gone back; nil if it had not.
    private static func service(
        _ database: DirectoryDatabase, unless lost: History?, beside home: StoreService,
        _ offer: FleetOffer, _ others: FleetStores?, _ hooks: HookOffer?, _ logger: Logger
    ) throws -> StoreService {
        var logger = logger
        logger[metadataKey: "database"] = "\(database.name)"
        let store = try offer.open(database)
        do {
            let apps = try Apps(
                of: store, at: home.clock.now(), counted: home.apps.counted, isBesideHome: true)
            guard apps.registry.settings.history != lost else {
                throw StorageError(
                    .lostData,
                    "it has gone back to an earlier state: run `relationd init --restored` for it")
            }
            let service = StoreService(
                store, offer.authenticator(apps), clock: .system, memory: offer.memory(),
                backupMinutes: 0, hooks: hooks, health: Health(), others: others, logger: logger)
            registerBinaryCalls(in: service.router)
            do {
                try service.takeLease()
            } catch {
                service.willStop()
                service.stop()
                throw error
            }
            service.start(hasMaintenance: true)
            return service
        } catch {
            store.close()
            throw error
        }
    }

    /// Begins to listen, and returns the address.
    ///
    /// - Parameter hasMaintenance: Whether the background work runs; it does not for a store that
    ///   is never written.
    /// - Parameter check: Runs when the server has its lease, and may refuse to serve.
    package func start(
        hasMaintenance: Bool = true, check: () throws -> Void = {}
    ) async throws -> ListeningAddress {
        // No call comes in before the lease is there.
        try home.takeLease()
        try check()
        try fleet?.start()
        let address = try await server.start()
        home.start(hasMaintenance: hasMaintenance) { [weak self] in self?.releaseMemory() }
        return address
    }

    private func releaseMemory() {
        let isMuchFree = engineMemory.withLock { $0.hasFreedMuch { store.gauges() } }
        server.releaseMemory(isMuchFree: isMuchFree)
    }

    /// Makes a connection from within the process; see ``Server/connectInside()``.
    package func connectInside() -> CInt? { server.connectInside() }

    /// Takes other bounds on connections; see ``Server/apply(_:)``.
    package func apply(_ bounds: ServerBounds) {
        server.apply(bounds)
    }

    /// Takes other limits of callers in the databases of a fleet beside home, whose authenticator
    /// the server was given.
    package func apply(_ rates: CallRates, _ bounds: HoldBounds) {
        fleet?.apply(rates, bounds)
    }

    /// Does what the owner of the data folder asks, and waits until that is durable.
    package func answer(_ request: OwnerRequest) -> OwnerAnswer {
        let work = OwnerWork(request, apps, at: home.clock.now())
        committer.submit(background: work)
        return work.wait()
    }

    /// Does what is due by a clock that was set ahead: expiries do not wait for their next look.
    package func timeHasMoved() { home.timeHasMoved() }

    /// Notifies `observer` of the calls that begin from now on; nil ends that.
    package func observe(_ observer: (any CallObserver)?) {
        server.observe(observer)
    }

    /// Lets those who watch the server's health send their calls elsewhere; all calls here go on.
    package func announceStop() {
        health.stop()
    }

    /// Takes no new calls, lets the running calls finish, and waits until all is committed.
    ///
    /// It ends the calls that have no end of their own. A stream of changes gets the token to
    /// continue from, and an import the number of its last durable row. A call that lasts beyond
    /// the grace is cut off.
    package func stop() async {
        fleet?.willStop()
        announceStop()
        home.willStop()
        // The committer and the readers answer on the loops, so they end before the loops do.
        await server.shutDownGracefully { [home, fleet] in
            await WorkThread.run(on: "stop") {
                fleet?.stop()
                home.stop()
            }
        }
        await receivers?.close()
    }

    /// Cuts off the calls that still run, for a stop that takes too long.
    package func cancelRunningCalls() {
        server.cancelRunningCalls()
    }
}

extension RelationServer {
    /// Registers every call of the contract, which is answered in JSON too.
    package static func registerCalls(in router: Router) {
        registerBinaryCalls(in: router)
        router.speakJSON()
    }

    /// Registers every call of the contract, without JSON.
    ///
    /// JSON takes some milliseconds to prepare, which a simulation would pay for each process.
    package static func registerBinaryCalls(in router: Router) {
        FriendHandlers.register(in: router)
        ApplicationHandlers.register(in: router)
        BlacklistHandlers.register(in: router)
        GroupHandlers.register(in: router)
        SubscriptionHandlers.register(in: router)
        FollowHandlers.register(in: router)
        InvitationHandlers.register(in: router)
        ModerationHandlers.register(in: router)
        PresenceHandlers.register(in: router)
        ProfileHandlers.register(in: router)
        ChangeHandlers.register(in: router)
        ConsentHandlers.register(in: router)
        AppHandlers.register(in: router)
        AccountHandlers.register(in: router)
        ClientAppHandlers.register(in: router)
        ExportHandlers.register(in: router)
        MaintenanceHandlers.register(in: router)
        AuditHandlers.register(in: router)
        BackupHandlers.register(in: router)
        HookHandlers.register(in: router)
    }
}
