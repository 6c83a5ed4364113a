import PeerSupport
import RelationAPI
import RelationModel
import Testing

@testable import RelationClient

/// The changes that end entries at once.
@Suite(.endsWhenHung)
struct ProfileCacheChangesTests {
    private let clock = FakeClock()

    private func cache(_ server: AskedServer) -> ProfileCache {
        ProfileCache(server, ProfileStore(ProfileCacheOptions(), clock: clock))
    }

    // MARK: Real events

    /// A change of what alice or carol sees of bob, or bob of alice.
    struct Step: Sendable, CustomStringConvertible {
        let description: String
        let make: @Sendable (ProfileService) async throws -> Void

        init(_ name: String, _ make: @escaping @Sendable (ProfileService) async throws -> Void) {
            description = name
            self.make = make
        }
    }

    static let steps = [
        Step("a profile changes") { try await $0.set("bob") { $0.nick = "Bob" } },
        Step("a profile is closed") { try await $0.show("bob", to: .invisible) },
        Step("a profile is opened to friends") { try await $0.show("bob", to: .friends) },
        Step("a friend is added") { try await $0.add("alice", to: "bob") },
        Step("a profile changes again") { try await $0.set("bob") { $0.email = "b@example.org" } },
        Step("a friend is removed") { try await $0.remove("alice", from: "bob") },
        Step("the other is opened to friends") { try await $0.show("alice", to: .friends) },
        Step("two become friends") { try await $0.add("bob", to: "alice", .both) },
        Step("two part") { try await $0.remove("bob", from: "alice", .both) },
        Step("two are friends again") { try await $0.add("bob", to: "alice", .both) },
        Step("a profile is opened to everyone") { try await $0.show("bob", to: .everyone) },
        Step("a friend is blocked") { try await $0.block("alice", by: "bob") },
        Step("a user is unblocked") { try await $0.unblock("alice", by: "bob") },
        Step("an unrelated user is blocked") { try await $0.block("carol", by: "bob") },
        Step("an unrelated user is unblocked") { try await $0.unblock("carol", by: "bob") },
    ]

    @Test func withTheStreamOfTheAppEachChangeIsSeenAtOnce() async throws {
        try await ProfileService.run { service in
            let users = ["alice", "bob", "carol"]
            try await service.make(users)
            let cache = cache(AskedServer(service.client))
            let feed = ChangeFeed(
                service.client, WatchRequest.with { $0.scope = .app(true) }, into: cache)
            try await feed.untilSynced()
            for step in Self.steps {
                var before: [[GetProfileResult]] = []
                for viewer in users {
                    before.append(try await cache.profiles(of: users, as: viewer))
                }
                try await step.make(service)
                try await feed.untilReached(users)
                var after: [[GetProfileResult]] = []
                for viewer in users {
                    after.append(try await cache.profiles(of: users, as: viewer))
                    let seen = try await service.seen(users, by: viewer)
                    #expect(after.last == seen, "\(step), seen by \(viewer)")
                }
                // The step is of use only if it changes what a viewer sees.
                let isChange = before != after
                #expect(isChange, "\(step)")
            }
        }
    }

    @Test func aViewersOwnStreamTellsChangesOfItsFriends() async throws {
        try await ProfileService.run { service in
            let users = ["alice", "bob", "carol"]
            try await service.make(users)
            try await service.add("bob", to: "alice")
            let cache = cache(AskedServer(service.client))
            let feed = ChangeFeed(
                service.client,
                WatchRequest.with { $0.scope = .userID("alice") }, into: cache)
            try await feed.untilSynced()
            _ = try await cache.profiles(of: users, as: "alice")
            for user in ["carol", "bob"] { try await service.set(user) { $0.nick = "new" } }
            try await feed.until { $0.userID == "bob" && $0.kind == .profileChange }
            let answers = try await cache.profiles(of: users, as: "alice")
            // Alice follows bob and not carol.
            #expect(answers.map { $0.profile?.nick } == ["alice", "new", "carol"])
            clock.advance(by: .seconds(86_400))
            let later = try await cache.profiles(of: users, as: "alice")
            #expect(later.map { $0.profile?.nick } == ["alice", "new", "new"])
        }
    }

    @Test func aNewStreamEndsTheEntriesOfTheUsersThatItFollows() async throws {
        try await ProfileService.run { service in
            let users = ["alice", "bob", "carol"]
            try await service.make(users)
            let server = AskedServer(service.client)
            let cache = cache(server)
            for viewer in ["alice", "carol"] {
                _ = try await cache.profiles(of: users, as: viewer)
            }
            let feed = ChangeFeed(
                service.client,
                WatchRequest.with { $0.scope = .userIDs(StringList(["alice"])) }, into: cache)
            try await feed.untilSynced()
            for viewer in ["alice", "carol"] {
                _ = try await cache.profiles(of: users, as: viewer)
            }
            #expect(server.requests.dropFirst(2).map(\.userIDs) == [users, ["alice"]])
        }
    }

    // MARK: Each kind

    /// The entries that the event ends, as "viewer>user".
    private func ended(by event: ChangeEvent) async throws -> Set<String> {
        try await ended { $0.apply(event) }
    }

    private func ended(by change: (ProfileCache) -> Void) async throws -> Set<String> {
        let users = ["a", "b", "c"]
        let server = AskedServer()
        let cache = cache(server)
        for viewer in users { _ = try await cache.profiles(of: users, as: viewer) }
        change(cache)
        for viewer in users { _ = try await cache.profiles(of: users, as: viewer) }
        return Set(
            server.requests.dropFirst(users.count).flatMap { request in
                request.userIDs.map { "\(request.userID)>\($0)" }
            })
    }

    private static let ofA: Set = ["a>a", "b>a", "c>a"]
    private static let ofAAndByA: Set = ["a>a", "b>a", "c>a", "a>b", "a>c"]
    private static let all: Set = [
        "a>a", "b>a", "c>a", "a>b", "b>b", "c>b", "a>c", "b>c", "c>c",
    ]

    @Test(arguments: [ChangeKind.profileChange, .visibilityChanged])
    func aChangeOfAProfileEndsTheEntriesOfAllViewers(kind: ChangeKind) async throws {
        let own = ChangeEvent.with {
            $0.kind = kind
            $0.items = [.with { $0.userID = "a" }]
            $0.userID = "a"
            $0.sequence = 3
        }
        #expect(try await ended(by: own) == Self.ofA)
        // An event for another user, in which only the profile names its owner.
        let others = ChangeEvent.with {
            $0.kind = kind
            $0.items = [.with { $0.profile = .with { $0.userID = "a" } }]
        }
        #expect(try await ended(by: others) == Self.ofA)
    }

    @Test(arguments: [
        ChangeKind.addFriend, .deleteFriend, .deleteFriendRequest, .addBlacklist, .deleteBlacklist,
    ])
    func anEventOfTwoUsersEndsWhatTheySeeOfEachOther(kind: ChangeKind) async throws {
        let event = ChangeEvent.with {
            $0.kind = kind
            $0.items = [
                .with { $0.userID = "b" },
                .with { $0.userID = "unrelated" },
            ]
            $0.userID = "a"
        }
        #expect(try await ended(by: event) == ["a>b", "b>a"])
    }

    @Test func rowsNameTheOtherUserToo() async throws {
        let items = [
            ChangeItem.with { $0.friendEntry = .with { $0.userID = "b" } },
            ChangeItem.with { $0.application = .with { $0.userID = "b" } },
            ChangeItem.with { $0.blacklistEntry = .with { $0.userID = "b" } },
        ]
        for item in items {
            let event = ChangeEvent.with {
                $0.kind = .addFriend
                $0.items = [item]
                $0.userID = "a"
            }
            #expect(try await ended(by: event) == ["a>b", "b>a"])
        }
    }

    @Test func aChangeInBulkEndsAllOfItsUser() async throws {
        let event = ChangeEvent.with {
            $0.kind = .listChanged
            $0.userID = "a"
        }
        #expect(try await ended(by: event) == Self.ofAAndByA)
    }

    @Test(arguments: [ChangeKind.accountCreated, .accountDeleted])
    func anAccountThatComesOrGoesEndsAllOfIt(kind: ChangeKind) async throws {
        let event = ChangeEvent.with {
            $0.kind = kind
            $0.items = [.with { $0.userID = "a" }]
        }
        #expect(try await ended(by: event) == Self.ofAAndByA)
        let missing = WatchResponse.with { $0.missingUserIDs = ["a"] }
        #expect(try await ended { $0.apply(missing) } == Self.ofAAndByA)
    }

    @Test func aStreamThatBeginsAnewEndsAllOfItsUsers() async throws {
        let items = [ChangeItem.with { $0.userID = "a" }]
        let accounts = ChangeEvent.with {
            $0.kind = .state
            $0.items = items
            $0.syncType = .accounts
        }
        #expect(try await ended(by: accounts) == Self.ofAAndByA)
        #expect(try await ended(by: ChangeEvent.with { $0.kind = .resync }) == Self.all)
        let message = WatchResponse.with { $0.event = .with { $0.kind = .resync } }
        #expect(try await ended { $0.apply(message) } == Self.all)
    }

    @Test func otherEventsEndNothing() async throws {
        let kinds: [ChangeKind] = [
            .unspecified, .addFriendRequest, .pendencyReport, .friendChange, .groupCreated,
            .subscriptionChanged, .presence, .consentChanged, .state, .syncCompleted,
            ChangeKind(rawValue: 9_999),
        ]
        for kind in kinds {
            let event = ChangeEvent.with {
                $0.kind = kind
                $0.items = [.with { $0.userID = "b" }]
                $0.userID = "a"
                $0.syncType = .friends
            }
            #expect(try await ended(by: event) == [], "\(kind)")
        }
        #expect(try await ended { $0.apply(WatchResponse.with { $0.resumeToken = "t" }) } == [])
    }

    @Test func anEventOfUnknownUsersEndsNothing() async throws {
        #expect(try await ended(by: .profileChange(of: "unrelated")) == [])
        #expect(try await ended(by: .profileChange(of: "")) == [])
    }
}

/// A stream of changes that a test hands to a cache as far as it wants.
final class ChangeFeed {
    private let client: Client
    private let cache: ProfileCache
    private let changes: Changes.AsyncIterator
    /// The last event of each user's log that was handed on.
    private var reached: [String: Int64] = [:]

    init(_ client: Client, _ request: WatchRequest, into cache: ProfileCache) {
        self.client = client
        self.cache = cache
        changes = client.changes(request).makeAsyncIterator()
    }

    /// Hands messages on, up to an event of which `isLast` is true.
    func until(_ isLast: (ChangeEvent) -> Bool) async throws {
        while let message = try await changes.next() {
            cache.apply(message)
            guard let event = message.event else { continue }
            if event.sequence > 0 {
                reached[event.userID] = max(reached[event.userID] ?? 0, event.sequence)
            }
            if isLast(event) { return }
        }
    }

    /// Hands on the present state.
    func untilSynced() async throws {
        try await until { $0.kind == .syncCompleted && $0.syncType == .accounts }
    }

    /// Hands on the events that the logs of these users have by now.
    func untilReached(_ users: [String]) async throws {
        for user in users {
            let sequence = try await client.call(
                ChangeMethods.getSequence, GetSequenceRequest.with { $0.userID = user }
            ).sequence
            guard reached[user] ?? 0 < sequence else { continue }
            try await until { $0.userID == user && $0.sequence >= sequence }
        }
    }
}
