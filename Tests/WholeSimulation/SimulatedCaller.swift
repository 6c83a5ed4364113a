import Protobuf
import RelationAPI
import RelationModel

/// A client that makes calls, and sends them again when it must.
///
/// It holds each answer against the book.
///
/// `@unchecked Sendable`: one thread runs all of a simulation.
class SimulatedCaller: @unchecked Sendable {
    /// One operation, with its attempts.
    ///
    /// `@unchecked Sendable`: one thread runs all of a simulation.
    final class Task: @unchecked Sendable {
        let operation: Operation
        /// By which stories name it.
        let name: String
        /// The request id of a write; nil while the client has still to make one.
        var requestID: String?
        /// Whether the client makes its request id, which it does not tell its caller.
        var hasClientID = false
        /// When it began.
        let start: UInt64
        /// The number of its write in the register that it changes.
        var write: Int?
        var attempts = 0
        var attemptStart: UInt64 = 0
        var isOpen = false
        /// Whether an attempt has ended without telling whether it took effect.
        var isUnknown = false
        var message: [UInt8] = []
        weak var line: ClientLine?
        /// The number of the key of its holder that the present attempt shows; nil for the first.
        var key: Int?
        /// The key that it revokes.
        var revoked: Int?
        /// The number of its report.
        var report: Int?
        /// The last report of the device that was answered before the present attempt.
        var floor: Int64?
        /// The write that the present attempt of a read must see.
        var token: Token?
        var ifBehind = IfBehind.unspecified
        /// The answer of a write that changed something.
        var outcome: WriteOutcome?
        /// The answer that it has had already.
        var earlier: WriteOutcome?
        /// Whether its answer is held against the book already.
        var isSeen = false

        init(_ operation: Operation, _ name: String, at start: UInt64) {
            (self.operation, self.name, self.start) = (operation, name, start)
            requestID = name
        }
    }

    let index: Int
    let world: SimulatedWorld
    let book: Book
    unowned let network: any Network
    var chance: Chance
    private var waiting: [Operation] = []
    private var running: [Task] = []
    private var line: ClientLine?
    private var requestCount = 0
    /// When the errors ended, and a little time for what they left.
    var settledAt: UInt64 = .max

    init(_ index: Int, _ book: Book, _ network: any Network, in world: SimulatedWorld) {
        (self.index, self.book, self.network, self.world) = (index, book, network, world)
        chance = world.chance("caller \(index)")
    }

    var isIdle: Bool { waiting.isEmpty && running.isEmpty }

    /// The connection that errors are about.
    var connection: SimulatedConnection? { line?.connection }

    /// How many calls are open on it.
    var openCount: Int { line?.openCount ?? 0 }

    /// Ends its calls as a proxy does.
    func endCalls() { line?.endCalls() }

    func perform(_ operation: Operation) {
        waiting.append(operation)
        pump()
    }

    private func pump() {
        while running.count < WorldLimits.openCalls, !waiting.isEmpty {
            requestCount += 1
            let task = Task(
                waiting.removeFirst(), "r\(index).\(requestCount)", at: world.now)
            begin(task)
            // The last key of a client is never revoked.
            if case .revoke = task.operation, task.revoked == nil { continue }
            running.append(task)
            attempt(task)
        }
    }

    /// Notes that a write begins.
    private func begin(_ task: Task) {
        let now = world.now
        identify(task)
        if let id = task.requestID { note(id, of: task) }
        switch task.operation {
        case .befriend(let one, let other):
            book.changePair(one, other) { task.write = $0.begin(Book.together, at: now) }
        case .part(let one, let other):
            book.changePair(one, other) { task.write = $0.begin(Book.apart, at: now) }
        case .rename(let user):
            book.changeNick(user) { task.write = $0.begin("n\(task.name)", at: now) }
        case .report(let user, let isOnline):
            let present = WorldLimits.startMilliseconds + Int64(world.scheduler.milliseconds)
            task.report = book.devices.begin(user, isOnline, at: present).0
        case .revoke(let holder): task.revoked = book.holders.begin(of: holder, at: now)
        case .check, .name, .list, .log, .presence: break
        }
    }

    /// Decides who makes the request id of a write.
    func identify(_ task: Task) {}

    /// Notes the request id of a write.
    func note(_ id: String, of task: Task) {
        switch task.operation {
        case .befriend(let one, let other), .part(let one, let other):
            book.begin(id, by: one, with: other)
        case .rename(let user): book.begin(id, by: user)
        case .check, .name, .list, .log, .presence, .report, .revoke: break
        }
    }

    /// Changes the register of a write.
    func change(_ task: Task, _ change: (inout Register, Int) -> Void) {
        guard let number = task.write else { return }
        switch task.operation {
        case .befriend(let one, let other), .part(let one, let other):
            book.changePair(one, other) { change(&$0, number) }
        case .rename(let user): book.changeNick(user) { change(&$0, number) }
        case .check, .name, .list, .log, .presence, .report, .revoke: break
        }
    }

    // MARK: Attempts

    func attempt(_ task: Task) {
        guard let line = connected() else { return later(task) }
        let milliseconds = drawTime()
        let number = task.attempts + 1
        drawToken(for: task)
        let (path, bytes) = request(of: task)
        let opened = line.open(
            path, bytes, showing: secret(for: task), milliseconds: milliseconds,
            onMessage: { task.message = $0 },
            onEnd: { [unowned self] status in
                guard task.isOpen, task.attempts == number else { return }
                ended(task, status)
            })
        guard let opened else { return later(task) }
        (task.attempts, task.attemptStart, task.isOpen) = (number, world.now, true)
        (task.line, task.message) = (line, [])
        if number > 1 { world.met(.retried) }
        world.note("\(task.name): caller \(index) \(task.operation)")
        let patience = (milliseconds + WorldLimits.lateMilliseconds) * 1_000
        world.scheduler.after(microseconds: patience) { [unowned self] in
            guard task.isOpen, task.attempts == number else { return }
            unanswered(task, opened)
        }
    }

    /// How many milliseconds the next attempt may take.
    func drawTime() -> Int {
        chance.number(
            chance.one(in: WorldLimits.hastyCalls) && !world.isCalm
                ? WorldLimits.hastyMilliseconds : WorldLimits.callMilliseconds)
    }

    /// The key for the next attempt: that of the caller, but for what the app's first key does.
    private func secret(for task: Task) -> String {
        if case .presence(let user) = task.operation { task.floor = book.devices.floor(of: user) }
        guard task.revoked == nil else {
            task.key = nil
            return SimulatedServer.key
        }
        let (number, secret) = book.holders.shown(by: index)
        task.key = number
        return secret
    }

    /// Lets some reads show the sequence of an answered write, which a standby may answer then.
    private func drawToken(for task: Task) {
        (task.token, task.ifBehind) = (nil, .unspecified)
        guard network.hasStandbys, !world.isCalm, let user = task.operation.subject,
            let token = book.token(of: user), chance.one(in: WorldLimits.tokens)
        else { return }
        task.token = token
        task.ifBehind = chance.pick([.unspecified, .unspecified, .primary, .wait, .fail])
    }

    /// The options of a read.
    func readOptions(of task: Task) -> ReadOptions? {
        task.token.map { token in
            ReadOptions.with {
                $0.ifBehind = task.ifBehind
                $0.minSequence = .with {
                    $0.userID = Book.name(token.user)
                    $0.sequence = token.sequence
                }
            }
        }
    }

    private func connected() -> ClientLine? {
        if let line, !line.isOver { return line }
        line = network.connect(index)
        line?.onLost = { [unowned self] in line = nil }
        return line
    }

    /// Makes another attempt after a pause.
    func later(_ task: Task) {
        let pause = chance.number(WorldLimits.retryMilliseconds) * 1_000
        world.scheduler.after(microseconds: pause) { [unowned self] in attempt(task) }
    }

    /// No answer has come in time.
    private func unanswered(_ task: Task, _ number: Int) {
        if let line = task.line, !line.isOver, line.connection.isWell(since: task.attemptStart) {
            world.find(.lateCall, "\(task.name): \(task.operation)")
        }
        task.line?.cancel(number)
        guard task.isOpen else { return }
        // A line that is silent is given up, with all that is open on it.
        let silent = task.line
        ended(task, nil)
        guard let silent, silent === line else { return }
        line = nil
        silent.disconnect()
        for other in running where other.isOpen && other.line === silent { ended(other, nil) }
    }

    func ended(_ task: Task, _ status: Int?) {
        task.isOpen = false
        world.note("\(task.name) ends with \(status.map { "\($0)" } ?? "nothing")")
        if status == 16, let key = task.key, book.holders.refused(key, of: index) {
            // It was not let in, so nothing was done. The next attempt has another key.
            world.met(.revokedCall)
            if network.isCommitWaiting { world.met(.revokedInSync) }
            return again(task)
        }
        if status == 0, let key = task.key,
            book.holders.isRevoked(key, of: index, before: task.attemptStart)
        {
            world.find(.revoked, "\(task.name): \(task.operation) is answered")
        }
        if task.attemptStart > settledAt, status != 0 {
            let end = status.map { "status \($0)" } ?? "no answer"
            world.find(.standstill, "\(task.name): \(task.operation) has \(end)")
        }
        switch status {
        case 0:
            answered(task)
            return finish(task)
        // An earlier call, whose outcome its caller does not know, has revoked the key.
        case 5 where task.revoked != nil: return finish(task)
        // The caller knows that nothing was done.
        case 14 where task.ifBehind == .fail: world.met(.failedBehind)
        case 8, 10, 13, 14: break
        case 4:
            world.met(.deadline)
            task.isUnknown = true
        case 1, 2: task.isUnknown = true
        case nil:
            world.met(.answerLost)
            task.isUnknown = true
        case let other?:
            world.find(.answer, "\(task.name): \(task.operation) has status \(other)")
            task.isUnknown = true
        }
        let resigns = !task.isUnknown && chance.one(in: WorldLimits.resignations)
        guard task.attempts >= WorldLimits.attempts || resigns, !world.isCalm else {
            return again(task)
        }
        if resigns, task.write != nil { world.met(.resigned) }
        giveUp(task)
    }

    /// Makes another attempt, or none if that could do a write twice.
    ///
    /// A caller cannot repeat a request id that its client made. If it knows that nothing was done,
    /// it begins a new write. If it does not know, it gives the write up.
    private func again(_ task: Task) {
        guard task.hasClientID else { return later(task) }
        guard !task.isUnknown else {
            world.met(.clientUnknown)
            return giveUp(task)
        }
        if let id = task.requestID { book.end(id, isApplied: false) }
        task.requestID = nil
        later(task)
    }

    /// Sends a call no more.
    private func giveUp(_ task: Task) {
        if task.write != nil {
            if task.isUnknown {
                change(task) { $0.abandon($1) }
            } else {
                if let id = task.requestID { book.end(id, isApplied: false) }
                change(task) { $0.end($1, .refused, at: world.now) }
            }
        }
        finish(task)
    }

    private func finish(_ task: Task) {
        running.removeAll { $0 === task }
        if task.earlier == nil, !task.hasClientID, let outcome = task.outcome,
            chance.one(in: WorldLimits.echoes)
        {
            echo(task, outcome)
        }
        pump()
    }

    /// Sends an answered write once more.
    private func echo(_ task: Task, _ outcome: WriteOutcome) {
        let again = Task(task.operation, task.name, at: world.now)
        (again.requestID, again.earlier) = (task.requestID, outcome)
        running.append(again)
        attempt(again)
    }
}
