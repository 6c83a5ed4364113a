import GRPC
import Logging
import Memory
import NIOCore
import NIOEmbedded
import Protobuf
import RelationAdmission
import RelationCalls
import RelationChanges
import RelationHooks
import RelationModel
import RelationRuntime
import RelationService
import Storage

/// One process of the service whose store several processes share: the parts of a
/// ``RelationServer``, with threads that are strands.
///
/// It reads its apps, takes its lease, and then listens, as the real one does. A start that fails
/// ends the process.
///
/// `@unchecked Sendable`: only the one with the baton touches anything.
final class SharedServer: ServerEnd, @unchecked Sendable {
    /// A thread of the server, as the simulation turns it.
    private struct Turn {
        let nextTime: () -> UInt64?
        let run: () -> Void
        var isScheduled = false
    }

    /// The parts that are there when the apps have been read.
    private struct Parts {
        let loop: ServerLoop
        let committer: Committer
        let hub: ChangeHub
        let router: Router
        let sync: PeerSync
        let hooks: HookDriver?
        let logger: Logger
    }

    let number: Int
    let process: ProcessTime
    let store: ModelStore
    private let world: SimulatedWorld
    /// The receiver of the app's hook; nil if the app has none.
    private let receiver: SimulatedReceiver?
    /// A name that no other server has, and no other life of it.
    private let name: String
    private let strands: Strands
    private let handed: HandedLoop
    private let clock: StoreClock
    private let readers: ReaderPools
    private let arenas = [Arena(), Arena(), Arena()]
    private var turns: [Turn] = []
    private var parts: Parts?
    private var connections: [SimulatedConnection] = []
    private(set) var isAlive = true
    /// Whether it takes connections.
    private(set) var isListening = false
    private(set) var loopTime: UInt64 = 0
    /// Whether it had a lease when it was looked at last.
    private var hadLease = true
    /// Runs when it could not start.
    var onFailure: () -> Void = {}

    init(
        _ number: Int, life: Int, _ model: PostgresModel, _ database: DatabaseTime,
        _ strands: Strands, _ receiver: SimulatedReceiver?, in world: SimulatedWorld
    ) {
        (self.number, self.strands, self.world) = (number, strands, world)
        (self.receiver, name) = (receiver, "server \(number) life \(life)")
        let chance = world.chance("server \(number) life \(life)")
        process = ProcessTime(number, database, strands, chance, in: world)
        var options = ModelOptions()
        (options.readers, options.writers) = (4, 4)
        (options.hasStandbys, options.readsFirst) = (true, true)
        options.standbyWaitMilliseconds = WorldLimits.standbyMilliseconds
        let seed = Digest64(of: "process \(number) \(life)", from: world.seed).value
        store = ModelStore(model, process, options, seed: seed)
        handed = HandedLoop(strands)
        handed.embedded.advanceTime(to: .uptimeNanoseconds(world.now))
        let steady: @Sendable () -> UInt64 = { [process] in process.now }
        clock = StoreClock(
            startingAt: ServiceClock { Timestamp(milliseconds: WorldLimits.startMilliseconds) },
            counter: { Int64(steady() / 1_000_000) })
        readers = ReaderPools(threads: 0, clock: steady)
        process.handsOver = { [unowned self] in loopTakes() }
        for (pool, arena) in zip([readers.scans, readers.long, readers.misses], arenas) {
            turns.append(
                Turn(
                    nextTime: { pool.waitingCount > 0 ? 0 : nil },
                    run: { [world] in
                        world.met(.readFromThread)
                        pool.runNext(in: arena)
                    }))
        }
    }

    deinit { for arena in arenas { arena.free() } }

    // MARK: The start

    func begin() {
        tick()
        strands.run(for: process, thread: turns.count) { [self] in
            do throws(StorageError) {
                let apps = try Apps(of: store, at: clock.service.now())
                world.scheduler.after(microseconds: 0) { [self] in build(apps) }
            } catch {
                fail(error)
            }
        }
    }

    private func fail(_ error: StorageError) {
        world.note("server \(number) cannot start: \(error.code)")
        world.scheduler.after(microseconds: 0) { [self] in if isAlive { onFailure() } }
    }

    private func build(_ apps: Apps) {
        guard isAlive else { return }
        let threads = ThreadSource(
            clock: { [process] in process.now },
            make: { [unowned self] name in makeThread(name) },
            wait: { [process] in process.wait(for: $0) })
        var logger = Logger(label: "simulation")
        logger.logLevel = .critical
        logger.handler = SwiftLogNoOpLogHandler()
        var rates = CallRates()
        (rates.app, rates.key, rates.user) = (nil, nil, nil)
        let service = clock.service
        let authenticator = Authenticator.guarded(apps, loops: 1, limits: rates, clock: service)
        let presence = PresenceBoard()
        let hub = ChangeHub(
            store: store, apps: apps, clock: service, readers: WatchReaders(readers.scans),
            presence: presence, thread: threads.make("watch"))
        guard let peers = store.peers else { preconditionFailure("the store has no peers") }
        let sync = PeerSync(
            store, peers, apps, hub, presence, clock, Health(), logger, threads: threads)
        let committer = Committer(
            store: store, apps: apps, listener: sync.feed, clock: threads.clock,
            workClock: { 0 }, threads: threads)
        let router = Router(
            store: store, committer: committer, readers: readers, changes: hub,
            authenticator: authenticator, clock: service, presence: presence,
            upkeep: threads.make("upkeep"), wait: threads.wait,
            sleeper: (
                { [process] in process.sleepersNow },
                { [process] milliseconds in
                    process.wait(until: process.now + UInt64(milliseconds) * 1_000_000) { false }
                }
            ))
        RelationServer.registerBinaryCalls(in: router)
        var configuration = ServerConfiguration()
        configuration.connectionAgeSeconds = nil
        let loop = ServerLoop([router], on: handed, configuration: configuration, logger: logger)
        parts = Parts(
            loop: loop, committer: committer, hub: hub, router: router, sync: sync,
            hooks: hookDriver(apps, threads), logger: logger)
        strands.run(for: process, thread: turns.count) { [self] in
            do {
                try sync.start(committer)
                world.scheduler.after(microseconds: 0) { [self] in open() }
            } catch {
                fail(error as? StorageError ?? StorageError(.failed, "\(error)"))
            }
        }
    }

    private func open() {
        guard isAlive, let parts else { return }
        world.note("server \(number) listens")
        isListening = true
        parts.router.maintenance.start(logger: parts.logger)
        parts.hub.start()
        parts.hooks?.start(logger: parts.logger)
    }

    /// The driver of the app's hook; nil if the app has none.
    private func hookDriver(_ apps: Apps, _ threads: ThreadSource) -> HookDriver? {
        receiver.map { receiver in
            receiver.driver(
                of: name, store, apps, clock.service, nanoseconds: threads.clock,
                on: threads.make("hooks"))
        }
    }

    private func makeThread(_ name: StaticString) -> WorkThread {
        let worker = WorkThread(name, isDriven: true, clock: { [process] in process.now })
        turns.append(Turn(nextTime: { worker.nextTime }, run: { _ = worker.runNext() }))
        return worker
    }

    // MARK: The ends of connections

    var channelLoop: EmbeddedEventLoop { handed.embedded }
    var asleepUntil: UInt64 { process.asleepUntil }

    func serve(_ channel: EmbeddedChannel) throws { try parts?.loop.serve(channel) }

    func add(_ connection: SimulatedConnection) { connections.append(connection) }

    // MARK: Turns

    private func tick() {
        world.scheduler.after(microseconds: WorldLimits.tickMicroseconds) { [weak self] in
            guard let self, self.isAlive else { return }
            self.tick()
        }
    }

    /// Moves the loop to the present, and gives a turn to each thread that has work.
    func check() {
        guard isAlive, process.asleepUntil <= world.now else { return }
        if isListening, hasLease != hadLease {
            hadLease = hasLease
            world.note("server \(number) has \(hadLease ? "a" : "no") lease")
            if !hadLease { world.met(.lapsed) }
        }
        if loopTime <= world.now {
            handed.takeHanded()
            handed.embedded.advanceTime(to: .uptimeNanoseconds(world.now))
        }
        for index in turns.indices {
            guard !turns[index].isScheduled, let time = turns[index].nextTime(), time <= world.now
            else { continue }
            turns[index].isScheduled = true
            let stalledUntil = process.stalledUntil[index] ?? 0
            if stalledUntil > world.now { world.met(.stalledThread) }
            world.scheduler.at(max(process.turnTime(), stalledUntil)) { [weak self] in
                self?.take(index)
            }
        }
    }

    private func take(_ index: Int) {
        guard isAlive else { return }
        let still = max(process.stalledUntil[index] ?? 0, process.asleepUntil)
        guard still <= world.now else {
            return world.scheduler.at(still) { [weak self] in self?.take(index) }
        }
        loopTakes()
        strands.run(for: process, thread: index) { [self] in
            turns[index].run()
            turns[index].isScheduled = false
        }
    }

    /// The loop takes in its own turn what a thread hands to it.
    private func loopTakes() {
        guard loopTime <= world.now else { return }
        loopTime = process.turnTime()
        world.scheduler.at(loopTime) {}
    }

    /// Lets a thread get no processor; one beyond the last is the loop.
    func stall(_ thread: Int, milliseconds: Int) {
        let end = world.now + UInt64(milliseconds) * 1_000_000
        guard thread < turns.count else {
            world.met(.stalledLoop)
            loopTime = max(loopTime, end)
            for connection in connections { connection.hindered(until: end) }
            return
        }
        process.stalledUntil[thread] = end
    }

    /// Stops all of the process, as a machine does that is suspended.
    func sleep(milliseconds: Int) {
        guard isAlive else { return }
        world.met(isCommitting ? .sleptInTransaction : .slept)
        process.asleepUntil = max(
            process.asleepUntil, world.now + UInt64(milliseconds) * 1_000_000)
        for connection in connections { connection.hindered(until: process.asleepUntil) }
        world.scheduler.at(process.asleepUntil) { [strands] in strands.changed() }
    }

    /// Wakes the process, and all its threads.
    func resume() {
        (process.asleepUntil, process.stalledUntil, loopTime) = (0, [:], 0)
        strands.changed()
    }

    // MARK: What it does

    /// Whether a transaction of callers is under way.
    var isCommitting: Bool { parts?.committer.reading().busySince != nil }

    /// Whether it has a lease.
    var hasLease: Bool { store.peers?.lease.isGood ?? false }

    /// The server's present work, in the words of the table of errors.
    var state: String {
        guard isAlive else { return "a server is down" }
        guard isListening else { return "a server starts" }
        guard hasLease else { return "a server has no lease" }
        if isCommitting { return "a transaction is under way" }
        return parts?.committer.reading().waitingOperations ?? 0 > 0
            ? "writes wait" : "nothing is written"
    }

    /// The things that it still holds, in words, but for streams.
    func leftovers() -> [String] {
        guard let parts else { return [] }
        let counts = [
            ("events that wait for the hub", parts.hub.counts().waitingEvents),
            ("writes that wait", parts.committer.reading().waitingOperations),
            ("reads that wait", readers.scans.waitingCount + readers.misses.waitingCount),
        ]
        return counts.filter { $0.1 > 0 }.map { "server \(number): \($0.1) \($0.0)" }
    }

    var streamCount: Int { parts?.hub.streamCount ?? 0 }

    /// The process dies: nothing of it runs any more.
    func die(in model: PostgresModel) {
        guard isAlive else { return }
        world.met(isCommitting ? .killedInTransaction : .killedIdle)
        (isAlive, isListening, process.hasEnded) = (false, false, true)
        model.disconnect(store.process)
        for connection in connections { connection.cut() }
        // Its upkeep, whose waits end at once now, would go from step to step.
        parts?.router.maintenance.stop()
        strands.unwind(process)
    }

    /// Frees what a process had that died; nothing of it is under way any more.
    func bury() {
        for connection in connections { connection.closeServer() }
        parts?.loop.closeAll()
        parts?.loop.cancelTimers()
        handed.takeHanded()
        handed.embedded.run()
        try? handed.embedded.syncShutdownGracefully()
        // Each connection has its server.
        (parts, turns, connections) = (nil, [], [])
    }
}
