import Protobuf
import RelationAPI
import RelationClient
import RelationModel

/// A caller whose calls are made by the Swift client, which sends them again by itself.
final class SwiftCaller: SimulatedCaller, @unchecked Sendable {
    private let swift: SwiftClient

    init(
        _ index: Int, _ swift: SwiftClient, _ book: Book, _ network: any Network,
        in world: SimulatedWorld
    ) {
        self.swift = swift
        super.init(index, book, network, in: world)
    }

    override var connection: SimulatedConnection? { swift.socket?.connection }
    override var openCount: Int { swift.socket?.openCount ?? 0 }

    override func endCalls() { swift.socket?.endCalls() }

    /// Half of the writes have the ids that the client makes.
    override func identify(_ task: Task) {
        guard task.operation.user != nil, chance.one(in: 2) else { return }
        (task.requestID, task.hasClientID) = (nil, true)
    }

    // MARK: Attempts

    override func attempt(_ task: Task) {
        let milliseconds = drawTime()
        let number = task.attempts + 1
        (task.attempts, task.attemptStart, task.isOpen) = (number, world.now, true)
        (task.message, task.key) = ([], nil)
        if number > 1 { world.met(.retried) }
        world.note("\(task.name): client \(index) \(task.operation)")
        let maker = SwiftClient.Maker { [unowned self] maker in prepare(task, maker) }
        var options = CallOptions(timeout: .milliseconds(milliseconds))
        if task.revoked != nil {
            options.metadata["authorization"] = "Bearer \(SimulatedServer.key)"
        }
        _Concurrency.Task(executorPreference: swift.tasks) { [options] in
            let end: Result<Void, any Error>
            do {
                try await SwiftClient.$maker.withValue(maker) {
                    try await self.ask(task, options)
                }
                end = .success(())
            } catch {
                end = .failure(error)
            }
            self.settle(task, end, maker)
        }
        let patience = (patience(of: task, milliseconds) + WorldLimits.lateMilliseconds) * 1_000
        world.scheduler.after(microseconds: patience) { [unowned self] in
            guard task.isOpen, task.attempts == number else { return }
            world.find(.lateCall, "\(task.name): \(task.operation)")
        }
    }

    /// How many milliseconds a call may take.
    ///
    /// A question to a cache may wait for a request of another one, and that for a chain makes
    /// several calls, one after another.
    private func patience(of task: Task, _ milliseconds: Int) -> Int {
        switch task.operation {
        case .name: WorldLimits.callMilliseconds.upperBound
        case .list: WorldLimits.callMilliseconds.upperBound * WorldLimits.callsOfChain
        default: milliseconds
        }
    }

    /// The client makes an attempt.
    private func prepare(_ task: Task, _ maker: SwiftClient.Maker) {
        (task.key, task.attemptStart) = (task.revoked == nil ? maker.key : nil, world.now)
        if case .presence(let user) = task.operation { task.floor = book.devices.floor(of: user) }
        guard task.requestID == nil, let id = SwiftClient.requestID(of: maker) else { return }
        task.requestID = id
        note(id, of: task)
    }

    private func settle(
        _ task: Task, _ end: Result<Void, any Error>, _ maker: SwiftClient.Maker
    ) {
        guard task.isOpen else { return }
        switch end {
        case .success:
            ended(task, 0)
            if let outcome = task.outcome, outcome.replayed, maker.attempts > 1 {
                world.met(.clientReplayed)
            }
            swift.wrote(task.operation, task.outcome?.sequence ?? task.earlier?.sequence ?? 0)
        case .failure(let error):
            swift.wrote(task.operation, nil)
            ended(task, status(of: error, task))
        }
    }

    /// The status of a call whose end says what became of it; nil if it may have been done.
    private func status(of error: any Error, _ task: Task) -> Int? {
        guard let error = error as? CallError else {
            world.find(.answer, "\(task.name): \(task.operation) ends with \(error)")
            return nil
        }
        world.note("\(task.name): \(error)")
        // The server may have done what an earlier attempt asked. A client that is not let in asks
        // for another key once, so two attempts that end so were both not let in.
        let isShutOut = error.code == .unauthenticated && error.attempts <= 2
        if error.attempts > 1, !isShutOut { task.isUnknown = true }
        switch error.code {
        case .unauthenticated, .deadlineExceeded, .notFound, .invalidArgument:
            return Int(error.code.rawValue)
        default: return error.reason.isEmpty || error.attempts > 1 ? nil : Int(error.code.rawValue)
        }
    }

    // MARK: Questions

    private func ask(_ task: Task, _ options: CallOptions) async throws {
        switch task.operation {
        case .befriend: try await exchange(task, FriendMethods.addFriends, options)
        case .part: try await exchange(task, FriendMethods.deleteFriends, options)
        case .rename: try await exchange(task, ProfileMethods.updateProfile, options)
        case .check: try await exchange(task, FriendMethods.checkFriends, options)
        case .report: try await exchange(task, PresenceMethods.reportPresence, options)
        case .presence: try await exchange(task, PresenceMethods.getPresence, options)
        case .revoke: try await exchange(task, AppMethods.revokeCredential, options)
        case .log: try await exchange(task, ChangeMethods.listChanges, options)
        case .name(let viewer, let user): try await look(task, at: user, as: viewer, options)
        case .list(let user):
            // After the faults the list itself is asked for.
            if world.isCalm {
                try await exchange(task, FriendMethods.listFriends, options)
            } else {
                try await look(task, atChainOf: user, options)
            }
        }
    }

    private func exchange<Request: CodedMessage, Response: CodedMessage>(
        _ task: Task, _ method: Protobuf.Method<Request, Response>, _ options: CallOptions
    ) async throws {
        guard let request = world.wire.message(request(of: task).1, method.requestCoder) else {
            preconditionFailure("a request cannot be decoded")
        }
        let answer = try await swift.client.call(method, request, options: options)
        task.message = world.wire.bytes(answer, method.responseCoder)
    }

    /// Asks the client's cache for a profile.
    private func look(
        _ task: Task, at user: Int, as viewer: Int, _ options: CallOptions
    ) async throws {
        let isForced = world.isCalm || chance.one(in: WorldLimits.forcedLooks)
        let floor = isForced ? world.now : swift.profileFloor(of: user)
        let hits = swift.client.profileCache.counts.hits
        let results = try await swift.client.profiles(
            of: [Book.name(user)], as: Book.name(viewer), forceUpdate: isForced, options: options)
        if swift.client.profileCache.counts.hits > hits { world.met(.clientKept) }
        guard let profile = results.first?.profile else {
            return world.find(.answer, "\(task.name): the cache has no profile")
        }
        task.isSeen = true
        book.seeNick(user, profile.nick, since: floor)
    }

    /// Asks the client's cache for a chain.
    private func look(
        _ task: Task, atChainOf user: Int, _ options: CallOptions
    ) async throws {
        let isForced = chance.one(in: WorldLimits.forcedLooks)
        let (asked, ended) = (world.now, swift.chainEnd(of: user))
        let least = swift.leastSequence(of: user)
        let hits = swift.client.chainCache.counts.hits
        let chain = try await swift.client.chain(
            of: Book.name(user), forceUpdate: isForced, options: options)
        if swift.client.chainCache.counts.hits > hits { world.met(.clientChainKept) }
        task.isSeen = true
        let friends = Set(chain.friends.map(\.userID))
        book.note(Book.Chain(user: user, sequence: chain.sequence, friends: friends))
        if chain.sequence < least {
            world.find(
                .cache,
                "\(task.name): the chain of \(Book.name(user)) is at \(chain.sequence), "
                    + "and the client knew of \(least)")
        }
        let floor = swift.chainFloor(of: user, chain.age, endedBefore: ended)
        book.seeFriends(user, friends, since: isForced ? max(asked, floor) : floor)
    }
}
