import GRPC
import PeerSupport
import RelationAPI
import RelationCore
import RelationModel
import Testing

@testable import RelationClient

/// The answers of a cache, their age, and the requests that they need.
@Suite(.endsWhenHung)
struct ProfileCacheTests {
    private let clock = FakeClock()

    private func cache(
        _ server: AskedServer, _ change: (inout ProfileCacheOptions) -> Void = { _ in }
    ) -> ProfileCache {
        var options = ProfileCacheOptions()
        change(&options)
        return ProfileCache(server, ProfileStore(options, clock: clock))
    }

    private func nicks(_ results: [GetProfileResult]) -> [String?] {
        results.map { $0.profile?.nick }
    }

    // MARK: Answers

    @Test func eachUserHasItsAnswerInTheOrderOfTheQuestion() async throws {
        try await ProfileService.run { service in
            try await service.make("alice", "bob", "carol")
            let server = AskedServer(service.client)
            let cache = cache(server)
            let users = ["carol", "bob", "carol", "alice"]
            for _ in 0..<2 {
                let answers = try await cache.profiles(of: users, as: "alice")
                #expect(answers.map(\.userID) == users)
                #expect(nicks(answers) == users)
                #expect(answers == (try await service.seen(users, by: "alice")))
            }
            #expect(server.requests.map(\.userIDs) == [["carol", "bob", "alice"]])
            #expect(cache.counts.hits == 4 && cache.counts.misses == 4)
            #expect(try await cache.profiles(of: [], as: "alice").isEmpty)
        }
    }

    @Test func aUserThatFailsIsNoFailureOfTheOthers() async throws {
        try await ProfileService.run { service in
            try await service.make("alice", "bob")
            let server = AskedServer(service.client)
            let cache = cache(server)
            let long = String(repeating: "x", count: 1_000)
            let users = ["nemo", "bob", long, " bad", "alice"]
            let codes: [ProfileStatus] = [
                .accountNotFound, .success, .invalidParameter, .invalidParameter, .success,
            ]
            let first = try await cache.profiles(of: users, as: "alice")
            #expect(first.map(\.code) == codes)
            #expect(try await cache.profiles(of: users, as: "alice") == first)
            // A malformed id is not kept.
            #expect(server.requests.map(\.userIDs) == [users, [long, " bad"]])
            #expect(cache.counts.entries == 3)
        }
    }

    @Test func eachViewerHasEntriesOfItsOwn() async throws {
        try await ProfileService.run { service in
            try await service.make("alice", "bob")
            try await service.set("owner") { $0.email = "o@example.org" }
            try await service.add("alice", to: "owner")
            try await service.show("owner", to: .friends)
            let server = AskedServer(service.client)
            let cache = cache(server)
            for _ in 0..<2 {
                let alice = try await cache.profiles(of: ["owner"], as: "alice")
                let bob = try await cache.profiles(of: ["owner"], as: "bob")
                #expect(alice.first?.profile?.email == "o@example.org")
                #expect(bob.first?.profile?.email == "")
            }
            #expect(server.requests.map(\.userID) == ["alice", "bob"])
        }
    }

    /// Only the server knows the user of an empty viewer, and another credential may make it
    /// another user.
    @Test func nothingIsKeptForAnEmptyViewer() async throws {
        let server = AskedServer()
        let cache = cache(server)
        for _ in 0..<2 {
            let answers = try await cache.profiles(of: ["bob", "bob"], as: "")
            #expect(nicks(answers) == ["bob", "bob"])
        }
        #expect(server.count == 2)
        #expect(cache.counts.entries == 0)
    }

    @Test func theChosenFieldsAloneAreAskedForAndKept() async throws {
        try await ProfileService.run { service in
            try await service.set("bob") {
                $0.nick = "Bob"
                $0.email = "b@example.org"
            }
            let server = AskedServer(service.client)
            let cache = cache(server) { $0.fields = ["nick"] }
            let answer = try await cache.profiles(of: ["bob"], as: "bob").first
            #expect(
                answer?.profile
                    == Profile.with {
                        $0.userID = "bob"
                        $0.nick = "Bob"
                    })
            #expect(server.requests.first?.readMask == FieldMask(["nick"]))
        }
    }

    // MARK: Age

    @Test func anEntryIsKeptForADayByDefault() async throws {
        try await ProfileService.run { service in
            try await service.make("alice", "bob")
            let server = AskedServer(service.client)
            let cache = cache(server)
            for (wait, count) in [(0, 1), (86_399, 1), (1, 2), (86_399, 2), (1, 3)] {
                clock.advance(by: .seconds(wait))
                _ = try await cache.profiles(of: ["bob"], as: "alice")
                #expect(server.count == count)
            }
        }
    }

    @Test func theAppsSettingIsTheHighestAge() async throws {
        try await ProfileService.run({ $0.profileCacheSeconds = 60 }) { service in
            try await service.make("alice", "bob")
            let server = AskedServer(service.client)
            // The option cannot make it longer.
            let cache = cache(server) { $0.maxAge = .seconds(3_600) }
            for (wait, count) in [(0, 1), (59, 1), (1, 2)] {
                clock.advance(by: .seconds(wait))
                _ = try await cache.profiles(of: ["bob"], as: "alice")
                #expect(server.count == count)
            }
        }
    }

    @Test func theOptionLowersTheAge() async throws {
        let server = AskedServer()
        let cache = cache(server) { $0.maxAge = .seconds(10) }
        for (wait, count) in [(0, 1), (9, 1), (1, 2)] {
            clock.advance(by: .seconds(wait))
            _ = try await cache.profiles(of: ["bob"], as: "alice")
            #expect(server.count == count)
        }
    }

    @Test(
        arguments: [(0, nil), (86_400, .zero), (86_400, .seconds(-1)), (-5, nil)]
            as [(Int64, Duration?)])
    func withAnAgeOfZeroNothingIsKept(_ seconds: Int64, _ maxAge: Duration?) async throws {
        let server = AskedServer(lifetime: seconds)
        let cache = cache(server) { $0.maxAge = maxAge }
        for count in 1...3 {
            let answers = try await cache.profiles(of: ["bob", "bob"], as: "alice")
            #expect(nicks(answers) == ["bob", "bob"])
            #expect(server.count == count)
        }
        #expect(cache.counts.entries == 0)
    }

    /// The age counts from the request: the server may have read the profile right then.
    @Test func theTimeThatARequestTakesCounts() async throws {
        let server = AskedServer(lifetime: 60)
        let cache = cache(server)
        server.answerGate.shut()
        async let slow = cache.profiles(of: ["bob"], as: "alice")
        await server.answerGate.waiting(1)
        clock.advance(by: .seconds(50))
        server.answerGate.open()
        _ = try await slow
        clock.advance(by: .seconds(9))
        _ = try await cache.profiles(of: ["bob"], as: "alice")
        #expect(server.count == 1)
        clock.advance(by: .seconds(1))
        _ = try await cache.profiles(of: ["bob"], as: "alice")
        #expect(server.count == 2)
    }

    @Test func anUnchangedProfileIsRenewedWithoutItsFields() async throws {
        try await ProfileService.run { service in
            try await service.make("alice", "bob", "carol")
            let server = AskedServer(service.client)
            let cache = cache(server)
            let users = ["bob", "carol"]
            let first = try await cache.profiles(of: users, as: "alice")
            try await service.set("carol") { $0.nick = "Carol" }
            clock.advance(by: .seconds(86_400))
            let second = try await cache.profiles(of: users, as: "alice")
            #expect(second[0] == first[0] && !second[0].notModified)
            #expect(nicks(second) == ["bob", "Carol"])
            let versions = first.map(\.viewVersion)
            #expect(
                server.requests[1].knownVersions == ["bob": versions[0], "carol": versions[1]])
            let sent = server.answers[1].results
            #expect(sent.map(\.notModified) == [true, false])
            #expect(sent[0].profile == nil)
            #expect(cache.counts.renewals == 1)
            // It is kept for another day.
            clock.advance(by: .seconds(86_399))
            #expect(try await cache.profiles(of: users, as: "alice") == second)
            #expect(server.count == 2)
        }
    }

    @Test func aMissingUserIsRememberedForAShortTime() async throws {
        try await ProfileService.run { service in
            try await service.make("alice")
            let server = AskedServer(service.client)
            let cache = cache(server)
            func code() async throws -> ProfileStatus? {
                try await cache.profiles(of: ["bob"], as: "alice").first?.code
            }
            #expect(try await code() == .accountNotFound)
            try await service.make("bob")
            clock.advance(by: ProfileCacheOptions.defaultMissingAge - .seconds(1))
            #expect(try await code() == .accountNotFound)
            #expect(server.count == 1)
            clock.advance(by: .seconds(1))
            #expect(try await code() == .success)
            #expect(server.requests.last?.knownVersions == [:])
        }
    }

    @Test func aMissingUserIsNotRememberedLongerThanAProfile() async throws {
        try await ProfileService.run({ $0.profileCacheSeconds = 5 }) { service in
            try await service.make("alice")
            let server = AskedServer(service.client)
            let cache = cache(server)
            for (wait, count) in [(0, 1), (4, 1), (1, 2)] {
                clock.advance(by: .seconds(wait))
                _ = try await cache.profiles(of: ["bob"], as: "alice")
                #expect(server.count == count)
            }
        }
    }

    @Test func aForcedUpdateAsksTheServerAndRenewsTheEntry() async throws {
        try await ProfileService.run { service in
            try await service.make("alice", "bob")
            let server = AskedServer(service.client)
            let cache = cache(server)
            _ = try await cache.profiles(of: ["bob"], as: "alice")
            try await service.set("bob") { $0.nick = "Bob" }
            #expect(nicks(try await cache.profiles(of: ["bob"], as: "alice")) == ["bob"])
            clock.advance(by: .seconds(80_000))
            let forced = try await cache.profiles(
                of: ["bob", "bob"], as: "alice", forceUpdate: true)
            #expect(nicks(forced) == ["Bob", "Bob"])
            #expect(server.requests.last?.userIDs == ["bob"])
            clock.advance(by: .seconds(80_000))
            #expect(nicks(try await cache.profiles(of: ["bob"], as: "alice")) == ["Bob"])
            #expect(server.count == 2)
        }
    }

    // MARK: Requests

    @Test func theServersLimitOfUsersIsKept() async throws {
        try await ProfileService.run { service in
            let users = (0..<250).map { "user\($0)" }
            try await service.make(users)
            let server = AskedServer(service.client)
            let cache = cache(server)
            #expect(nicks(try await cache.profiles(of: users, as: "user0")) == users)
            #expect(server.requests.map(\.userIDs.count).sorted() == [50, 100, 100])
            #expect(nicks(try await cache.profiles(of: users, as: "user0")) == users)
            #expect(server.count == 3)
        }
    }

    /// In apps of RongCloud's settings a request names at most 20 users.
    @Test func aLowerLimitIsLearntFromTheServersRefusal() async throws {
        try await ProfileService.run({ $0.limits.profilesPerCall = 20 }) { service in
            let users = (0..<50).map { "user\($0)" }
            try await service.make(users)
            let server = AskedServer(service.client)
            let cache = cache(server)
            #expect(nicks(try await cache.profiles(of: users, as: "user0")) == users)
            #expect(server.requests.map(\.userIDs.count) == [50, 20, 20, 10])
            cache.removeAll()
            #expect(nicks(try await cache.profiles(of: users, as: "user0")) == users)
            #expect(server.requests.dropFirst(4).map(\.userIDs.count).sorted() == [10, 20, 20])
        }
    }

    @Test func aLongQuestionIsAskedPartByPart() async throws {
        let server = AskedServer()
        let cache = cache(server)
        let users = (0...ProfileStore.usersAtOnce).map { "user\($0)" }
        server.requestGate.shut()
        async let answers = cache.profiles(of: users, as: "alice")
        await server.requestGate.waiting(ProfileStore.usersAtOnce / ProfileStore.usersPerRequest)
        #expect(server.count == ProfileStore.usersAtOnce / ProfileStore.usersPerRequest)
        server.requestGate.open()
        #expect(nicks(try await answers) == users)
        #expect(server.count == 11)
    }

    @Test func anAnswerOfAnotherLengthFails() async throws {
        struct Short: ProfileSource {
            func profiles(_: GetProfilesRequest) async throws -> GetProfilesResponse {
                GetProfilesResponse.with { $0.cacheSeconds = 10 }
            }
        }
        let cache = ProfileCache(Short(), ProfileStore(ProfileCacheOptions(), clock: clock))
        await #expect(throws: CallError.self) {
            try await cache.profiles(of: ["bob"], as: "alice")
        }
    }

    @Test func anUnknownProfileThatIsNotModifiedFails() async throws {
        struct Odd: ProfileSource {
            func profiles(_: GetProfilesRequest) async throws -> GetProfilesResponse {
                GetProfilesResponse.with {
                    $0.results = [
                        .with {
                            $0.userID = "bob"
                            $0.code = .success
                            $0.notModified = true
                        }
                    ]
                    $0.cacheSeconds = 10
                }
            }
        }
        let cache = ProfileCache(Odd(), ProfileStore(ProfileCacheOptions(), clock: clock))
        await #expect(throws: CallError.self) {
            try await cache.profiles(of: ["bob"], as: "alice")
        }
        #expect(cache.counts.entries == 0)
    }

    // MARK: Room

    @Test func theEntryThatWasNotUsedForTheLongestTimeLeaves() async throws {
        let server = AskedServer()
        let cache = cache(server) { $0.entries = 2 }
        for user in ["a", "b", "a", "c"] {
            _ = try await cache.profiles(of: [user], as: "alice")
        }
        #expect(server.requests.map(\.userIDs) == [["a"], ["b"], ["c"]])
        #expect(cache.counts.entries == 2 && cache.counts.evictions == 1)
        _ = try await cache.profiles(of: ["a"], as: "alice")
        #expect(server.count == 3)
        _ = try await cache.profiles(of: ["b"], as: "alice")
        #expect(server.count == 4)
    }

    @Test func aQuestionMayNameMoreUsersThanAreKept() async throws {
        let server = AskedServer()
        let users = (0..<300).map { "user\($0)" }
        for room in [0, 3] {
            let cache = cache(server) { $0.entries = room }
            #expect(nicks(try await cache.profiles(of: users, as: "alice")) == users)
            #expect(cache.counts.entries == room)
        }
    }

    @Test func longProfilesLeaveEarlier() async throws {
        try await ProfileService.run { service in
            let users = (0..<20).map { "user\($0)" }
            let text = String(repeating: "x", count: 400)
            for user in users {
                try await service.set(user) {
                    $0.nick = text
                    $0.faceURL = text
                    $0.name = text
                }
            }
            let server = AskedServer(service.client)
            let cache = cache(server) { $0.bytes = 10 * (KeptProfile.baseBytes + 2 * 1_200) }
            _ = try await cache.profiles(of: users, as: "user0")
            #expect((5...9).contains(cache.counts.entries))
            #expect(cache.counts.bytes <= 10 * (KeptProfile.baseBytes + 2 * 1_200))
        }
    }

    @Test func aProfileLongerThanTheRoomIsAnsweredAndNotKept() async throws {
        let server = AskedServer()
        let cache = cache(server) { $0.bytes = KeptProfile.baseBytes }
        #expect(nicks(try await cache.profiles(of: ["bob"], as: "alice")) == ["bob"])
        #expect(cache.counts.entries == 0 && cache.counts.bytes == 0)
    }

    @Test func optionsOutsideTheirBoundsAreTakenForTheNearest() {
        var options = ProfileCacheOptions()
        #expect(options.entries == ProfileCacheOptions.defaultEntries)
        #expect(options.bytes == ProfileCacheOptions.defaultBytes)
        (options.entries, options.bytes) = (.max, .max)
        #expect(options.bounded.entries == ProfileCacheOptions.mostEntries)
        #expect(options.bounded.bytes == ProfileCacheOptions.mostBytes)
        (options.entries, options.bytes, options.missingAge) = (-1, -1, .seconds(-1))
        #expect(options.bounded.entries == 0 && options.bounded.bytes == 0)
        #expect(options.bounded.missingAge == .zero)
    }

    @Test func everythingIsForgottenOnRequest() async throws {
        let server = AskedServer()
        let cache = cache(server)
        _ = try await cache.profiles(of: ["bob", "carol"], as: "alice")
        cache.removeAll()
        #expect(cache.counts.entries == 0 && cache.counts.bytes == 0)
        _ = try await cache.profiles(of: ["bob"], as: "alice")
        #expect(server.requests.last?.knownVersions == [:])
    }
}
