import PeerSupport
import Protobuf
import RelationAPI
import RelationModel
import Synchronization
import Testing

@testable import RelationClient

/// A random history of friend lists and blacklists, which many tasks read through one client's
/// cache meanwhile.
///
/// The client and another one write to the server. After each write all chains are noted as the
/// server lists them. So each answer of the cache can be compared with all that was true, and when.
/// The seed decides the choices of each task.
final class ChainHistory: Sendable {
    /// A chain as the server lists it.
    private struct Listed: Equatable {
        let sequence: Int64
        let friends: [Friend]
        let blacklist: [BlacklistEntry]

        init(_ sequence: Int64, _ friends: [Friend], _ blacklist: [BlacklistEntry]) {
            self.sequence = sequence
            self.friends = friends
            self.blacklist = blacklist
        }

        init(_ chain: RelationChain) {
            self.init(chain.sequence, chain.friends, chain.blacklist)
        }

        func hasRows(of other: Listed?) -> Bool {
            friends == other?.friends && blacklist == other?.blacklist
        }
    }

    /// All chains between two writes.
    private struct Moment {
        let chains: [String: Listed]
        /// The time when the next write had ended; nil if there was none yet.
        var end: Duration?
    }

    /// An answer with a sequence that was not noted by then, or one that is wrong.
    ///
    /// It may show the write that is under way.
    private struct Open {
        let user: String
        let answer: Listed
        let failure: String
    }

    private struct State {
        var moments: [Moment] = []
        /// The moment of each user's last change that the cache must know: one that its client
        /// made, or one that it received.
        var known: [String: Int] = [:]
        var isDone = false
        var answers = 0
        var oldAnswers = 0
        var open: [Open] = []
        var failures: [Open] = []

        mutating func knowAll() {
            for user in ChainHistory.users { known[user] = moments.count - 1 }
        }
    }

    private static let users = ["alice", "bob", "carol", "dave", "erin"]
    private static let groups = ["family", "work", "chess"]
    private static let maxAge = Duration.seconds(40)

    private let service: ProfileService
    private let client: Client
    private let clock = FakeClock()
    private let seed: UInt64
    private let state = Mutex(State())

    init(_ service: ProfileService, seed: UInt64) throws {
        self.service = service
        self.seed = seed
        var random = SeededNumbers(seed: seed)
        let users = Bool.random(using: &random) ? Int.random(in: 2...4, using: &random) : 100
        client = try service.client(clock) {
            $0.chainCache.users = users
            $0.chainCache.maxAge = Self.maxAge
        }
    }

    /// Runs the history, and records each answer that was older than promised.
    func run(writes: Int, readers: Int) async throws {
        try await service.make(Self.users)
        try await note(isKnown: true)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for reader in 0..<readers {
                group.addTask { [self] in
                    try await read(SeededNumbers(seed: seed &* 1_000 &+ UInt64(reader)))
                }
            }
            defer { state.withLock { $0.isDone = true } }
            try await write(writes, SeededNumbers(seed: seed))
            state.withLock { $0.isDone = true }
            try await group.waitForAll()
        }
        let failures = state.withLock { $0.failures + $0.open }
        if let first = failures.first {
            Issue.record("seed \(seed): \(failures.count) wrong answers, first \(first)")
        }
        let last = state.withLock { $0.moments.last?.chains ?? [:] }
        for user in Self.users {
            let chain = try await client.chain(of: user, forceUpdate: true)
            #expect(Listed(chain) == last[user], "seed \(seed): \(user)")
        }
        let (answers, old) = state.withLock { ($0.answers, $0.oldAnswers) }
        let counts = client.chainCache.counts
        #expect(answers > writes, "seed \(seed): \(answers) answers")
        #expect(counts.hits > 0 && counts.renewals > 0, "seed \(seed)")
        // A cache without room forgets before it gets the event.
        if counts.evictions == 0 {
            #expect(old > 0 && counts.events > 0, "seed \(seed): \(old) older answers")
        }
        await client.close()
    }

    private var time: Duration { FakeClock.Instant().duration(to: clock.now) }

    // MARK: Writing

    private func write(_ writes: Int, _ numbers: SeededNumbers) async throws {
        var random = numbers
        var feed: ChangeFeed?
        for number in 0..<writes {
            if number % 10 == 0 {
                feed = nil
                if number % 20 == 0 { feed = try await begunFeed() }
            }
            let isOwn = Bool.random(using: &random)
            let caller = isOwn ? client : service.client
            try await step(number, by: caller, &random)
            try await note(isKnown: isOwn)
            if let feed {
                try await feed.untilReached(Self.users)
                state.withLock { $0.knowAll() }
            }
            clock.advance(by: .seconds(Int.random(in: 0...15, using: &random)))
        }
    }

    /// Begins a stream of the client.
    private func begunFeed() async throws -> ChangeFeed {
        let feed = ChangeFeed(
            client, WatchRequest.with { $0.scope = .app(true) }, into: client.profileCache)
        try await feed.until { $0.kind == .syncCompleted && $0.syncType == .dismissals }
        state.withLock { $0.knowAll() }
        return feed
    }

    private func step(
        _ number: Int, by caller: Client, _ random: inout SeededNumbers
    ) async throws {
        let pair = Self.users.shuffled(using: &random)
        let (one, other) = (pair[0], pair[1])
        let group = Self.groups.randomElement(using: &random) ?? ""
        let isBoth = Bool.random(using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3:
            let request = AddFriendsRequest.with {
                $0.userID = one
                $0.items = [
                    .with {
                        $0.userID = other
                        $0.remark = "remark \(number)"
                        $0.group = isBoth ? group : ""
                    }
                ]
                $0.addType = isBoth ? .both : .single
            }
            _ = try await caller.call(FriendMethods.addFriends, request)
        case 4, 5:
            let request = DeleteFriendsRequest.with {
                $0.userID = one
                $0.userIDs = [other, pair[2]]
                $0.deleteType = isBoth ? .both : .single
            }
            _ = try await caller.call(FriendMethods.deleteFriends, request)
        case 6:
            let request = UpdateFriendsRequest.with {
                $0.userID = one
                $0.items = pair[1...3].map { friend in
                    .with {
                        $0.userID = friend
                        $0.remark = "remark \(number)"
                        $0.groups = [group]
                    }
                }
            }
            _ = try await caller.call(FriendMethods.updateFriends, request)
        case 7:
            let request = RenameFriendGroupRequest.with {
                $0.userID = one
                $0.name = group
                $0.newName = isBoth ? "group \(number)" : Self.groups.first { $0 != group } ?? ""
            }
            _ = try await caller.call(GroupMethods.renameFriendGroup, request)
        case 8:
            let request = DeleteFriendGroupsRequest.with {
                $0.userID = one
                $0.names = [group]
            }
            _ = try await caller.call(GroupMethods.deleteFriendGroups, request)
        case 9: _ = try await caller.call(FriendMethods.deleteAllFriends, .with { $0.userID = one })
        case 10:
            let request = AddToBlacklistRequest.with {
                $0.userID = one
                $0.userIDs = [other]
            }
            _ = try await caller.call(BlacklistMethods.addToBlacklist, request)
        default:
            let request = RemoveFromBlacklistRequest.with {
                $0.userID = one
                $0.userIDs = [other, pair[2]]
            }
            _ = try await caller.call(BlacklistMethods.removeFromBlacklist, request)
        }
    }

    /// Notes all chains as the server lists them now.
    ///
    /// - Parameter isKnown: Whether the cache must know what changed, because its client wrote it.
    private func note(isKnown: Bool) async throws {
        var chains: [String: Listed] = [:]
        for user in Self.users {
            let sequence = try await service.client.call(
                ChangeMethods.getSequence, .with { $0.userID = user }
            ).sequence
            let friends = try await service.client.friends(of: user).all()
            let blacklist = try await service.client.blacklist(of: user).all()
            chains[user] = Listed(sequence, friends, blacklist)
        }
        let end = time
        state.withLock { [chains] state in
            let before = state.moments.last?.chains ?? [:]
            if !state.moments.isEmpty { state.moments[state.moments.count - 1].end = end }
            state.moments.append(Moment(chains: chains))
            for (user, chain) in chains where isKnown && !chain.hasRows(of: before[user]) {
                state.known[user] = state.moments.count - 1
            }
            state.failures += state.open.filter { open in
                guard let chain = chains[open.user] else { return true }
                return open.answer.sequence > chain.sequence
                    || open.answer.sequence == chain.sequence && open.answer != chain
            }
            state.open = []
        }
    }

    // MARK: Reading

    private func read(_ numbers: SeededNumbers) async throws {
        var random = numbers
        while !state.withLock({ $0.isDone }) {
            let user = Self.users.randomElement(using: &random) ?? "alice"
            let isForced = Int.random(in: 0..<1_000, using: &random) == 0
            let asked = time
            let (known, last) = state.withLock { ($0.known[user] ?? 0, $0.moments.count - 1) }
            let task = Task { [client] in
                try await client.chain(of: user, forceUpdate: isForced)
            }
            if Int.random(in: 0..<20, using: &random) == 0 { task.cancel() }
            do {
                let chain = try await task.value
                check(Listed(chain), of: user, asked: asked, least: isForced ? last : known)
            } catch is CancellationError {
                continue
            }
        }
    }

    /// Compares an answer with what was true at its sequence.
    ///
    /// A write may make several events. A stream brings them one by one, so a chain may be at a
    /// sequence within a write, of which the server has no list to compare with.
    private func check(_ answer: Listed, of user: String, asked: Duration, least: Int) {
        state.withLock { state in
            state.answers += 1
            let last = state.moments.count - 1
            let shown = state.moments.lastIndex {
                $0.chains[user]?.sequence ?? 0 <= answer.sequence
            }
            let failure = "at \(asked), moment \(shown ?? -1), at least \(least)"
            let open = Open(user: user, answer: answer, failure: failure)
            guard let shown, let chain = state.moments[shown].chains[user] else {
                state.failures.append(open)
                return
            }
            if shown == last, chain.sequence < answer.sequence {
                state.open.append(open)
            } else if chain.sequence == answer.sequence && chain != answer
                || state.moments[least].chains[user]?.sequence ?? 0 > answer.sequence
                || state.moments[shown].end.map({ $0 <= asked - Self.maxAge }) ?? false
            {
                state.failures.append(open)
            } else if shown < last {
                state.oldAnswers += 1
            }
        }
    }
}
