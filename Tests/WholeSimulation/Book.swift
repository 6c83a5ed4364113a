import RelationAPI

/// All that the callers of a simulation know, against which answers and events are held.
final class Book {
    /// A write under its request id.
    struct Request {
        let user: Int
        /// The other side of the friendship that it changes; nil if it changes none.
        let other: Int?
        let start: UInt64
        /// Nil while its caller does not know.
        var isApplied: Bool?
    }

    /// An event of a user's log.
    struct Event: Equatable {
        let sequence: Int64
        let kind: Int32
        let requestID: String
    }

    private let world: SimulatedWorld
    /// Whether several servers answer, which share what they know of devices.
    private let isShared: Bool
    /// Whether all of them have had the time to learn of all reports.
    var isSettled = false
    private var pairs: [Register]
    private var nicks: [Register]
    private(set) var requests: [String: Request] = [:]
    let holders = Holders()
    var devices = Devices()
    /// The last answered write of each user.
    private var tokens: [Int: Token] = [:]
    /// The logs of all users, read after the last error.
    private var logs: [Int: [Event]] = [:]
    /// The friends of all users, read then.
    private var friends: [Int: Set<String>] = [:]
    /// The changes of friends in the logs.
    private var friendChanges: [Int: [FriendChange]] = [:]
    /// The chains that clients had of users.
    private var chains: [Chain] = []

    static let (together, apart) = ("friends", "no friends")

    static func name(_ user: Int) -> String { "u\(user)" }

    /// The user of a name; nil if it is none of them.
    static func user(named name: String) -> Int? {
        (0..<WorldLimits.users).first { Self.name($0) == name }
    }

    init(in world: SimulatedWorld, isShared: Bool = false) {
        (self.world, self.isShared) = (world, isShared)
        let users = WorldLimits.users
        pairs = Array(repeating: Register(Self.apart), count: users * users)
        nicks = (0..<users).map { Register(Self.name($0)) }
    }

    private func slot(_ one: Int, _ other: Int) -> Int {
        min(one, other) * WorldLimits.users + max(one, other)
    }

    // MARK: Writes

    func begin(_ id: String, by user: Int, with other: Int? = nil) {
        requests[id] = Request(user: user, other: other, start: world.now)
    }

    func end(_ id: String, isApplied: Bool) { requests[id]?.isApplied = isApplied }

    func changePair(
        _ one: Int, _ other: Int, _ change: (inout Register) -> Void
    ) {
        change(&pairs[slot(one, other)])
    }

    func changeNick(_ user: Int, _ change: (inout Register) -> Void) { change(&nicks[user]) }

    /// The last answered write of a user; nil if there is none.
    func token(of user: Int) -> Token? { tokens[user] }

    func note(_ token: Token) {
        if token.sequence > tokens[token.user]?.sequence ?? 0 { tokens[token.user] = token }
    }

    // MARK: Looks

    func seePair(
        _ one: Int, _ other: Int, _ value: String, since start: UInt64, _ token: Token? = nil
    ) {
        let slot = slot(one, other)
        let isOfPair = token?.other.map { self.slot(token?.user ?? 0, $0) } == slot
        guard
            let wrong = pairs[slot].see(
                value, since: start, at: world.now, token, isOfWrite: isOfPair)
        else { return }
        world.find(wrong, "\(Self.name(one)) and \(Self.name(other)) are \(value)")
    }

    func seeNick(_ user: Int, _ value: String, since start: UInt64, _ token: Token? = nil) {
        let isOfNick = token.map { $0.user == user && $0.other == nil } ?? false
        guard
            let wrong = nicks[user].see(
                value, since: start, at: world.now, token, isOfWrite: isOfNick)
        else { return }
        world.find(wrong, "the nick of \(Self.name(user)) is \(value)")
    }

    func seeFriends(
        _ user: Int, _ names: Set<String>, since start: UInt64, _ token: Token? = nil
    ) {
        for other in 0..<WorldLimits.users where other != user {
            let isFriend = names.contains(Self.name(other))
            seePair(user, other, isFriend ? Self.together : Self.apart, since: start, token)
        }
        if world.isCalm, token == nil { friends[user] = names }
    }

    /// The process has died: what it was given and has not done, it never does.
    func processDied() {
        if devices.processDied() { world.met(.presenceLost) }
        for index in pairs.indices { pairs[index].bound(at: world.now) }
        for index in nicks.indices { nicks[index].bound(at: world.now) }
    }

    /// The database has lost its notes, and so the presence of all users.
    func notesLost() {
        if devices.processDied() { world.met(.presenceLost) }
    }

    /// A caller has asked for the presence of a user.
    ///
    /// - Parameter floor: The last report that had an answer when it asked.
    func seePresence(_ user: Int, _ isOnline: Bool, since floor: Int64?) {
        // A server may learn of a report a little later than its caller.
        guard !isShared || isSettled else { return }
        guard !devices.explain(user, isOnline, since: floor) else { return }
        world.find(.presence, "\(Self.name(user)) is \(isOnline ? "online" : "offline")")
    }

    // MARK: Logs

    /// Takes the log of a user that was read after the last error.
    func note(_ log: [Event], of user: Int) {
        logs[user] = log
        let name = Self.name(user)
        for (one, next) in zip(log, log.dropFirst()) where next.sequence != one.sequence + 1 {
            world.find(.events, "the log of \(name) has \(next.sequence) after \(one.sequence)")
        }
        var seen: Set<String> = []
        for event in log where event.isWritten {
            if requests[event.requestID] == nil {
                world.find(
                    .doubleRequest,
                    "the log of \(name) has event \(event.sequence) of no request: "
                        + "\"\(event.requestID)\"")
            }
            if !seen.insert("\(event.requestID) \(event.kind)").inserted {
                world.find(.doubleRequest, "\(event.requestID) is twice in the log of \(name)")
            }
            if requests[event.requestID]?.isApplied == false {
                world.find(.refusedWrite, "\(event.requestID) is in the log of \(name)")
            }
        }
    }

    /// Whether a stream has come to the end of the log of its user.
    func hasTold(_ sequence: Int64?, of user: Int) -> Bool {
        guard let sequence, let log = logs[user] else { return false }
        return sequence >= log.last?.sequence ?? 0
    }

    /// Holds what a stream told against the log and the list of its user.
    ///
    /// - Parameter sequence: The sequence that the stream has come to.
    func compare(
        _ told: [Event], to sequence: Int64?, friends mirror: Set<String>, of user: Int
    ) {
        let name = Self.name(user)
        guard let log = logs[user], let list = friends[user] else {
            return world.find(.standstill, "the log or the list of \(name) was not read")
        }
        if sequence ?? 0 < log.last?.sequence ?? 0 {
            world.find(.standstill, "the stream of \(name) has not told all events")
        }
        let known = Dictionary(log.map { ($0.sequence, $0) }) { first, _ in first }
        for event in told where known[event.sequence] != event {
            world.find(.events, "the stream of \(name) told \(event), which the log has not")
        }
        if mirror != list {
            world.find(
                .events,
                "events say that \(name) has the friends \(mirror.sorted()), and the list says "
                    + "\(list.sorted())")
        }
    }

    /// Holds what the receiver of a hook took against the log of a user.
    func compare(received: [Event], of user: Int) {
        let name = Self.name(user)
        guard let log = logs[user] else { return }
        if received.last?.sequence ?? 0 < log.last?.sequence ?? 0 {
            return world.find(
                .standstill, "the receiver has not got all events of \(name): \(received.count)")
        }
        if received != log {
            world.find(.events, "the receiver has other events of \(name) than the log")
        }
    }

    /// Takes what the log of a user says of friends.
    func noteFriends(_ events: [ChangeEvent], of user: Int) {
        friendChanges[user] = Self.friendChanges(events)
    }

    /// A client had a chain of its cache.
    func note(_ chain: Chain) { chains.append(chain) }

    /// Holds each chain against the log of its user up to its sequence.
    func checkChains() {
        for chain in chains {
            guard let changes = friendChanges[chain.user] else { continue }
            var friends: Set<String> = []
            for change in changes where change.sequence <= chain.sequence {
                friends.formUnion(change.added)
                friends.subtract(change.removed)
            }
            guard friends != chain.friends else { continue }
            world.find(
                .cache,
                "the chain of \(Self.name(chain.user)) at \(chain.sequence) has "
                    + "\(chain.friends.sorted()), and the log says \(friends.sorted())")
        }
    }

    /// Looks for writes that were answered and are in no log.
    func checkRequests() {
        for (id, request) in requests.sorted(by: { $0.key < $1.key })
        where request.isApplied == true {
            for user in [request.user, request.other].compactMap({ $0 }) {
                guard let log = logs[user] else { continue }
                if !log.contains(where: { $0.requestID == id }) {
                    world.find(.lostWrite, "\(id) is not in the log of \(Self.name(user))")
                }
            }
        }
    }
}
