import Storage

/// Several servers of the service on one modelled database, under one seed: their threads, their
/// connections, the primary and its standby, the clients and the network between them.
///
/// The callers, the followers and the book are those of ``WholeSimulation``. Each connection of a
/// client goes to a server that chance picks, as behind a balancer.
final class SharedSimulation: Network {
    private let plan: Plan
    private let world: SimulatedWorld
    private let strands: Strands
    private let time: DatabaseTime
    private let model: PostgresModel
    private let book: Book
    private var servers: [SharedServer?] = []
    private var graves: [SharedServer] = []
    private var lives = 0
    private var connections = 0
    private var balancer: Chance
    private var clients = Clients()
    private var callers: [SimulatedCaller] { clients.callers }
    private var followers: [SimulatedFollower] { clients.followers }
    private let receiver: SimulatedReceiver?
    /// How far the clock of the database is off.
    private var clockMilliseconds = 0
    /// The server that each client came to last.
    private var places: [Int: Int] = [:]
    /// How far the clock of the database is ahead of that of the simulation.
    private static let clockMilliseconds =
        Int(WorldLimits.startMilliseconds) - Int(WorldLimits.startNanoseconds / 1_000_000)

    static func run(
        _ plan: Plan, flaw: String?, keepsLines: Bool
    ) throws -> WholeSimulation.Result {
        let simulation = try SharedSimulation(plan, flaw, keepsLines)
        simulation.run()
        let world = simulation.world
        return WholeSimulation.Result(
            digest: world.digest.value, findings: world.findings, sightings: world.sightings,
            lines: world.lines, milliseconds: world.scheduler.milliseconds)
    }

    private init(_ plan: Plan, _ flaw: String?, _ keepsLines: Bool) throws {
        self.plan = plan
        world = SimulatedWorld(seed: plan.seed, keepsLines: keepsLines)
        strands = Strands(in: world)
        time = DatabaseTime(strands, in: world)
        model = PostgresModel(
            time, standbys: 1, isSynchronous: true, seed: plan.seed,
            flaw: flaw.flatMap(PostgresModel.Flaw.init))
        time.run(model)
        model.fill(try Self.first(plan))
        for node in model.nodes.indices { model.setClock(node, ahead: Self.clockMilliseconds) }
        book = Book(in: world, isShared: true)
        receiver = plan.hasHook ? SimulatedReceiver(book, in: world) : nil
        balancer = world.chance("balancer")
        clients = try Clients(plan, book, self, in: world)
        servers = Array(repeating: nil, count: plan.servers)
        model.onSettled = { [world] isWritten in
            world.met(isWritten ? .settledWritten : .settledLost)
        }
        model.onLockWait = { [world] in world.met(.waitedForLock) }
        model.onFormer = { [world] in world.met(.askedFormer) }
        model.onStandbyRead = { [world] verdict in
            world.met(verdict == .behind ? .standbyBehind : .standbyAnswered)
        }
        world.scheduler.afterEach = { [unowned self] in check() }
    }

    /// The rows with which a run begins.
    private static func first(_ plan: Plan) throws -> MemoryRows {
        var rows = MemoryRows()
        try WholeSimulation.first(plan).read { (transaction) throws(StorageError) in
            try transaction.scan(KeyRange(after: []), .ascending, limit: .max) { key, value in
                rows.set(Array(key), to: Array(value))
                return .more
            }
        }
        return rows
    }

    private func check() {
        for server in servers { server?.check() }
        strands.check()
    }

    // MARK: The network

    func connection(for line: Int) -> SimulatedConnection? {
        let listening = servers.compactMap { $0 }.filter(\.isListening)
        guard !listening.isEmpty else { return nil }
        let server = balancer.pick(listening)
        connections += 1
        if let former = places.updateValue(server.number, forKey: line), former != server.number {
            world.met(line < callers.count ? .otherServer : .streamToOther)
        }
        world.note("client \(line) connects to server \(server.number)")
        return try? SimulatedConnection(line, number: connections, to: server, in: world)
    }

    var isCommitWaiting: Bool { servers.contains { $0?.isCommitting ?? false } }

    let hasStandbys = true

    // MARK: Servers

    private func start(_ number: Int) {
        lives += 1
        world.note("server \(number) begins")
        let server = SharedServer(
            number, life: lives, model, time, strands, receiver, in: world)
        server.onFailure = { [unowned self, unowned server] in
            guard server.isAlive else { return }
            world.met(.failedStart)
            kill(number, downMilliseconds: WorldLimits.restartMilliseconds)
        }
        servers[number] = server
        server.begin()
    }

    private func kill(_ number: Int, downMilliseconds: Int) {
        guard let server = servers[number] else { return }
        world.note("server \(number) dies")
        server.die(in: model)
        graves.append(server)
        servers[number] = nil
        world.scheduler.after(microseconds: downMilliseconds * 1_000) { [unowned self] in
            start(number)
        }
    }

    // MARK: The run

    private func run() {
        for number in servers.indices { start(number) }
        for follower in followers { follower.begin() }
        run(milliseconds: WorldLimits.startingMilliseconds)
        for step in plan.steps {
            let begin = WorldLimits.startingMilliseconds + step.milliseconds
            let time = WorldLimits.startNanoseconds + UInt64(begin) * 1_000_000
            world.scheduler.at(time) { [unowned self] in take(step) }
        }
        let last = plan.steps.last?.milliseconds ?? 0
        run(milliseconds: last + 1)
        calm()
        verify()
        clients.end()
        run(milliseconds: WorldLimits.leavingMilliseconds)
        clients.checkEnd()
        checkLeftovers()
        clients.bury()
        world.scheduler.afterEach = {}
        for server in servers.compactMap({ $0 }) {
            server.die(in: model)
            graves.append(server)
        }
        for server in graves { server.bury() }
        strands.end()
        world.scheduler.forget()
    }

    private func run(milliseconds: Int) {
        world.scheduler.run(until: world.now + UInt64(max(0, milliseconds)) * 1_000_000)
    }

    private func take(_ step: Step) {
        switch step.action {
        case .call(let caller, let operation): callers[caller].perform(operation)
        case .error(let error):
            world.met(error, in: servers.compactMap { $0 }.map(\.state).min() ?? "no server runs")
            world.note("\(error)")
            take(error)
        }
    }

    private func take(_ error: Failure) {
        switch error {
        case .freeze(let line, let isUp, let milliseconds):
            guard let connection = connection(of: line) else { return }
            world.met(isUp ? .frozenUp : .frozenDown)
            connection.freeze(isUp: isUp, milliseconds: milliseconds)
        case .cut(let line):
            if line < callers.count, callers[line].openCount > 0 {
                world.met(.cutWithCalls)
            }
            connection(of: line)?.cut()
        case .cutOff(let isUp, let milliseconds):
            world.met(.cutOffWay)
            for line in 0..<WorldLimits.holders {
                connection(of: line)?.freeze(isUp: isUp, milliseconds: milliseconds)
            }
        case .endCalls(let line):
            world.met(.streamsEnded)
            clients.endCalls(of: line)
        case .shared(let failure): take(failure)
        default: preconditionFailure("only a server with its own disk has this error")
        }
    }

    private func take(_ failure: SharedFailure) {
        switch failure {
        case .kill(let server, let milliseconds): kill(server, downMilliseconds: milliseconds)
        case .sleep(let server, let milliseconds):
            servers[server]?.sleep(milliseconds: milliseconds)
        case .stall(let server, let thread, let milliseconds):
            servers[server]?.stall(thread, milliseconds: milliseconds)
        case .cut(let server, let losingAnswersOnly):
            guard let server = servers[server] else { return }
            if server.isCommitting { world.met(.cutInCommit) }
            model.cut(server.store.process, losingAnswersOnly: losingAnswersOnly)
        case .endSessions: model.endSessions()
        case .freeze(let standby, let milliseconds):
            let primary = model.primaryIndex
            guard standby else {
                world.met(.frozenPrimary)
                return model.freeze(primary, milliseconds: milliseconds)
            }
            world.met(.frozenStandby)
            model.freeze(1 - primary, milliseconds: milliseconds)
        case .crash(let milliseconds):
            let primary = model.primaryIndex
            guard model.isWell(primary) else { return }
            world.met(.crashed)
            model.crash(primary)
            book.notesLost()
            world.scheduler.after(microseconds: milliseconds * 1_000) { [model] in
                model.restart(primary)
            }
        case .promote(let milliseconds):
            promote(downMilliseconds: milliseconds)
        case .wakeFormer(let asleep, let awake):
            let primary = model.primaryIndex
            guard model.isWell(primary) else { return }
            world.met(.frozenPrimary)
            model.freeze(primary, milliseconds: asleep)
            let wakes = world.now + UInt64(asleep) * 1_000_000
            promote(looks: WorldLimits.promotionLooks) { [unowned self] former in
                if former == primary, wakes > world.now { wake(former, at: wakes, awake) }
            }
        case .lag(let milliseconds):
            model.lag(1 - model.primaryIndex, milliseconds: milliseconds)
        case .clock(let milliseconds): setClock(milliseconds)
        case .hold(let server, let isUp, let milliseconds):
            guard let server = servers[server] else { return }
            world.met(isUp ? .heldUp : .heldDown)
            if server.isCommitting { world.met(.heldInCommit) }
            model.hold(server.store.process, isUp: isUp, milliseconds: milliseconds)
        case .holdStandby(let isUp, let milliseconds):
            world.met(.heldStandby)
            model.holdStandby(
                1 - model.primaryIndex, isToStandby: !isUp, milliseconds: milliseconds)
        case .hang(let server, let session, let milliseconds):
            guard let process = servers[server]?.store.process,
                let isHolding = model.hang(process, choice: session, milliseconds: milliseconds)
            else { return }
            world.met(isHolding ? .hungWithLock : .hungSession)
        case .lateNotices(let milliseconds): model.delayNotices(milliseconds: milliseconds)
        }
    }

    /// Sets the clocks of all servers of the database.
    private func setClock(_ milliseconds: Int) {
        world.met(milliseconds > clockMilliseconds ? .clockAhead : .clockBack)
        clockMilliseconds = milliseconds
        for node in model.nodes.indices {
            model.setClock(node, ahead: Self.clockMilliseconds + milliseconds)
        }
    }

    /// Lets the primary end, and its standby take over.
    private func promote(downMilliseconds: Int) {
        promote(looks: WorldLimits.promotionLooks) { [unowned self] former in
            model.crash(former)
            world.scheduler.after(microseconds: downMilliseconds * 1_000) { [model] in
                if !model.isWell(former) { model.demote(former) }
            }
        }
    }

    /// Lets the standby take over as soon as it has all that anyone may have seen.
    ///
    /// - Parameter ending: Says, just before that, what becomes of the primary.
    private func promote(looks: Int, _ ending: @escaping (_ former: Int) -> Void) {
        let primary = model.primaryIndex
        guard looks > 0, !world.isCalm else { return }
        guard model.isWhole(1 - primary) else {
            let pause = WorldLimits.promotionMilliseconds * 1_000
            return world.scheduler.after(microseconds: pause) { [unowned self] in
                promote(looks: looks - 1, ending)
            }
        }
        world.met(isCommitWaiting ? .promotedInTransaction : .promoted)
        if model.waitingChanges(1 - primary) > 0 { world.met(.promotedLagging) }
        world.note("the standby takes over")
        ending(primary)
        model.promote(1 - primary)
        book.notesLost()
    }

    /// Wakes a former primary, which goes on as if it were one, and then follows.
    private func wake(_ former: Int, at time: UInt64, _ awakeMilliseconds: Int) {
        world.scheduler.at(time) { [unowned self] in
            guard model.isWell(former), model.isFormer(former) else { return }
            world.met(.wokeFormer)
            world.note("the former primary wakes up")
            world.scheduler.after(microseconds: awakeMilliseconds * 1_000) { [model] in
                if model.isFormer(former) { model.demote(former) }
            }
        }
    }

    private func connection(of line: Int) -> SimulatedConnection? {
        clients.connection(of: line)
    }

    /// Ends all errors, and waits until all that was begun is done.
    private func calm() {
        world.note("the faults end")
        world.isCalm = true
        model.heal()
        for line in 0..<(callers.count + followers.count) { connection(of: line)?.thaw() }
        for server in servers { server?.resume() }
        // A clock that was set back lets leases of the dead end later.
        let leases = max(0, model.longestLeaseMilliseconds - LeaseLimits.milliseconds)
        let calm = WorldLimits.sharedCalmMilliseconds + leases
        let settling = WorldLimits.sharedSettlingMilliseconds + leases
        let end = world.now + UInt64(calm) * 1_000_000
        let settled = world.now + UInt64(settling) * 1_000_000
        for caller in callers { caller.settledAt = settled }
        world.scheduler.run(until: end) { callers.allSatisfy(\.isIdle) }
        for caller in callers where !caller.isIdle {
            world.find(.standstill, "caller \(caller.index) has calls that do not end")
        }
        run(milliseconds: WorldLimits.convergingMilliseconds)
        book.isSettled = true
    }

    /// Asks for all that there is, and holds it against what was seen.
    private func verify() {
        for one in 0..<WorldLimits.users {
            let caller = callers[one % callers.count]
            caller.perform(.log(one))
            caller.perform(.list(one))
            caller.perform(.name(by: one, of: one))
            for caller in callers { caller.perform(.presence(one)) }
            for other in 0..<WorldLimits.users where other != one {
                caller.perform(.check(one, other))
            }
        }
        let end = world.now + UInt64(WorldLimits.verifyingMilliseconds) * 1_000_000
        world.scheduler.run(until: end) {
            callers.allSatisfy(\.isIdle)
                && clients.rawFollowers.allSatisfy(\.hasToldAll)
        }
        for caller in callers where !caller.isIdle {
            world.find(.standstill, "caller \(caller.index) gets no last answers")
        }
        clients.compareStreams()
        book.checkRequests()
        book.checkChains()
        receiver?.finish()
    }

    private func checkLeftovers() {
        let all = servers.compactMap { $0 }
        for left in all.flatMap({ $0.leftovers() }) { world.find(.leftover, left) }
        let streams = all.reduce(0) { $0 + $1.streamCount }
        if streams > clients.rawStreams {
            world.find(.leftover, "\(streams) streams of changes")
        }
    }
}
