import PeerSupport
import RelationAPI
import RelationModel
import Synchronization
import Testing

@testable import RelationClient

/// A random history of profiles, which many tasks read through one cache meanwhile.
///
/// One writer changes the server, and notes after each write what each viewer then sees of each
/// user. So each answer of the cache can be compared with all that was true, and when. Writes,
/// readers and the time go their ways by chance; the seed decides the choices of each.
final class ProfileHistory: Sendable {
    /// All that viewers saw between two writes.
    private struct Moment {
        /// The answers, by viewer and user.
        let seen: [String: [String: GetProfileResult]]
        /// The time when the next write had ended; nil if there was none yet.
        var end: Duration?
    }

    /// An answer that shows no moment that was noted by then, or one that is too old.
    ///
    /// It may show the write that is under way.
    private struct Open {
        let viewer: String
        let user: String
        let answer: GetProfileResult
        let failure: String
    }

    private struct State {
        var moments: [Moment] = []
        /// The number of the last moment whose events the cache got, if it gets events.
        var announced: Int?
        var isDone = false
        var answers = 0
        var oldAnswers = 0
        var open: [Open] = []
        var failures: [Open] = []
    }

    static let lifetime: Int64 = 100
    private static let missingAge = Duration.seconds(10)
    private static let viewers = ["alice", "bob", "carol", "dave"]
    /// A user that is made in the midst of the history.
    private static let late = "late"
    private static let users = viewers + ["erin", "frank", late]

    private let service: ProfileService
    private let clock: FakeClock
    private let seed: UInt64
    private let server: AskedServer
    private let cache: ProfileCache
    private let store: ProfileStore
    private let maxAge: Duration
    private let state = Mutex(State())

    init(_ service: ProfileService, seed: UInt64) {
        self.service = service
        self.seed = seed
        var random = SeededNumbers(seed: seed)
        var options = ProfileCacheOptions()
        if Bool.random(using: &random) { options.entries = Int.random(in: 1...20, using: &random) }
        if Bool.random(using: &random) { options.maxAge = .seconds(40) }
        options.missingAge = Self.missingAge
        maxAge = options.maxAge ?? .seconds(Self.lifetime)
        clock = FakeClock()
        server = AskedServer(service.client)
        store = ProfileStore(options, clock: clock)
        cache = ProfileCache(server, store)
    }

    /// Runs the history, and records each answer that was older than promised.
    func run(writes: Int, readers: Int) async throws {
        try await service.make(Self.users.filter { $0 != Self.late })
        try await note(endOfWrite: time)
        let failures = try await withThrowingTaskGroup(of: Void.self) { group in
            for reader in 0..<readers {
                group.addTask { [self] in
                    try await read(SeededNumbers(seed: seed &* 1_000 &+ UInt64(reader)))
                }
            }
            do {
                try await write(writes, SeededNumbers(seed: seed))
            } catch {
                state.withLock { $0.isDone = true }
                server.answerGate.open()
                throw error
            }
            state.withLock { $0.isDone = true }
            server.answerGate.open()
            try await group.waitForAll()
            return state.withLock { $0.failures + $0.open }
        }
        if let first = failures.first {
            Issue.record("seed \(seed): \(failures.count) old answers, first \(first)")
        }
        store.withEntries { entries in
            entries.checkInvariants()
            #expect(entries.fetchCount == 0, "seed \(seed)")
        }
        let (answers, old) = state.withLock { ($0.answers, $0.oldAnswers) }
        #expect(answers > writes && old > 0, "seed \(seed): \(answers) answers, \(old) older ones")
        #expect(cache.counts.hits > 0 && cache.counts.renewals > 0, "seed \(seed)")
    }

    private var time: Duration { FakeClock.Instant().duration(to: clock.now) }

    // MARK: Writing

    private func write(_ writes: Int, _ numbers: SeededNumbers) async throws {
        var random = numbers
        var feed: ChangeFeed?
        for number in 0..<writes {
            if number % 10 == 0 { feed = try await turn(feed) }
            // Answers from before the write may come after its events, and after later questions.
            if Bool.random(using: &random) {
                server.answerGate.shut()
            } else {
                server.answerGate.open()
            }
            if number == writes / 2 {
                try await service.make(Self.late)
            } else {
                try await step(number, &random)
            }
            try await note(endOfWrite: time)
            if let feed {
                let last = state.withLock { $0.moments.count - 1 }
                let isMade = number >= writes / 2
                try await feed.untilReached(Self.users.filter { isMade || $0 != Self.late })
                state.withLock { $0.announced = last }
            }
            if Bool.random(using: &random) { server.answerGate.open() }
            clock.advance(by: .seconds(Int.random(in: 0...15, using: &random)))
        }
    }

    /// Begins or ends to tell the cache of events.
    private func turn(_ feed: ChangeFeed?) async throws -> ChangeFeed? {
        guard feed == nil else {
            state.withLock { $0.announced = nil }
            return nil
        }
        let feed = ChangeFeed(
            service.client, WatchRequest.with { $0.scope = .app(true) }, into: cache)
        try await feed.untilSynced()
        state.withLock { $0.announced = $0.moments.count - 1 }
        return feed
    }

    private func step(_ number: Int, _ random: inout SeededNumbers) async throws {
        let pair = Self.viewers.shuffled(using: &random)
        let (one, other) = (pair[0], pair[1])
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3: try await service.set(one) { $0.nick = "nick \(number)" }
        case 4: try await service.set(one) { $0.email = "\(number)@example.org" }
        case 5:
            let choices: [Visibility] = [.notSet, .invisible, .everyone, .friends]
            try await service.show(one, to: choices.randomElement(using: &random) ?? .notSet)
        case 6:
            let isBoth = Bool.random(using: &random)
            try await service.add(other, to: one, isBoth ? .both : .single)
        case 7:
            let isBoth = Bool.random(using: &random)
            try await service.remove(other, from: one, isBoth ? .both : .single)
        case 8: try await service.block(other, by: one)
        default: try await service.unblock(other, by: one)
        }
    }

    /// Notes what all viewers see now.
    private func note(endOfWrite end: Duration) async throws {
        var seen: [String: [String: GetProfileResult]] = [:]
        for viewer in Self.viewers {
            let results = try await service.seen(Self.users, by: viewer)
            seen[viewer] = Dictionary(uniqueKeysWithValues: zip(Self.users, results))
        }
        state.withLock { [seen] state in
            if !state.moments.isEmpty { state.moments[state.moments.count - 1].end = end }
            state.moments.append(Moment(seen: seen))
            state.failures += state.open.filter { seen[$0.viewer]?[$0.user] != $0.answer }
            state.open = []
        }
    }

    // MARK: Reading

    private func read(_ numbers: SeededNumbers) async throws {
        var random = numbers
        while !state.withLock({ $0.isDone }) {
            let viewer = Self.viewers.randomElement(using: &random) ?? "alice"
            let users = (0..<Int.random(in: 1...5, using: &random)).compactMap { _ in
                Self.users.randomElement(using: &random)
            }
            let isForced = Int.random(in: 0..<4, using: &random) == 0
            let asked = time
            let (announced, last) = state.withLock { ($0.announced, $0.moments.count - 1) }
            let task = Task { [cache] in
                try await cache.profiles(of: users, as: viewer, forceUpdate: isForced)
            }
            switch Int.random(in: 0..<20, using: &random) {
            case 0: task.cancel()
            case 1: server.fail(FailedByTest())
            default: break
            }
            do {
                let answers = try await task.value
                let least = isForced ? last : announced ?? 0
                check(answers, of: users, by: viewer, asked: asked, least: least)
            } catch is CancellationError {
                continue
            } catch is FailedByTest {
                continue
            }
        }
    }

    private struct FailedByTest: Error {}

    /// Compares answers with all that was true since the oldest moment that they may show.
    private func check(
        _ answers: [GetProfileResult], of users: [String], by viewer: String, asked: Duration,
        least: Int
    ) {
        state.withLock { state in
            state.answers += answers.count
            for (user, answer) in zip(users, answers) {
                let age = answer.code == .success ? maxAge : min(maxAge, Self.missingAge)
                let shown = state.moments.lastIndex { $0.seen[viewer]?[user] == answer }
                if let shown, shown >= least,
                    state.moments[shown].end.map({ $0 > asked - age }) ?? true
                {
                    if shown < state.moments.count - 1 { state.oldAnswers += 1 }
                } else {
                    let failure = "at \(asked), moment \(shown ?? -1), at least \(least)"
                    state.open.append(
                        Open(viewer: viewer, user: user, answer: answer, failure: failure))
                }
            }
        }
    }
}
