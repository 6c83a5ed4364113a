import NIOCore
import NIOEmbedded
import RelationAPI
import RelationClient
import RelationModel

/// The Swift client of an application, with its retries, caches and streams, in a simulation.
///
/// It is the true one, from its calls to the frames of its connections. Time, chance, tasks, the
/// event loop and the network are those of the simulation.
///
/// `@unchecked Sendable`: one thread runs all of a simulation.
final class SwiftClient: @unchecked Sendable {
    /// The maker of a call, which learns of the keys that its attempts show.
    final class Maker: @unchecked Sendable {
        /// The number of the last key that was shown; nil before the first attempt.
        fileprivate(set) var key: Int?
        /// How often a key was asked for: once for each attempt.
        fileprivate(set) var attempts = 0
        /// The numbers that were drawn for it.
        fileprivate(set) var numbers: [UInt64] = []
        /// Is called before each attempt.
        let onAttempt: (Maker) -> Void

        init(_ onAttempt: @escaping (Maker) -> Void) { self.onAttempt = onAttempt }
    }

    @TaskLocal static var maker: Maker?

    /// The number of its connection, and of its key.
    let line: Int
    let tasks: ClientTasks
    let time: ClientTime
    /// The user whose changes it follows, and the last sequence that its stream reported.
    let followed: Int
    var reported: Int64 = 0
    /// The client, which is made at the end of `init`: it asks this object for its keys.
    var client: Client {
        guard let made else { preconditionFailure("the client is not made yet") }
        return made
    }
    private var made: Client?
    private let world: SimulatedWorld
    private let book: Book
    private unowned let network: any Network
    private let loop: ClientLoop
    private var chance: Chance
    private(set) var socket: ClientSocket?
    /// Since when the cache of profiles has nothing of a user from before.
    private var profilesEnded: [Int: UInt64] = [:]
    /// Since when it has nothing of a user's chain from before.
    private var chainsEnded: [Int: UInt64] = [:]
    /// The greatest sequence of each user that the answer to a change of its friends has.
    private var sequences: [Int: Int64] = [:]

    /// - Parameter followed: The user whose changes it follows.
    init(
        _ line: Int, following followed: Int, _ book: Book, _ network: any Network,
        in world: SimulatedWorld
    ) throws {
        (self.line, self.followed, self.book) = (line, followed, book)
        (self.network, self.world) = (network, world)
        tasks = ClientTasks(line, in: world)
        time = ClientTime(in: world)
        loop = ClientLoop(line, in: world)
        chance = world.chance("client \(line)")
        var options = ClientOptions(host: "127.0.0.1", port: 1)
        options.credential = .provided { [unowned self] in .apiKey(secret()) }
        // Some applications decide by themselves what is asked again.
        if chance.one(in: WorldLimits.singleAttempts) { options.retries?.maxAttempts = 1 }
        options.profileCache.maxAge = WorldLimits.cacheAge
        options.chainCache.maxAge = WorldLimits.cacheAge
        made = try Client(
            options,
            on: ClientMachine(
                clock: time, nanoseconds: { [time] in time.now.nanoseconds },
                chance: { [unowned self] in draw() }, tasks: tasks, eventLoop: loop,
                connect: { [unowned self] in connect($0, $1, $2) }))
    }

    // MARK: The machine

    private func draw() -> UInt64 {
        let number = chance.bits()
        Self.maker?.numbers.append(number)
        return number
    }

    /// The key for an attempt.
    private func secret() -> String {
        var (number, secret) = book.holders.shown(by: line)
        // Asked once more, it knows another one, if that was revoked.
        if let shown = Self.maker?.key, shown == number, book.holders.refused(number, of: line) {
            world.met(.clientRefused)
            (number, secret) = book.holders.shown(by: line)
        }
        guard let maker = Self.maker else { return secret }
        if maker.attempts > 0 { world.met(.clientRetried) }
        (maker.key, maker.attempts) = (number, maker.attempts + 1)
        maker.onAttempt(maker)
        return secret
    }

    private func connect(
        _ address: SocketAddress, _ eventLoop: any EventLoop,
        _ setUp: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) -> EventLoopFuture<any Channel> {
        let made = eventLoop.makePromise(of: (any Channel).self)
        let pause = chance.number(WorldLimits.deliveryMicroseconds)
        world.scheduler.after(microseconds: pause) { [self] in
            guard let connection = network.connection(for: line) else {
                made.fail(ChannelError.connectTimeout(.seconds(1)))
                return loop.wake()
            }
            let socket = ClientSocket(connection, on: loop)
            self.socket = socket
            setUp(socket.channel).whenComplete { _ in
                socket.channel.connect(to: address, promise: nil)
                made.succeed(socket.channel)
            }
            loop.wake()
        }
        return made.futureResult
    }

    /// The request id that the client made for a write of `maker`.
    ///
    /// It is what the client drew first.
    static func requestID(of maker: Maker) -> String? {
        guard maker.numbers.count >= 2 else { return nil }
        let digits = maker.numbers.prefix(2).flatMap { number in
            (0..<16).map { String(number >> (4 * $0) & 15, radix: 16) }
        }
        return digits.joined()
    }

    /// Closes the client.
    ///
    /// - Parameter done: Called when it is closed.
    func close(_ done: @escaping () -> Void) {
        let ending = Ending(done)
        Task(executorPreference: tasks) {
            await self.client.close()
            ending.done()
        }
    }

    /// Lets go of all; nothing of it is under way any more.
    func bury() { loop.end() }

    private struct Ending: @unchecked Sendable {
        let done: () -> Void

        init(_ done: @escaping () -> Void) { self.done = done }
    }

    // MARK: What its caches may not lack

    /// A write of the client has ended.
    ///
    /// - Parameter sequence: The sequence of its answer, 0 if it has none; nil if it failed.
    func wrote(_ operation: Operation, _ sequence: Int64?) {
        guard let user = operation.user else { return }
        // A profile is no part of a chain, so a chain may stay behind the sequence of its change.
        if case .rename = operation { return profilesEnded[user] = world.now }
        if let sequence { sequences[user] = max(sequences[user] ?? 0, sequence) }
        if let other = operation.other { chainsEnded[other] = world.now }
        if sequence == nil { chainsEnded[user] = world.now }
    }

    /// The client's stream has reported an event.
    func heard(_ event: ChangeEvent) {
        if event.userID == Book.name(followed) { reported = max(reported, event.sequence) }
        guard event.kind == .profileChange else { return }
        for name in event.items.map(\.userID) + [event.userID] {
            if let user = Book.user(named: name) { profilesEnded[user] = world.now }
        }
    }

    /// The moment from which on a profile must be that the client gives to one who asks now.
    func profileFloor(of user: Int) -> UInt64 {
        let oldest = time.now.advanced(by: .zero - WorldLimits.cacheAge)
        return max(oldest.nanoseconds, profilesEnded[user] ?? 0)
    }

    /// The sequence that a chain must have at least which the client gives to one who asks now.
    func leastSequence(of user: Int) -> Int64 {
        max(sequences[user] ?? 0, user == followed ? reported : 0)
    }

    /// The moment from which on a chain must be of which the client says that it is so old.
    func chainFloor(of user: Int, _ age: Duration, endedBefore ended: UInt64) -> UInt64 {
        // A message of a stream is older than the moment at which it comes.
        let known = user == followed ? 0 : time.now.advanced(by: .zero - age).nanoseconds
        return max(known, ended)
    }

    /// Since when the client has nothing of a user's chain from before.
    func chainEnd(of user: Int) -> UInt64 { chainsEnded[user] ?? 0 }
}
