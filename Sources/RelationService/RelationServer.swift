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

/// The whole service over a store: `relationd` starts it, and a benchmark measures it.
package final class RelationServer: Sendable {
    let server: Server
    let committer: Committer
    let store: any Store
    private let logger: Logger
    let readers = ReaderPools()
    private let maintenance: Maintenance
    /// Makes backups by time; nil if only calls do.
    private let schedule: BackupSchedule?
    /// The minutes between backups; 0 if only calls make them.
    let backupMinutes: Int
    private let exports: ExportPoints
    private let engineMemory = Mutex(EngineMemory())
    let changes: ChangeHub
    /// Delivers the events of hooks; nil if the operator allows none.
    let hooks: HookDriver?
    /// Asks the hooks of apps before calls.
    let asker: HookAsker
    private let receivers: HookOffer?
    private let health: Health
    let apps: Apps
    private let clock: ServiceClock
    /// The parts that keep in step with other servers; nil if no other has the store.
    let peerSync: PeerSync?

    /// - Parameters:
    ///   - memory: The memory that answers reads; nil for that of the usual size.
    ///   - backupMinutes: How old the newest backup may become; 0 if only calls make backups.
    ///   - hooks: The way to the receivers of hooks; nil if no hooks are allowed.
    ///   - faults: The faults that callers of a demo may ask for; nil if none is looked for.
    ///   - descriptors: The `FileDescriptorSet` of the contract, for server reflection.
    package init(
        store: any Store, authenticator: Authenticator, clock: ServiceClock = .system,
        memory: ReadCache? = nil,
        configuration: ServerConfiguration, backupMinutes: Int = 0, hooks: HookOffer? = nil,
        faults: RequestedFaults? = nil, descriptors: [[UInt8]], logger: Logger
    ) throws(CodecError) {
        self.logger = logger
        self.store = store
        // All servers of a store go by its clock.
        let storeClock = store.peers.map { _ in StoreClock(startingAt: clock) }
        let clock = storeClock?.service ?? clock
        self.clock = clock
        self.backupMinutes = backupMinutes
        schedule = store.backups.flatMap { backups in
            guard backupMinutes > 0 else { return nil }
            return BackupSchedule(backups, everyMinutes: backupMinutes, clock: clock)
        }
        apps = authenticator.apps
        let presence = PresenceBoard()
        changes = ChangeHub(
            store: store, apps: authenticator.apps, clock: clock,
            readers: WatchReaders(readers.scans),
            presence: presence)
        health = Health()
        for service in Set(ServiceTable.all.map(\.service)) { health.set(.serving, for: service) }
        peerSync = store.peers.map { [changes, health] in
            PeerSync(
                store, $0, authenticator.apps, changes, presence, storeClock ?? StoreClock(),
                health, logger)
        }
        committer = Committer(
            store: store, apps: authenticator.apps, listener: peerSync?.feed ?? changes,
            memory: memory)
        receivers = hooks
        let driver = hooks.map { offer in
            HookDriver(
                store: store, apps: authenticator.apps, clock: clock,
                holder: Randomness.system.text(bytes: 8), seed: .random(in: .min ... .max),
                send: offer.send)
        }
        self.hooks = driver
        if let driver { presence.observe(driver.observer(of: authenticator.apps)) }
        asker = HookAsker(
            apps: authenticator.apps, clock: clock,
            transport: hooks.map { AnyHookTransport(HTTPHookTransport($0.ask), $0.receiverAsker) },
            note: { app, hook, failure in driver?.note(app, hook, failure) })
        let router = Router(
            store: store, committer: committer, readers: readers, changes: changes,
            authenticator: authenticator,
            clock: clock, presence: presence, hooks: hooks?.policy ?? .none, asker: asker)
        Self.registerCalls(in: router)
        maintenance = router.maintenance
        exports = router.exports
        let tim = TIMDispatcher(authenticator)
        let reflection = try Reflection(descriptorSets: descriptors)
        var configuration = configuration
        configuration.callGroups = authenticator.apps.counted.groupCount
        configuration.details = DetailForms([
            ErrorInfo.schema, BadRequest.schema, RetryInfo.schema,
        ])
        server = Server(
            configuration: configuration,
            dispatchers: [
                faults.map { InterceptedDispatcher(router, $0.verdict) } ?? router, health,
                authenticator.guarding(reflection), tim,
            ], logger: logger)
        tim.serve(by: server)
    }

    /// Begins to listen, and returns the address.
    ///
    /// - Parameter hasMaintenance: Whether the background work runs; it does not for a store that
    ///   is never written.
    package func start(hasMaintenance: Bool = true) async throws -> ListeningAddress {
        // No call comes in before the lease is there.
        try peerSync?.start(committer)
        let address = try await server.start()
        // Continues the work that a stop or a crash left unfinished.
        if hasMaintenance {
            maintenance.start(logger: logger) { [weak self] in self?.releaseMemory() }
            schedule?.start(logger: logger)
            hooks?.start(logger: logger)
        }
        changes.start()
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

    /// Does what the owner of the data folder asks, and waits until that is durable.
    package func answer(_ request: OwnerRequest) -> OwnerAnswer {
        let work = OwnerWork(request, apps, at: clock.now())
        committer.submit(background: work)
        return work.wait()
    }

    /// Does what is due by a clock that was set ahead: expiries do not wait for their next look.
    package func timeHasMoved() {
        maintenance.wake()
        changes.tick()
    }

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
        announceStop()
        store.willClose()
        maintenance.stop()
        schedule?.stop()
        // The committer and the readers answer on the loops, so they end before the loops do.
        await server.shutDownGracefully {
            [changes, exports, committer, readers, maintenance, schedule, peerSync, hooks] in
            await WorkThread.run(on: "stop") {
                hooks?.stop()
                maintenance.close()
                schedule?.close()
                changes.stop()
                exports.stop()
                readers.close()
                maintenance.storeAuditedCalls()
                committer.close()
                peerSync?.stop()
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
