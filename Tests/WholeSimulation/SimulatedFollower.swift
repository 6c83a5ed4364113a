import Protobuf
import RelationAPI
import RelationModel

/// A client that follows the changes of one user, and goes on where it was when a stream ends.
///
/// `@unchecked Sendable`: one thread runs all of a simulation.
class SimulatedFollower: @unchecked Sendable {
    let index: Int
    /// The user that it follows.
    let user: Int
    let world: SimulatedWorld
    let book: Book
    private unowned let network: any Network
    /// The key that the present stream shows.
    var key = 0
    /// The number of the client whose key that is.
    var holder: Int { index }
    var chance: Chance
    private var line: ClientLine?
    var token = ""
    /// The sequence that it has come to; nil before the present state said it.
    private(set) var sequence: Int64?
    private(set) var told: [Book.Event] = []
    private(set) var friends: Set<String> = []
    /// Whether all of the present state has come.
    private var isWhole = false
    private var lastHeard: UInt64 = 0
    /// Counts the streams, so that nothing of an earlier one is taken.
    private var stream = 0

    init(
        _ index: Int, following user: Int, _ book: Book, _ network: any Network,
        in world: SimulatedWorld
    ) {
        (self.index, self.user, self.network, self.world) = (index, user, network, world)
        self.book = book
        chance = world.chance("follower \(index)")
    }

    /// Ends the stream as a proxy does.
    func endCalls() { line?.endCalls() }

    /// The connection that errors are about.
    var connection: SimulatedConnection? { line?.connection }

    func begin() {
        stream += 1
        let number = stream
        lastHeard = world.now
        line?.disconnect()
        line = network.connect(index)
        guard let line else { return later(number) }
        line.onLost = { [unowned self] in
            if stream == number { later(number) }
        }
        if token.isEmpty { forget() }
        let request = WatchRequest.with {
            $0.scope = .userID(Book.name(user))
            $0.resumeToken = token
            $0.heartbeatMs = Int64(WorldLimits.heartbeatMilliseconds)
        }
        let (key, secret) = book.holders.shown(by: index)
        self.key = key
        let isOpen = line.open(
            ChangeMethods.watch.path, world.wire.bytes(request, ChangeMethods.watch.requestCoder),
            showing: secret,
            onMessage: { [unowned self] in if stream == number { receive($0) } },
            onEnd: { [unowned self] status in if stream == number { ended(number, status) } })
        guard isOpen != nil else { return later(number) }
        world.note("follower \(index) goes on after \(sequence.map { "\($0)" } ?? "nothing")")
        if !token.isEmpty { world.met(.streamResumed) }
        listen(number)
    }

    /// Gives the stream up if it is silent for long.
    private func listen(_ number: Int) {
        world.scheduler.after(microseconds: 500_000) { [unowned self] in
            guard stream == number else { return }
            let silence = UInt64(WorldLimits.silenceMilliseconds) * 1_000_000
            if world.now - lastHeard > silence { return later(number) }
            listen(number)
        }
    }

    private func ended(_ number: Int, _ status: Int?) {
        world.note("stream of follower \(index) ends with \(status.map { "\($0)" } ?? "nothing")")
        if status == 16, book.holders.refused(key, of: index) {
            world.met(.revokedStream)
        } else if let status, ![1, 2, 8, 13, 14].contains(status) {
            world.find(.answer, "the stream of follower \(index) has status \(status)")
        }
        later(number)
    }

    private func later(_ number: Int) {
        guard stream == number else { return }
        stream += 1
        let next = stream
        let isQuick = chance.one(in: WorldLimits.quickStreams)
        let range = isQuick ? WorldLimits.quickMilliseconds : WorldLimits.retryMilliseconds
        let pause = chance.number(range) * 1_000
        world.scheduler.after(microseconds: pause) { [unowned self] in
            if stream == next { begin() }
        }
    }

    func forget() { (sequence, told, friends, isWhole) = (nil, [], [], false) }

    /// Whether it has come to the end of the log of its user.
    var hasToldAll: Bool { isWhole && book.hasTold(sequence, of: user) }

    private func receive(_ bytes: [UInt8]) {
        lastHeard = world.now
        guard let message = world.wire.message(bytes, ChangeMethods.watch.responseCoder) else {
            return world.find(.answer, "the stream of follower \(index) has a strange message")
        }
        receive(message)
    }

    /// Takes a message of the stream.
    func receive(_ message: WatchResponse) {
        if let event = message.event { receive(event) }
        if !message.resumeToken.isEmpty { token = message.resumeToken }
    }

    private func receive(_ event: ChangeEvent) {
        switch event.kind {
        case .resync: forget()
        case .state:
            guard event.userID == Book.name(user) else { return }
            if event.syncType == .accounts { sequence = event.sequence }
            for item in event.items where item.friendEntry != nil { friends.insert(item.userID) }
        case .syncCompleted: isWhole = true
        default: if event.sequence > 0 { takeLogged(event) }
        }
    }

    private func takeLogged(_ event: ChangeEvent) {
        world.note("follower \(index) hears of event \(event.sequence), \(event.requestID)")
        if network.isCommitWaiting { world.met(.streamInSync) }
        if let sequence, event.sequence != sequence + 1 {
            world.find(
                .events, "follower \(index) hears of \(event.sequence) after \(sequence)")
        }
        if let request = book.requests[event.requestID],
            book.holders.isRevoked(key, of: holder, before: request.start)
        {
            world.find(.revoked, "follower \(index) hears of \(event.requestID)")
        }
        sequence = event.sequence
        told.append(
            Book.Event(
                sequence: event.sequence, kind: event.kind.rawValue, requestID: event.requestID))
        for item in event.items {
            if event.kind == .addFriend { friends.insert(item.userID) }
            if event.kind == .deleteFriend { friends.remove(item.userID) }
        }
    }
}
