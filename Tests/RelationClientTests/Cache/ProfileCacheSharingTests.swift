import Dispatch
import GRPC
import PeerSupport
import RelationAPI
import RelationModel
import Synchronization
import Testing

@testable import RelationClient

/// Tasks that use a cache at the same time.
@Suite(.endsWhenHung)
struct ProfileCacheSharingTests {
    private struct Away: Error {}

    private let clock = FakeClock()
    private let server = AskedServer()
    private let cache: ProfileCache

    init() {
        cache = ProfileCache(server, ProfileStore(ProfileCacheOptions(), clock: clock))
    }

    private func ask(_ users: String..., as viewer: String = "alice") -> Task<[String?], any Error>
    {
        Task {
            try await cache.profiles(of: users, as: viewer).map { $0.profile?.nick }
        }
    }

    /// Returns once as many answers wait for the server.
    private func misses(_ count: Int) async {
        while cache.counts.misses < count { await Task.yield() }
    }

    // MARK: Joining

    @Test func tasksThatMissAtOnceShareOneRequest() async throws {
        server.requestGate.shut()
        let tasks = (0..<50).map { _ in ask("bob", "carol") }
        await misses(100)
        server.requestGate.open()
        for task in tasks { #expect(try await task.value == ["bob", "carol"]) }
        #expect(server.requests.map(\.userIDs) == [["bob", "carol"]])
    }

    @Test func aTaskAsksOnlyForTheUsersThatNoRequestIsUnderWayFor() async throws {
        server.requestGate.shut()
        let one = ask("bob", "carol")
        await misses(2)
        let other = ask("carol", "dave")
        await misses(4)
        server.requestGate.open()
        #expect(try await one.value == ["bob", "carol"])
        #expect(try await other.value == ["carol", "dave"])
        #expect(server.requests.map(\.userIDs) == [["bob", "carol"], ["dave"]])
    }

    @Test func viewersShareNoRequest() async throws {
        server.requestGate.shut()
        let one = ask("bob")
        let other = ask("bob", as: "eve")
        await server.requestGate.waiting(2)
        server.requestGate.open()
        _ = try await (one.value, other.value)
        #expect(Set(server.requests.map(\.userID)) == ["alice", "eve"])
    }

    /// The first task's request may have been answered before the others asked, and the server
    /// allows no answer from before a question.
    @Test func withAnAgeOfZeroTasksShareOnlyLaterRequests() async throws {
        let server = AskedServer(lifetime: 0)
        let cache = ProfileCache(server, ProfileStore(ProfileCacheOptions(), clock: clock))
        server.answerGate.shut()
        let tasks = (0..<10).map { _ in
            Task { try await cache.profiles(of: ["bob"], as: "alice") }
        }
        while cache.counts.misses < 10 { await Task.yield() }
        #expect(server.count == 1)
        server.answerGate.open()
        for task in tasks { #expect(try await task.value.count == 1) }
        // Nine tasks asked after the first request began, and the next request serves them all.
        #expect(server.count == 2)
    }

    /// Once the server has said that nothing may be kept, a task does not wait in vain.
    @Test func withAKnownAgeOfZeroNoTaskWaitsForAnEarlierRequest() async throws {
        let server = AskedServer(lifetime: 0)
        let cache = ProfileCache(server, ProfileStore(ProfileCacheOptions(), clock: clock))
        _ = try await cache.profiles(of: ["bob"], as: "alice")
        server.answerGate.shut()
        let tasks = (0..<3).map { _ in
            Task { try await cache.profiles(of: ["bob"], as: "alice") }
        }
        await server.answerGate.waiting(3)
        server.answerGate.open()
        for task in tasks { #expect(try await task.value.count == 1) }
        #expect(server.count == 4)
    }

    // MARK: Failures

    @Test func aFailedRequestFailsItsCallersAndNothingIsKept() async throws {
        server.fail(Away())
        server.requestGate.shut()
        // The first request that reaches the server fails, so bob's must be there before carol's.
        let one = ask("bob")
        await server.requestGate.waiting(1)
        let failed = [one, ask("bob", "carol")]
        await misses(3)
        server.requestGate.open()
        for task in failed {
            await #expect(throws: Away.self) { try await task.value }
        }
        #expect(try await ask("bob").value == ["bob"])
        #expect(cache.counts.misses == 4)
    }

    @Test func aFailedRequestLeavesOtherRequestsAlone() async throws {
        server.fail(Away())
        let users = (0..<200).map { "user\($0)" }
        await #expect(throws: Away.self) { try await cache.profiles(of: users, as: "alice") }
        let answers = try await cache.profiles(of: users, as: "alice")
        #expect(answers.map(\.userID) == users)
        #expect(answers.allSatisfy { $0.code == .success })
    }

    /// The server is away: an entry that has become too old is not an answer, but its version is
    /// still good for the next request.
    @Test func aFailedRenewalIsNoReasonForAnOldAnswer() async throws {
        _ = try await cache.profiles(of: ["bob"], as: "alice")
        clock.advance(by: .seconds(86_400))
        server.fail(Away())
        await #expect(throws: Away.self) { try await cache.profiles(of: ["bob"], as: "alice") }
        #expect(try await ask("bob").value == ["bob"])
        #expect(server.requests.last?.knownVersions == ["bob": 1])
    }

    // MARK: Cancellation

    @Test func aCancelledCallerLeavesTheOthersTheirAnswer() async throws {
        server.requestGate.shut()
        let first = ask("bob")
        await server.requestGate.waiting(1)
        let second = ask("bob")
        await misses(2)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        server.requestGate.open()
        #expect(try await second.value == ["bob"])
        #expect(server.count == 1 && server.requestGate.cancelled == 0)
    }

    @Test func theRequestIsCancelledWithItsLastCaller() async throws {
        server.requestGate.shut()
        let tasks = [ask("bob"), ask("bob")]
        await misses(2)
        await server.requestGate.waiting(1)
        for task in tasks { task.cancel() }
        for task in tasks {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(server.requestGate.cancelled == 1)
        // No later caller joins it.
        server.requestGate.open()
        #expect(try await ask("bob").value == ["bob"])
        #expect(server.count == 2)
    }

    /// A request may go on for a while after it was cancelled, and its answer is then an error.
    @Test func noCallerJoinsARequestThatWasCancelled() async throws {
        struct Deaf: ProfileSource {
            let server: AskedServer

            func profiles(_ request: GetProfilesRequest) async throws -> GetProfilesResponse {
                let answer = try await Task.detached { try await server.profiles(request) }.value
                try Task.checkCancellation()
                return answer
            }
        }
        let cache = ProfileCache(
            Deaf(server: server), ProfileStore(ProfileCacheOptions(), clock: clock))
        server.requestGate.shut()
        let first = Task { try await cache.profiles(of: ["bob"], as: "alice") }
        await server.requestGate.waiting(1)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let second = Task { try await cache.profiles(of: ["bob"], as: "alice") }
        while cache.counts.misses < 2 { await Task.yield() }
        server.requestGate.open()
        #expect(try await second.value.count == 1)
        #expect(server.count == 2)
    }

    @Test func aCancelledTaskIsStillAnsweredFromEntries() async throws {
        _ = try await cache.profiles(of: ["bob"], as: "alice")
        let gate = AsyncGate()
        gate.shut()
        let task = Task {
            try? await gate.pass()
            return try await cache.profiles(of: ["bob"], as: "alice").count
        }
        await gate.waiting(1)
        task.cancel()
        #expect(try await task.value == 1)
    }

    // MARK: Races

    @Test func anAnswerFromBeforeAnEventIsNotKept() async throws {
        server.answerGate.shut()
        let early = ask("bob")
        await server.answerGate.waiting(1)
        cache.apply(.profileChange(of: "bob"))
        // A caller that asks now must not get it either.
        let late = ask("bob")
        await server.answerGate.waiting(2)
        server.answerGate.open()
        _ = try await (early.value, late.value)
        #expect(server.count == 2)
        #expect(try await ask("bob").value == ["bob"])
        #expect(server.count == 2)
    }

    @Test func anAnswerFromBeforeAnEventEndsEvenIfNoCallerAsksMeanwhile() async throws {
        server.answerGate.shut()
        let early = ask("bob")
        await server.answerGate.waiting(1)
        cache.apply(.profileChange(of: "bob"))
        server.answerGate.open()
        #expect(try await early.value == ["bob"])
        #expect(try await ask("bob").value == ["bob"])
        #expect(server.count == 2)
    }

    @Test func anAnswerFromBeforeAForcedUpdateIsNotKept() async throws {
        try await ProfileService.run { service in
            try await service.make("alice", "bob")
            let server = AskedServer(service.client)
            let cache = ProfileCache(server, ProfileStore(ProfileCacheOptions(), clock: clock))
            server.answerGate.shut()
            let early = Task { try await cache.profiles(of: ["bob"], as: "alice") }
            await server.answerGate.waiting(1)
            try await service.set("bob") { $0.nick = "Bob" }
            server.answerGate.open()
            // The early answer is still on its way when the forced one is there.
            let held = Task {
                try await cache.profiles(of: ["bob"], as: "alice", forceUpdate: true)
            }
            #expect(try await held.value.first?.profile?.nick == "Bob")
            _ = try await early.value
            let last = try await cache.profiles(of: ["bob"], as: "alice")
            #expect(last.first?.profile?.nick == "Bob")
        }
    }

    @Test func aLateAnswerDoesNotReplaceANewerOne() async throws {
        server.requestGate.shut()
        let early = ask("bob")
        await server.requestGate.waiting(1)
        // The first request passes its gate, and its answer is held.
        server.answerGate.shut()
        server.requestGate.open()
        await server.answerGate.waiting(1)
        let forced = Task {
            try await cache.profiles(of: ["bob"], as: "alice", forceUpdate: true)
        }
        await server.answerGate.waiting(2)
        #expect(server.count == 2)
        early.cancel()
        await #expect(throws: CancellationError.self) { try await early.value }
        server.answerGate.open()
        #expect(try await forced.value.count == 1)
        #expect(try await ask("bob").value == ["bob"])
        #expect(server.count == 2)
    }

    @Test func answersToRequestsFromBeforeRemoveAllAreNotKept() async throws {
        server.answerGate.shut()
        let early = ask("bob")
        await server.answerGate.waiting(1)
        cache.removeAll()
        server.answerGate.open()
        #expect(try await early.value == ["bob"])
        #expect(try await ask("bob").value == ["bob"])
        #expect(server.count == 2)
    }

    // MARK: Cost

    @Test func aHitDoesNotSuspend() async throws {
        let actor = CountedActor()
        let users = ["bob", "carol"]
        let jobs = try await actor.jobs(of: cache, asking: users)
        #expect(jobs.miss > 0)
        #expect(jobs.hit == 0)
    }
}

/// An actor that counts how often a task that has suspended comes back to it.
private actor CountedActor {
    private let executor = CountingExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func jobs(
        of cache: ProfileCache, asking users: [String]
    ) async throws -> (miss: Int, hit: Int) {
        let start = executor.count
        _ = try await cache.profiles(of: users, as: "alice")
        let middle = executor.count
        _ = try await cache.profiles(of: users, as: "alice")
        return (middle - start, executor.count - middle)
    }
}

private final class CountingExecutor: SerialExecutor {
    private let jobs = Atomic(0)
    private let queue = DispatchQueue(label: "counted")

    var count: Int { jobs.load(ordering: .relaxed) }

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.add(1, ordering: .relaxed)
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

extension ChangeEvent {
    /// The event of a change of a user's profile.
    static func profileChange(of user: String) -> ChangeEvent {
        ChangeEvent.with {
            $0.kind = .profileChange
            $0.items = [
                .with {
                    $0.userID = user
                    $0.fields = ["nick"]
                }
            ]
            $0.userID = user
        }
    }
}
