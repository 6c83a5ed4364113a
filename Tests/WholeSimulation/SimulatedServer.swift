import GRPC
import Logging
import Memory
import NIOCore
import NIOEmbedded
import Protobuf
import RelationAccess
import RelationAdmission
import RelationCalls
import RelationChanges
import RelationCore
import RelationHooks
import RelationModel
import RelationRuntime
import RelationService
import Storage
import Support
import Synchronization

/// One process of the service: the parts of a ``RelationServer``, without a thread, a socket or a
/// clock of its own.
///
/// The loop, the committer, the hub, the readers and the upkeep take turns on the thread of the
/// simulation. Chance says how long each waits for its turn. While a commit waits for its disk, all
/// others go on.
///
/// `@unchecked Sendable`: one thread runs all of a simulation.
final class SimulatedServer: ServerEnd, @unchecked Sendable {
    /// A thread of the server, as the simulation turns it.
    private struct Turn {
        let nextTime: () -> UInt64?
        let run: () -> Void
        /// Whether it waits for commits, so that it stands still while one is under way.
        let waitsForCommits: Bool
        var isScheduled = false
        var stalledUntil: UInt64 = 0
    }

    static let app: UInt32 = 1
    static let key = "1.first.secret"

    let eventLoop = EmbeddedEventLoop()
    let store: SimulatedStore
    private let world: SimulatedWorld
    private let loop: ServerLoop
    private let committer: Committer
    private let readers: ReaderPools
    private let hub: ChangeHub
    /// The driver of hooks; nil if the app has none.
    private var driver: HookDriver?
    /// The memory of the readers of each pool.
    private let arenas = [Arena(), Arena(), Arena()]
    private var turns: [Turn] = []
    private var chance: Chance
    private(set) var isAlive = true
    private var connections: [SimulatedConnection] = []
    /// Until when the process sleeps: nothing of it runs.
    private(set) var asleepUntil: UInt64 = 0
    /// When the loop gets its next turn: it may be at work while another thread hands it something.
    private(set) var loopTime: UInt64 = 0
    /// The counts of the committer at its last turn.
    private var last: CommitReading?

    /// - Parameter receiver: The receiver of the app's hook; nil if the app has none.
    init(
        _ disk: SimulatedDisk, _ receiver: SimulatedReceiver?, in world: SimulatedWorld, number: Int
    ) throws {
        self.world = world
        chance = world.chance("turns \(number)")
        store = SimulatedStore(disk, in: world, number: number)
        eventLoop.advanceTime(to: .uptimeNanoseconds(world.now))
        let steady = SteadyClock(world)
        let clock = ServiceClock { steady.wall }
        let nanoseconds: @Sendable () -> UInt64 = { steady.nanoseconds }
        readers = ReaderPools(threads: 0, clock: nanoseconds)
        func thread(_ name: StaticString) -> WorkThread {
            WorkThread(name, isDriven: true, clock: nanoseconds)
        }
        let (commits, watch, upkeep) = (thread("committer"), thread("watch"), thread("upkeep"))
        var workers = [commits, watch, upkeep]
        var rates = CallRates()
        (rates.app, rates.key, rates.user) = (nil, nil, nil)
        let apps = try Apps(of: store, at: clock.now())
        let authenticator = Authenticator.guarded(apps, loops: 1, limits: rates, clock: clock)
        let presence = PresenceBoard()
        hub = ChangeHub(
            store: store, apps: apps, clock: clock, readers: WatchReaders(readers.scans),
            presence: presence, thread: watch)
        committer = Committer(
            store: store, apps: apps, listener: hub,
            memory: ReadCache(bytes: WorldLimits.cacheBytes), clock: nanoseconds,
            workClock: { 0 }, thread: commits)
        let router = Router(
            store: store, committer: committer, readers: readers, changes: hub,
            authenticator: authenticator, clock: clock, presence: presence, upkeep: upkeep,
            wait: { done in
                while commits.runNext() {}
                done.wait()
            })
        RelationServer.registerBinaryCalls(in: router)
        var logger = Logger(label: "simulation")
        logger.logLevel = .critical
        var configuration = ServerConfiguration()
        configuration.connectionAgeSeconds = nil
        loop = ServerLoop([router], on: eventLoop, configuration: configuration, logger: logger)
        if let receiver {
            workers.insert(thread("hooks"), at: 0)
            driver = receiver.driver(
                of: "life \(number)", store, apps, clock, nanoseconds: nanoseconds,
                on: workers[0])
        }
        turns = workers.map { worker in
            Turn(
                nextTime: { worker.nextTime }, run: { _ = worker.runNext() },
                waitsForCommits: worker !== watch)
        }
        turns += readerTurns()
        router.maintenance.start(logger: logger)
        hub.start()
        driver?.start(logger: logger)
        store.isServing = true
        tick()
    }

    deinit { for arena in arenas { arena.free() } }

    private func readerTurns() -> [Turn] {
        zip([readers.scans, readers.long, readers.misses], arenas).map { pool, arena in
            Turn(
                nextTime: { pool.waitingCount > 0 ? 0 : nil },
                run: { [world, store] in
                    world.met(.readFromThread)
                    if store.isWriting { world.met(.readBesideCommit) }
                    store.mayWait = true
                    pool.runNext(in: arena)
                    store.mayWait = false
                },
                waitsForCommits: false)
        }
    }

    var channelLoop: EmbeddedEventLoop { eventLoop }

    func serve(_ channel: EmbeddedChannel) throws { try loop.serve(channel) }

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
        guard isAlive, asleepUntil <= world.now else { return }
        if loopTime <= world.now { eventLoop.advanceTime(to: .uptimeNanoseconds(world.now)) }
        for index in turns.indices {
            guard !turns[index].isScheduled, !(turns[index].waitsForCommits && store.isWriting),
                let time = turns[index].nextTime(), time <= world.now
            else { continue }
            turns[index].isScheduled = true
            if turns[index].stalledUntil > world.now { world.met(.stalledThread) }
            let start = max(turnTime(), turns[index].stalledUntil)
            world.scheduler.at(start) { [weak self] in self?.accept(index) }
        }
    }

    /// When a thread has its turn that has something to do now.
    private func turnTime() -> UInt64 {
        let range =
            chance.one(in: WorldLimits.slowTurns)
            ? WorldLimits.slowTurnMicroseconds : WorldLimits.turnMicroseconds
        return world.now + UInt64(chance.number(range)) * 1_000
    }

    private func accept(_ index: Int) {
        turns[index].isScheduled = false
        guard isAlive, !(turns[index].waitsForCommits && store.isWriting) else { return }
        let still = max(turns[index].stalledUntil, asleepUntil)
        guard still <= world.now else {
            turns[index].isScheduled = true
            return world.scheduler.at(still) { [weak self] in self?.accept(index) }
        }
        // The loop takes in its own turn what the thread hands to it.
        if loopTime <= world.now {
            loopTime = turnTime()
            world.scheduler.at(loopTime) {}
        }
        // Others go on while it waits, but it has one turn at a time.
        turns[index].isScheduled = true
        turns[index].run()
        turns[index].isScheduled = false
        if turns[index].waitsForCommits { noteCommits() }
    }

    private func noteCommits() {
        let reading = committer.reading()
        defer { last = reading }
        if reading.background > last?.background ?? 0 { world.met(.timeUpkeep) }
        let commits = reading.transactions - (last?.transactions ?? 0)
        let operations = reading.operations - (last?.operations ?? 0)
        if operations > commits { world.met(.commitOfSeveral) }
    }

    /// Lets a thread get no processor.
    func stall(_ thread: Int, milliseconds: Int) {
        let end = world.now + UInt64(milliseconds) * 1_000_000
        guard thread != WorldLimits.loopThread else {
            world.met(.stalledLoop)
            loopTime = max(loopTime, end)
            for connection in connections { connection.hindered(until: end) }
            return
        }
        turns[thread].stalledUntil = end
    }

    /// Stops all of the process, as a machine does that is suspended.
    func sleep(milliseconds: Int) {
        guard isAlive else { return }
        world.met(store.isWriting ? .sleptInSync : .slept)
        asleepUntil = max(asleepUntil, world.now + UInt64(milliseconds) * 1_000_000)
        store.asleepUntil = asleepUntil
        for connection in connections { connection.hindered(until: asleepUntil) }
    }

    /// Wakes the process, and all its threads.
    func resume() {
        (asleepUntil, store.asleepUntil, loopTime) = (0, 0, 0)
        for index in turns.indices { turns[index].stalledUntil = 0 }
    }

    /// The server's present work, in the words of the table of errors.
    var state: String {
        guard isAlive else { return "the process is down" }
        if store.isWriting { return "a commit waits for its disk" }
        return committer.reading().waitingOperations > 0 ? "writes wait" : "nothing is written"
    }

    // MARK: The end

    /// The things that the server still holds beside the streams of followers, in words.
    ///
    /// It ends all calls.
    ///
    /// - Parameter streams: How many streams are followed.
    func leftovers(besides streams: Int) -> [String] {
        let counts = [
            ("streams of changes", hub.streamCount, streams),
            ("events that wait for the hub", hub.counts().waitingEvents, 0),
            ("writes that wait", committer.reading().waitingOperations, 0),
            ("reads that wait", readers.scans.waitingCount + readers.misses.waitingCount, 0),
            ("open calls", loop.closeAll(), streams),
        ]
        return counts.filter { $0.1 > $0.2 }.map { "\($0.1) \($0.0)" }
    }

    /// The process dies: nothing of it runs any more.
    func die() {
        guard isAlive else { return }
        world.met(
            store.isWriting
                ? .killedInSync
                : committer.reading().waitingOperations > 0 ? .killedWithQueue : .killedIdle)
        isAlive = false
        store.isDead = true
        for connection in connections { connection.cut() }
    }

    /// Frees what a process had that died; nothing of it is under way any more.
    func bury() {
        isAlive = false
        store.isDead = true
        for connection in connections { connection.closeServer() }
        loop.closeAll()
        loop.cancelTimers()
        eventLoop.run()
        try? eventLoop.syncShutdownGracefully()
        // Each connection has its server.
        connections = []
    }
}

/// The clocks of a process in a simulation.
///
/// `@unchecked Sendable`: one thread runs all of a simulation.
private final class SteadyClock: @unchecked Sendable {
    private let world: SimulatedWorld

    init(_ world: SimulatedWorld) { self.world = world }

    var nanoseconds: UInt64 { world.now }

    var wall: Timestamp {
        let passed = (nanoseconds - WorldLimits.startNanoseconds) / 1_000_000
        let milliseconds = WorldLimits.startMilliseconds + Int64(passed) + world.wallOffset
        return Timestamp(milliseconds: milliseconds)
    }
}
