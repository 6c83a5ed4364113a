import RelationAccess
import RelationCore
import RelationModel
import Storage

/// The whole service under one seed: its process, its disk, its clients and the network between
/// them, on one thread and by one clock.
///
/// A plan says which calls are made and which errors come, and when. After its last step the errors
/// end, and all must go on.
package final class WholeSimulation: Network {
    private let plan: Plan
    private let world: SimulatedWorld
    private let disk: SimulatedDisk
    private let book: Book
    private var server: SimulatedServer?
    private var graves: [SimulatedServer] = []
    private var starts = 0
    private var connections = 0
    private var clients = Clients()
    private var callers: [SimulatedCaller] { clients.callers }
    private var followers: [SimulatedFollower] { clients.followers }
    private let receiver: SimulatedReceiver?

    /// The outcome of a run.
    package struct Result: Sendable {
        package let digest: UInt64
        package let findings: [BrokenPromise]
        package let sightings: Sightings
        package let lines: [String]
        /// The virtual time that it took.
        package let milliseconds: Int
    }

    /// Runs a plan to its end.
    ///
    /// - Parameters:
    ///   - flaw: An error of the disk that the checks must find.
    ///   - keepsLines: Whether what happened is kept as text.
    package static func run(
        _ plan: Plan, flaw: String? = nil, keepsLines: Bool = false
    ) throws -> Result {
        guard plan.servers == 0 else {
            return try SharedSimulation.run(plan, flaw: flaw, keepsLines: keepsLines)
        }
        let simulation = try WholeSimulation(plan, flaw, keepsLines)
        try simulation.run()
        let world = simulation.world
        return Result(
            digest: world.digest.value, findings: world.findings, sightings: world.sightings,
            lines: world.lines, milliseconds: world.scheduler.milliseconds)
    }

    /// The names of the flaws that a disk may have.
    package static var flaws: [String] { SimulatedDisk.Flaw.allCases.map(\.rawValue) }

    private init(_ plan: Plan, _ flaw: String?, _ keepsLines: Bool) throws {
        self.plan = plan
        world = SimulatedWorld(seed: plan.seed, keepsLines: keepsLines)
        disk = SimulatedDisk(MemoryStore(rowsOf: try Self.first(plan)))
        disk.flaw = flaw.flatMap(SimulatedDisk.Flaw.init)
        book = Book(in: world)
        receiver = plan.hasHook ? SimulatedReceiver(book, in: world) : nil
        clients = try Clients(plan, book, self, in: world)
        world.scheduler.afterEach = { [unowned self] in server?.check() }
    }

    /// The rows with which a run begins.
    static func first(_ plan: Plan) throws -> MemoryStore {
        try (plan.hasHook ? withHook : withoutHook).get()
    }

    private static let withHook = Swift.Result { try beginning(hasHook: true) }
    private static let withoutHook = Swift.Result { try beginning(hasHook: false) }

    /// The rows of a store with one app, its keys and its users.
    private static func beginning(hasHook: Bool) throws -> MemoryStore {
        let store = MemoryStore()
        let now = Timestamp(milliseconds: WorldLimits.startMilliseconds)
        func change(_ app: App, _ body: (Ledger) throws(StorageError) -> Void) throws {
            try store.write(touching: []) { (transaction) throws(StorageError) in
                let ledger = Ledger(
                    app: app, now: now, origin: Origin(user: nil), transaction: transaction)
                try body(ledger)
                try ledger.close()
            }
        }
        try change(.registry) { (ledger) throws(StorageError) in
            var making = AppRules.Making()
            making.id = SimulatedServer.app
            making.historyID = 7
            _ = try AppRules.create(making, in: ledger)
        }
        try change(App(id: SimulatedServer.app, settings: .tim)) { (ledger) throws(StorageError) in
            if hasHook { _ = try Hooks.create(SimulatedReceiver.hook, in: ledger) }
            var record = CredentialRecord()
            record.scopes = [.read, .write, .watch, .admin]
            record.digest = APIKey.digest(of: SimulatedServer.key.utf8)
            _ = try CredentialRules.create(CredentialID("first"), record, in: ledger)
            for holder in 0..<WorldLimits.holders {
                for key in 0..<WorldLimits.keys {
                    let id = Holders.id(holder, key)
                    record.digest = APIKey.digest(of: Holders.secret(id).utf8)
                    _ = try CredentialRules.create(CredentialID(id), record, in: ledger)
                }
            }
            for user in 0..<WorldLimits.users {
                let name = Book.name(user)
                _ = try Accounts.create(
                    UserID(stored: name.utf8), nick: name, faceURL: "", in: ledger)
            }
        }
        return store
    }

    // MARK: The network

    func connection(for line: Int) -> SimulatedConnection? {
        guard let server, server.isAlive else { return nil }
        connections += 1
        world.note("client \(line) connects")
        return try? SimulatedConnection(line, number: connections, to: server, in: world)
    }

    var isCommitWaiting: Bool { server?.store.isWriting ?? false }

    let hasStandbys = false

    // MARK: The process

    private func start() {
        starts += 1
        world.note("the process begins")
        guard let server = try? SimulatedServer(disk, receiver, in: world, number: starts) else {
            return world.find(.answer, "the process does not begin")
        }
        server.store.onFailure = { [unowned self, unowned server] in
            // A process whose store has failed ends soon, and is begun again.
            world.scheduler.after(microseconds: 5_000) { [unowned self] in
                if server.isAlive { kill(downMilliseconds: 50) }
            }
        }
        server.store.onDeath = { [unowned self, unowned server] milliseconds in
            if server.isAlive { kill(downMilliseconds: milliseconds) }
        }
        self.server = server
    }

    private func kill(downMilliseconds: Int) {
        guard let server, server.isAlive else { return }
        world.note("the process dies")
        server.die()
        graves.append(server)
        book.processDied()
        // A disk that lies has lost what it had not written.
        disk.unwritten = []
        world.scheduler.after(microseconds: downMilliseconds * 1_000) { [unowned self] in start() }
    }

    // MARK: The run

    private func run() throws {
        start()
        for follower in followers { follower.begin() }
        for step in plan.steps {
            let time = WorldLimits.startNanoseconds + UInt64(step.milliseconds) * 1_000_000
            world.scheduler.at(time) { [unowned self] in perform(step) }
        }
        let last = plan.steps.last?.milliseconds ?? 0
        run(milliseconds: last + 1 - world.scheduler.milliseconds)
        calm()
        verify()
        clients.end()
        run(milliseconds: WorldLimits.leavingMilliseconds)
        clients.checkEnd()
        let streams = clients.rawStreams
        for left in server?.leftovers(besides: streams) ?? [] { world.find(.leftover, left) }
        clients.bury()
        if let server { graves.append(server) }
        for server in graves { server.bury() }
        world.scheduler.forget()
    }

    private func run(milliseconds: Int) {
        world.scheduler.run(until: world.now + UInt64(max(0, milliseconds)) * 1_000_000)
    }

    private func perform(_ step: Step) {
        switch step.action {
        case .call(let caller, let operation): callers[caller].perform(operation)
        case .error(let error):
            world.met(error, in: server?.state ?? "the process is down")
            world.note("\(error)")
            perform(error)
        }
    }

    private func perform(_ error: Failure) {
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
        case .sleep(let milliseconds): server?.sleep(milliseconds: milliseconds)
        case .wall(let milliseconds):
            world.met(.wallJumped)
            world.wallOffset = Int64(milliseconds)
        case .kill(let milliseconds): kill(downMilliseconds: milliseconds)
        case .killInCommit(let milliseconds): disk.death = milliseconds
        case .stall(let thread, let milliseconds):
            server?.stall(thread, milliseconds: milliseconds)
        case .refuse: disk.refusals += 1
        case .breakStore(let isWritten): disk.breaks.append(isWritten)
        case .failReads(let count): disk.failingReads += count
        case .shared: preconditionFailure("the server has its own disk")
        case .slowDisk(let times, let milliseconds):
            disk.slowness = times
            world.scheduler.after(microseconds: milliseconds * 1_000) { [unowned self] in
                disk.slowness = 1
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
        (disk.refusals, disk.breaks, disk.failingReads, disk.slowness) = (0, [], 0, 1)
        disk.death = nil
        for line in 0..<(callers.count + followers.count) { connection(of: line)?.thaw() }
        server?.resume()
        let end = world.now + UInt64(WorldLimits.calmMilliseconds) * 1_000_000
        let settled = world.now + UInt64(WorldLimits.settlingMilliseconds) * 1_000_000
        for caller in callers { caller.settledAt = settled }
        world.scheduler.run(until: end) { callers.allSatisfy(\.isIdle) }
        for caller in callers where !caller.isIdle {
            world.find(.standstill, "caller \(caller.index) has calls that do not end")
        }
    }

    /// Asks for all that there is, and holds it against what was seen.
    private func verify() {
        for one in 0..<WorldLimits.users {
            let caller = callers[one % callers.count]
            caller.perform(.log(one))
            caller.perform(.list(one))
            caller.perform(.name(by: one, of: one))
            caller.perform(.presence(one))
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
}
