import Protobuf
import RelationAPI
import RelationModel

/// A client that makes calls, and sends them again when it must.
///
/// It holds each answer against the book.
final class SimulatedCaller {
    /// One operation, with its attempts.
    final class Task {
        let operation: Operation
        let requestID: String
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

        init(_ operation: Operation, _ requestID: String, at start: UInt64) {
            (self.operation, self.requestID, self.start) = (operation, requestID, start)
        }
    }

    let index: Int
    private let world: SimulatedWorld
    private let book: Book
    private unowned let network: any Network
    private var chance: Chance
    private var waiting: [Operation] = []
    private var running: [Task] = []
    private(set) var line: ClientLine?
    private var requestCount = 0
    /// When the errors ended, and a little time for what they left.
    var settledAt: UInt64 = .max

    init(_ index: Int, _ book: Book, _ network: any Network, in world: SimulatedWorld) {
        (self.index, self.book, self.network, self.world) = (index, book, network, world)
        chance = world.chance("caller \(index)")
    }

    var isIdle: Bool { waiting.isEmpty && running.isEmpty }

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
        let (id, now) = (task.requestID, world.now)
        switch task.operation {
        case .befriend(let one, let other):
            book.begin(id, by: one, with: other)
            book.changePair(one, other) { task.write = $0.begin(Book.together, at: now) }
        case .part(let one, let other):
            book.begin(id, by: one, with: other)
            book.changePair(one, other) { task.write = $0.begin(Book.apart, at: now) }
        case .rename(let user):
            book.begin(id, by: user)
            book.changeNick(user) { task.write = $0.begin("n\(id)", at: now) }
        case .report(let user, let isOnline):
            let present = WorldLimits.startMilliseconds + Int64(world.scheduler.milliseconds)
            task.report = book.devices.begin(user, isOnline, at: present).0
        case .revoke(let holder): task.revoked = book.holders.begin(of: holder, at: now)
        case .check, .name, .list, .log, .presence: break
        }
    }

    /// Changes the register of a write.
    private func change(_ task: Task, _ change: (inout Register, Int) -> Void) {
        guard let number = task.write else { return }
        switch task.operation {
        case .befriend(let one, let other), .part(let one, let other):
            book.changePair(one, other) { change(&$0, number) }
        case .rename(let user): book.changeNick(user) { change(&$0, number) }
        case .check, .name, .list, .log, .presence, .report, .revoke: break
        }
    }

    // MARK: Attempts

    private func attempt(_ task: Task) {
        guard let line = connected() else { return later(task) }
        let milliseconds = chance.number(
            chance.one(in: WorldLimits.hastyCalls) && !world.isCalm
                ? WorldLimits.hastyMilliseconds : WorldLimits.callMilliseconds)
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
        world.note("\(task.requestID): caller \(index) \(task.operation)")
        let patience = (milliseconds + WorldLimits.lateMilliseconds) * 1_000
        world.scheduler.after(microseconds: patience) { [unowned self] in
            guard task.isOpen, task.attempts == number else { return }
            unanswered(task, opened)
        }
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
    private func readOptions(of task: Task) -> ReadOptions? {
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
    private func later(_ task: Task) {
        let pause = chance.number(WorldLimits.retryMilliseconds) * 1_000
        world.scheduler.after(microseconds: pause) { [unowned self] in attempt(task) }
    }

    /// No answer has come in time.
    private func unanswered(_ task: Task, _ number: Int) {
        if let line = task.line, !line.isOver, line.connection.isWell(since: task.attemptStart) {
            world.find(.lateCall, "\(task.requestID): \(task.operation)")
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

    private func ended(_ task: Task, _ status: Int?) {
        task.isOpen = false
        world.note("\(task.requestID) ends with \(status.map { "\($0)" } ?? "nothing")")
        if status == 16, let key = task.key, book.holders.refused(key, of: index) {
            // It was not let in, so nothing was done. The next attempt has another key.
            world.met(.revokedCall)
            if network.isCommitWaiting { world.met(.revokedInSync) }
            return later(task)
        }
        if status == 0, let key = task.key,
            book.holders.isRevoked(key, of: index, before: task.attemptStart)
        {
            world.find(.revoked, "\(task.requestID): \(task.operation) is answered")
        }
        if task.attemptStart > settledAt, status != 0 {
            let end = status.map { "status \($0)" } ?? "no answer"
            world.find(.standstill, "\(task.requestID): \(task.operation) has \(end)")
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
            world.find(.answer, "\(task.requestID): \(task.operation) has status \(other)")
            task.isUnknown = true
        }
        let resigns = !task.isUnknown && chance.one(in: WorldLimits.resignations)
        guard task.attempts >= WorldLimits.attempts || resigns, !world.isCalm else {
            return later(task)
        }
        if resigns, task.write != nil { world.met(.resigned) }
        if task.write != nil {
            if task.isUnknown {
                change(task) { $0.abandon($1) }
            } else {
                book.end(task.requestID, isApplied: false)
                change(task) { $0.end($1, .refused, at: world.now) }
            }
        }
        finish(task)
    }

    private func finish(_ task: Task) {
        running.removeAll { $0 === task }
        if task.earlier == nil, let outcome = task.outcome, chance.one(in: WorldLimits.echoes) {
            echo(task, outcome)
        }
        pump()
    }

    /// Sends an answered write once more.
    private func echo(_ task: Task, _ outcome: WriteOutcome) {
        let again = Task(task.operation, task.requestID, at: world.now)
        again.earlier = outcome
        running.append(again)
        attempt(again)
    }

    // MARK: Requests and answers

    private func request(of task: Task) -> (String, [UInt8]) {
        var options = WriteOptions()
        options.requestID = task.requestID
        switch task.operation {
        case .befriend(let one, let other):
            let request = AddFriendsRequest.with {
                $0.userID = Book.name(one)
                $0.options = options
                $0.items = [AddFriend.with { $0.userID = Book.name(other) }]
                $0.addType = .both
                $0.force = true
            }
            return encoded(FriendMethods.addFriends, request)
        case .part(let one, let other):
            let request = DeleteFriendsRequest.with {
                $0.userID = Book.name(one)
                $0.options = options
                $0.userIDs = [Book.name(other)]
                $0.deleteType = .both
            }
            return encoded(FriendMethods.deleteFriends, request)
        case .rename(let user):
            let request = UpdateProfileRequest.with {
                $0.userID = Book.name(user)
                $0.options = options
                $0.profile = Profile.with { $0.nick = "n\(task.requestID)" }
            }
            return encoded(ProfileMethods.updateProfile, request)
        case .check(let one, let other):
            let request = CheckFriendsRequest.with {
                $0.userID = Book.name(one)
                $0.userIDs = [Book.name(other)]
                $0.checkType = .bidirection
                $0.options = readOptions(of: task)
            }
            return encoded(FriendMethods.checkFriends, request)
        case .name(let viewer, let user):
            let request = GetProfilesRequest.with {
                $0.userID = Book.name(viewer)
                $0.userIDs = [Book.name(user)]
                $0.options = readOptions(of: task)
            }
            return encoded(ProfileMethods.getProfiles, request)
        case .list(let user):
            let request = ListFriendsRequest.with {
                $0.userID = Book.name(user)
                $0.options = readOptions(of: task)
            }
            return encoded(FriendMethods.listFriends, request)
        case .report, .presence, .revoke: return otherRequest(of: task, options)
        case .log(let user):
            let request = ListChangesRequest.with {
                $0.userID = Book.name(user)
                $0.pageSize = 500
            }
            return encoded(ChangeMethods.listChanges, request)
        }
    }

    private func otherRequest(of task: Task, _ options: WriteOptions) -> (String, [UInt8]) {
        switch task.operation {
        case .report(let user, let isOnline):
            let request = ReportPresenceRequest.with {
                $0.items = [
                    PresenceReport.with {
                        $0.userID = Book.name(user)
                        $0.deviceID = "phone"
                        $0.online = isOnline
                        $0.leaseSeconds = WorldLimits.presenceSeconds
                        $0.reportTimeMs = book.devices.time(of: task.report ?? 0, user)
                    }
                ]
            }
            return encoded(PresenceMethods.reportPresence, request)
        case .presence(let user):
            let request = GetPresenceRequest.with {
                $0.userIDs = [Book.name(user)]
                $0.unmasked = true
            }
            return encoded(PresenceMethods.getPresence, request)
        case .revoke(let holder):
            let request = RevokeCredentialRequest.with {
                $0.options = options
                $0.credentialID = Holders.id(holder, task.revoked ?? 0)
            }
            return encoded(AppMethods.revokeCredential, request)
        default: preconditionFailure("another function makes this request")
        }
    }

    private func encoded<Request: CodedMessage, Response>(
        _ method: Protobuf.Method<Request, Response>, _ request: Request
    ) -> (String, [UInt8]) {
        (method.path, world.wire.bytes(request, method.requestCoder))
    }

    private func answered(_ task: Task) {
        let isUnderstood =
            switch task.operation {
            case .befriend, .part, .rename: answeredWrite(task)
            case .report, .revoke, .presence: answeredOther(task)
            case .check, .name, .list, .log: answeredRead(task)
            }
        if !isUnderstood {
            world.find(.answer, "\(task.requestID): \(task.operation) has a strange answer")
        }
    }

    private func answeredWrite(_ task: Task) -> Bool {
        switch task.operation {
        case .befriend(let one, let other):
            let coder = FriendMethods.addFriends.responseCoder
            guard let answer = world.wire.message(task.message, coder),
                let result = answer.results.first
            else { return false }
            written(task, answer.write, result.changed)
            guard !result.changed else { return result.code == .success }
            book.seePair(one, other, Book.together, since: task.start)
            return result.code == .invalidParameter
        case .part(let one, let other):
            let coder = FriendMethods.deleteFriends.responseCoder
            guard let answer = world.wire.message(task.message, coder),
                let result = answer.results.first
            else { return false }
            written(task, answer.write, result.changed)
            guard !result.changed else { return result.code == .success }
            book.seePair(one, other, Book.apart, since: task.start)
            return result.code == .notFriend
        case .rename:
            let coder = ProfileMethods.updateProfile.responseCoder
            guard let answer = world.wire.message(task.message, coder) else { return false }
            written(task, answer.write, answer.write.applied)
            return answer.code == .success && answer.write.applied
        case .check, .name, .list, .log, .presence, .report, .revoke: return false
        }
    }

    private func answeredOther(_ task: Task) -> Bool {
        switch task.operation {
        case .report(let user, _):
            let coder = PresenceMethods.reportPresence.responseCoder
            guard let result = world.wire.message(task.message, coder)?.results.first,
                let number = task.report
            else { return false }
            if result.changed {
                book.devices.answered(number, of: user)
            } else {
                world.met(.outdatedReport)
                if !book.devices.isOutdated(number, of: user) {
                    world.find(.presence, "a report of \(Book.name(user)) is not the last")
                }
            }
            return result.code == .success
        case .presence(let user):
            let coder = PresenceMethods.getPresence.responseCoder
            guard let presence = world.wire.message(task.message, coder)?.results.first?.presence
            else {
                return false
            }
            book.seePresence(user, presence.online, since: task.floor)
            return true
        case .revoke(let holder):
            let coder = AppMethods.revokeCredential.responseCoder
            guard world.wire.message(task.message, coder) != nil else { return false }
            if let key = task.revoked { book.holders.revoked(key, of: holder, at: world.now) }
            return true
        case .befriend, .part, .rename, .check, .name, .list, .log: return false
        }
    }

    private func written(_ task: Task, _ outcome: WriteOutcome, _ changed: Bool) {
        if outcome.replayed { world.met(.replayed) }
        if let earlier = task.earlier {
            world.met(.echoed)
            if !outcome.replayed || outcome.sequence != earlier.sequence || !changed {
                world.find(.otherAnswer, "\(task.requestID): \(task.operation)")
            }
            return
        }
        if changed {
            task.outcome = outcome
            noteToken(task, outcome.sequence)
        }
        book.end(task.requestID, isApplied: changed)
        if changed {
            change(task) { $0.end($1, .done, at: world.now) }
        } else {
            change(task) { $0.withdraw($1) }
        }
    }

    /// Keeps the sequence of an answered write for reads.
    private func noteToken(_ task: Task, _ sequence: Int64) {
        guard let user = task.operation.user, let write = task.write else { return }
        book.note(
            Token(
                user: user, sequence: sequence, start: task.start, write: write,
                other: task.operation.other))
    }

    private func answeredRead(_ task: Task) -> Bool {
        let (start, token) = (task.attemptStart, task.token)
        switch task.operation {
        case .check(let one, let other):
            let coder = FriendMethods.checkFriends.responseCoder
            guard let result = world.wire.message(task.message, coder)?.results.first,
                let relation = result.relation
            else { return false }
            guard relation == .bothWay || relation == .none else {
                world.find(.halfPair, "\(Book.name(one)) and \(Book.name(other))")
                return true
            }
            book.seePair(
                one, other, relation == .bothWay ? Book.together : Book.apart, since: start,
                token)
        case .name(_, let user):
            let coder = ProfileMethods.getProfiles.responseCoder
            guard let profile = world.wire.message(task.message, coder)?.results.first?.profile
            else {
                return false
            }
            book.seeNick(user, profile.nick, since: start, token)
        case .list(let user):
            let coder = FriendMethods.listFriends.responseCoder
            guard let answer = world.wire.message(task.message, coder) else { return false }
            book.seeFriends(user, Set(answer.friends.map(\.userID)), since: start, token)
        case .log(let user):
            let coder = ChangeMethods.listChanges.responseCoder
            guard let answer = world.wire.message(task.message, coder), answer.nextPageToken.isEmpty
            else { return false }
            let events = answer.events.map {
                Book.Event(
                    sequence: $0.sequence, kind: $0.kind.rawValue, requestID: $0.requestID)
            }
            book.note(events, of: user)
        case .befriend, .part, .rename, .report, .revoke, .presence: return false
        }
        return true
    }
}

/// The way to the server, if it runs.
protocol Network: AnyObject {
    /// - Parameter line: The number of the client.
    /// - Returns: A new connection; nil if no process listens.
    func connect(_ line: Int) -> ClientLine?

    /// Whether a commit waits for its disk now.
    var isCommitWaiting: Bool { get }

    /// Whether reads may be answered by standbys.
    var hasStandbys: Bool { get }
}
