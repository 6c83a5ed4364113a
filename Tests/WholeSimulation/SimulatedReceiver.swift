import Protobuf
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationCore
import RelationHooks
import RelationModel
import RelationRuntime
import Storage
import Webhooks

/// The receiver of a hook, with a book of the events that it took.
///
/// It may be away, refuse, answer late or never, and requests and answers may be lost or come late.
/// Chance draws that for each request, until the last fault is over.
///
/// `@unchecked Sendable`: one thread at a time runs all of a simulation.
final class SimulatedReceiver: @unchecked Sendable {
    /// The ways that a request may go.
    private enum Fate {
        case answered
        /// It is refused, since the receiver fails, or has too much to do.
        case refused
        case busy
        /// It is taken, and its answer is lost.
        case answerLost
        /// It is taken, and never answered.
        case silent
        /// It comes when its sender may have given it up.
        case late
        /// The receiver goes away, and takes no connection for a while.
        case away
    }

    private let world: SimulatedWorld
    private let book: Book
    private let coder = Coder(DeliverRequest.self)
    private var chance: Chance
    /// Until when it takes no connection.
    private var awayUntil: UInt64 = 0
    /// The events of each user's log, in the order in which they came first.
    private var told: [[Book.Event]]
    /// All events of each user by their positions in the log of the app, and the last position.
    private var positions: [[Int64: Book.Event]]
    private var last: [Int64]
    /// The server that sent the last request.
    private var lastServer = ""

    init(_ book: Book, in world: SimulatedWorld) {
        (self.book, self.world) = (book, world)
        chance = world.chance("receiver")
        let users = WorldLimits.users
        told = Array(repeating: [], count: users)
        positions = Array(repeating: [:], count: users)
        last = Array(repeating: 0, count: users)
    }

    /// The hook whose receiver this is.
    static var hook: HookRecord {
        var hook = HookRecord()
        hook.id = "aaaaaaaaaaaaaaaa"
        hook.url = "https://receiver.example"
        hook.form = .grpc
        hook.batchSize = 4
        return hook
    }

    /// The driver of a server that delivers for the hook.
    ///
    /// - Parameters:
    ///   - server: A name that no other server has, and no other life of it.
    ///   - nanoseconds: A clock that never goes back.
    func driver(
        of server: String, _ store: any Store, _ apps: Apps, _ clock: ServiceClock,
        nanoseconds: @escaping @Sendable () -> UInt64, on thread: WorkThread
    ) -> HookDriver {
        HookDriver(
            store: store, apps: apps, clock: clock,
            steady: { Int64(nanoseconds() / 1_000_000) }, holder: server,
            seed: Digest64(of: "hooks of \(server)", from: world.seed).value, thread: thread,
            send: { [self] in receive($0, from: server, $1) })
    }

    // MARK: Requests

    /// Takes a request of a server, and calls `done` once, by the request's end at the latest.
    func receive(
        _ request: HookRequest, from server: String,
        _ done: @escaping @Sendable (HookResult) -> Void
    ) {
        let left = request.timeLeft(at: Int64(world.now / 1_000_000))
        guard left > .zero else { return done(HookResult(.timedOut(.waiting))) }
        let reply = Reply(done)
        let milliseconds = Int(left / .milliseconds(1))
        world.scheduler.after(microseconds: milliseconds * 1_000) {
            reply.give(HookResult(.timedOut(.answering)))
        }
        let fate = fate()
        if fate != .answered { world.met(.hookFailed) }
        let isLate = fate == .late
        let way = chance.number(
            isLate ? WorldLimits.lateRequestMicroseconds : WorldLimits.deliveryMicroseconds)
        world.scheduler.after(microseconds: way) { [self] in
            world.note("a request of \(server) comes to the receiver: \(fate)")
            if isLate, reply.isGiven { world.met(.hookLate) }
            switch fate {
            case .refused: return answer(reply, HookResult(.failed(why: "away"), status: 14))
            case .busy: return answer(reply, HookResult(.busy(why: "busy"), status: 8))
            case .away: return answer(reply, HookResult(.notConnected))
            case .answered, .answerLost, .silent, .late: take(request, from: server)
            }
            switch fate {
            case .answerLost: answer(reply, HookResult(.cutOff))
            case .silent: break
            default: answer(reply, HookResult(.delivered, status: 0))
            }
        }
    }

    private func answer(_ reply: Reply, _ result: HookResult) {
        let way = chance.number(WorldLimits.deliveryMicroseconds)
        world.scheduler.after(microseconds: way) { reply.give(result) }
    }

    private func fate() -> Fate {
        guard !world.isCalm else { return .answered }
        guard awayUntil <= world.now else { return .away }
        switch chance.number(0...29) {
        case 0: return .refused
        case 1: return .busy
        case 2...3: return .answerLost
        case 4: return .silent
        case 5: return .late
        case 6:
            let pause = chance.number(WorldLimits.awayMilliseconds)
            awayUntil = world.now + UInt64(pause) * 1_000_000
            return .away
        default: return .answered
        }
    }

    /// The answer to one request, which is given once.
    ///
    /// `@unchecked Sendable`: one thread at a time runs all of a simulation.
    private final class Reply: @unchecked Sendable {
        private var done: (@Sendable (HookResult) -> Void)?

        init(_ done: @escaping @Sendable (HookResult) -> Void) { self.done = done }

        var isGiven: Bool { done == nil }

        func give(_ result: HookResult) {
            done?(result)
            done = nil
        }
    }

    // MARK: Events

    private func take(_ request: HookRequest, from server: String) {
        if !lastServer.isEmpty, lastServer != server { world.met(.hookMoved) }
        lastServer = server
        guard request.method == ReceiverMethods.deliver,
            let message = world.wire.message(request.body, coder)
        else { return world.find(.answer, "the receiver gets a strange request") }
        for event in message.events { take(event) }
    }

    private func take(_ event: HookEvent) {
        guard case .change(let change) = event.content else {
            return world.find(.events, "the receiver gets \(event.id), which is no change")
        }
        guard let user = Book.user(named: event.userID) else {
            return world.note("the receiver gets an event of \(event.userID)")
        }
        let taken = Book.Event(
            sequence: change.sequence, kind: change.kind.rawValue, requestID: change.requestID)
        let name = Book.name(user)
        if let first = positions[user][event.position] {
            world.met(.hookRepeated)
            if first != taken { world.find(.events, "\(first) of \(name) came again as \(taken)") }
            return
        }
        if event.position < last[user] {
            world.find(.events, "\(taken) of \(name) came first after a later event")
        }
        positions[user][event.position] = taken
        last[user] = event.position
        // Some events of a user, such as that of its creation, are not in its log.
        guard taken.sequence > 0 else { return }
        let sequence = told[user].last?.sequence ?? 0
        if taken.sequence != sequence + 1 {
            world.find(
                .events, "the receiver gets \(taken.sequence) of \(name) after \(sequence)")
        }
        told[user].append(taken)
    }

    // MARK: The end

    /// Waits until it has all events, which the book knows by now, and compares them.
    func finish() {
        let end = world.now + UInt64(WorldLimits.hookMilliseconds) * 1_000_000
        world.scheduler.run(until: end) {
            told.indices.allSatisfy { book.hasTold(told[$0].last?.sequence ?? 0, of: $0) }
        }
        for user in told.indices { book.compare(received: told[user], of: user) }
    }
}
