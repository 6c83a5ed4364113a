import GRPC
import Logging
import Protobuf
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationChanges
import RelationCore
import RelationHooks
import RelationRuntime
import Storage

/// The part of a server that works for one store: all but the listener.
///
/// A server has one of them, or in a fleet one for each database. None waits for another one, so
/// the outage of a database ends the calls of its own apps alone.
final class StoreService: Sendable {
    let store: any Store
    let authenticator: Authenticator
    let committer: Committer
    let readers = ReaderPools()
    private let maintenance: Maintenance
    /// Makes backups by time; nil if only calls do.
    private let schedule: BackupSchedule?
    private let exports: ExportPoints
    let changes: ChangeHub
    /// Delivers the events of hooks; nil if the operator allows none.
    let hooks: HookDriver?
    /// Asks the hooks of apps before calls.
    let asker: HookAsker
    let clock: ServiceClock
    /// The parts that keep in step with other servers; nil if no other has the store.
    let peerSync: PeerSync?
    let router: Router
    private let logger: Logger

    var apps: Apps { authenticator.apps }

    /// - Parameters:
    ///   - memory: The memory that answers reads; nil for that of the usual size.
    ///   - backupMinutes: How old the newest backup may become; 0 if only calls make backups.
    ///   - hooks: The way to the receivers of hooks; nil if no hooks are allowed.
    ///   - health: Learns whether the store takes calls.
    ///   - others: The other stores of the fleet; nil if there is none.
    init(
        _ store: any Store, _ authenticator: Authenticator, clock: ServiceClock,
        memory: ReadCache?, backupMinutes: Int, hooks: HookOffer?, health: Health,
        others: FleetStores? = nil, logger: Logger
    ) {
        self.store = store
        self.authenticator = authenticator
        self.logger = logger
        // All servers of a store go by its clock.
        let storeClock = store.peers.map { _ in StoreClock(startingAt: clock) }
        let clock = storeClock?.service ?? clock
        self.clock = clock
        schedule = store.backups.flatMap { backups in
            guard backupMinutes > 0 else { return nil }
            return BackupSchedule(backups, everyMinutes: backupMinutes, clock: clock)
        }
        let apps = authenticator.apps
        let presence = PresenceBoard()
        changes = ChangeHub(
            store: store, apps: apps, clock: clock, readers: WatchReaders(readers.scans),
            presence: presence)
        peerSync = store.peers.map { [changes] in
            PeerSync(
                store, $0, apps, changes, presence, storeClock ?? StoreClock(), health, logger)
        }
        committer = Committer(
            store: store, apps: apps, listener: peerSync?.feed ?? changes, memory: memory)
        let driver = hooks.map { offer in
            HookDriver(
                store: store, apps: apps, clock: clock,
                holder: Randomness.system.text(bytes: 8), seed: .random(in: .min ... .max),
                send: offer.send)
        }
        self.hooks = driver
        if let driver { presence.observe(driver.observer(of: apps)) }
        asker = HookAsker(
            apps: apps, clock: clock,
            transport: hooks.map { AnyHookTransport(HTTPHookTransport($0.ask), $0.receiverAsker) },
            note: { app, hook, failure in driver?.note(app, hook, failure) })
        router = Router(
            store: store, committer: committer, readers: readers, changes: changes,
            authenticator: authenticator, clock: clock, presence: presence,
            hooks: hooks?.policy ?? .none, asker: asker, others: others)
        maintenance = router.maintenance
        exports = router.exports
    }

    /// Takes the lease, without which no call is admitted.
    func takeLease() throws { try peerSync?.start(committer) }

    /// Begins the work that no call waits for.
    ///
    /// - Parameters:
    ///   - hasMaintenance: Whether the store is ever written.
    ///   - everySecond: Runs once a second, on the thread of the upkeep.
    func start(hasMaintenance: Bool, everySecond: @escaping @Sendable () -> Void = {}) {
        // Continues the work that a stop or a crash left unfinished.
        if hasMaintenance {
            maintenance.start(logger: logger, everySecond: everySecond)
            schedule?.start(logger: logger)
            hooks?.start(logger: logger)
        }
        changes.start()
    }

    /// Does what is due by a clock that was set ahead.
    func timeHasMoved() {
        maintenance.wake()
        changes.tick()
    }

    /// Begins no more work; what runs goes on.
    func willStop() {
        store.willClose()
        maintenance.stop()
        schedule?.stop()
    }

    /// Waits until all is committed; the loops still run, on which committer and readers answer.
    func stop() {
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

    /// Whether the store lacks what this server has answered, and so is served no more.
    var hasLostData: Bool { authenticator.hasLostData }

    /// Why the store keeps its apps from being served; nil if it does not.
    var trouble: String? { peerSync?.trouble }
}
