import PeerSupport
import Protobuf
import RelationAPI
import RelationModel
import Testing

@testable import RelationClient

/// The entries that a client's own writes end in its caches.
@Suite(.endsWhenHung)
struct OwnWritesTests {
    private let clock = FakeClock()

    @Test func aClientSeesItsOwnWritesAtOnce() async throws {
        try await ProfileService.run { service in
            try await service.make("alice", "bob")
            let client = try service.client(clock)
            let other = ProfileCache(client)
            func nicks() async throws -> [String?] {
                [
                    try await client.profiles(of: ["bob"], as: "alice").first?.profile?.nick,
                    try await client.profiles(of: ["bob"], as: "bob").first?.profile?.nick,
                    try await other.profiles(of: ["bob"], as: "alice").first?.profile?.nick,
                ]
            }
            #expect(try await nicks() == ["bob", "bob", "bob"])
            let request = UpdateProfileRequest.with {
                $0.userID = "bob"
                $0.profile = .with { $0.nick = "Bob" }
            }
            _ = try await client.call(ProfileMethods.updateProfile, request)
            #expect(try await nicks() == ["Bob", "Bob", "Bob"])
            let raw = RawMessage(
                try UpdateProfileRequest.with {
                    $0.userID = "bob"
                    $0.profile = .with { $0.nick = "Bobby" }
                }
                .serializedBytes())
            _ = try await client.call(ProfileMethods.updateProfile.raw, raw)
            #expect(try await nicks() == ["Bobby", "Bobby", "Bobby"])
            await client.close()
        }
    }

    @Test func aClientAsksAgainAfterItsWritesToLists() async throws {
        try await ProfileService.run { service in
            try await service.make("alice", "bob")
            let client = try service.client(clock)
            /// Whether the profile is asked for; the answer is that of the server in any case.
            func asks() async throws -> Bool {
                let before = client.profileCache.counts.requests
                let kept = try await client.profiles(of: ["bob"], as: "alice")
                let asked = client.profileCache.counts.requests > before
                let fresh = try await client.profiles(of: ["bob"], as: "alice", forceUpdate: true)
                #expect(kept == fresh)
                return asked
            }
            #expect(try await asks())
            #expect(try await !asks())
            _ = try await client.call(
                ProfileMethods.setVisibility,
                SetVisibilityRequest.with {
                    $0.userID = "bob"
                    $0.visibility = .friends
                })
            #expect(try await asks())
            _ = try await client.call(
                FriendMethods.addFriends,
                AddFriendsRequest.with {
                    $0.userID = "bob"
                    $0.items = [.with { $0.userID = "alice" }]
                    $0.addType = .single
                })
            #expect(try await asks())
            _ = try await client.call(
                FriendMethods.deleteFriends,
                DeleteFriendsRequest.with {
                    $0.userID = "bob"
                    $0.userIDs = ["alice"]
                    $0.deleteType = .single
                })
            #expect(try await asks())
            _ = try await client.call(
                BlacklistMethods.addToBlacklist,
                AddToBlacklistRequest.with {
                    $0.userID = "bob"
                    $0.userIDs = ["alice"]
                })
            #expect(try await asks())
            #expect(try await !asks())
            await client.close()
        }
    }

    @Test func anAccountThatTheClientMakesIsThere() async throws {
        try await ProfileService.run { service in
            try await service.make("alice")
            let client = try service.client(clock)
            let before = try await client.profiles(of: ["carol"], as: "alice")
            #expect(before.first?.code == .accountNotFound)
            let request = UpdateProfileRequest.with {
                $0.userID = "carol"
                $0.profile = .with { $0.nick = "Carol" }
            }
            _ = try await client.call(ProfileMethods.updateProfile, request)
            let after = try await client.profiles(of: ["carol"], as: "alice")
            #expect(after.first?.profile?.nick == "Carol")
            await client.close()
        }
    }

    /// The write fails for its caller, and was perhaps done.
    @Test func aWriteThatFailsEndsEntriesToo() async throws {
        try await ProfileService.run { service in
            try await service.make("alice", "bob")
            let client = try service.client(clock)
            _ = try await client.profiles(of: ["bob"], as: "alice")
            let requests = client.profileCache.counts.requests
            _ = await failure {
                _ = try await client.call(
                    ProfileMethods.updateProfile,
                    UpdateProfileRequest.with {
                        $0.userID = "bob"
                        $0.profile = .with { $0.nick = "x" }
                    },
                    options: CallOptions(timeout: .nanoseconds(1)))
            }
            _ = try await client.profiles(of: ["bob"], as: "alice")
            #expect(client.profileCache.counts.requests == requests + 1)
            await client.close()
        }
    }

    /// The writes of the contract, and the pairs of viewer and user whose entries they end.
    @Test func eachWriteEndsWhatItConcerns() {
        let users = ["a", "b", "c"]
        func ended(by write: some Message) -> Set<String> {
            var entries = ProfileEntries(ProfileCacheOptions().bounded, usersPerRequest: 100)
            for viewer in users {
                var question = ProfileQuestion(users, as: viewer, isForced: false)
                for fetch in entries.lookUp(&question, at: users.indices, now: .zero) {
                    var fetched = FetchedProfiles(lifetime: .seconds(60))
                    fetched.results = fetch.items.map { item in
                        KeptProfile(
                            GetProfileResult.with {
                                $0.userID = item.user
                                $0.code = .success
                            })
                    }
                    entries.finish(fetch, .success(fetched))
                }
            }
            entries.end(after: write)
            var ended: Set<String> = []
            for viewer in users {
                for user in users {
                    var question = ProfileQuestion([user], as: viewer, isForced: false)
                    if !entries.lookUp(&question, at: [0], now: .zero).isEmpty {
                        ended.insert(viewer + user)
                    }
                }
            }
            return ended
        }
        let all = Set(users.flatMap { one in users.map { one + $0 } })
        let ofA: Set = ["aa", "ab", "ac", "ba", "ca"]
        let ofAB: Set = ["ab", "ba"]
        #expect(ended(by: UpdateProfileRequest.with { $0.userID = "a" }) == ofA)
        #expect(ended(by: UpdateProfileRequest()) == all)
        #expect(ended(by: SetVisibilityRequest.with { $0.userID = "a" }) == ofA)
        #expect(
            ended(
                by: AddFriendsRequest.with {
                    $0.userID = "a"
                    $0.items = [.with { $0.userID = "b" }]
                }) == ofAB)
        #expect(
            ended(
                by: DeleteFriendsRequest.with {
                    $0.userID = "a"
                    $0.userIDs = ["b"]
                }) == ofAB)
        #expect(ended(by: DeleteAllFriendsRequest.with { $0.userID = "a" }) == ofA)
        #expect(
            ended(
                by: AddToBlacklistRequest.with {
                    $0.userID = "a"
                    $0.userIDs = ["b"]
                }) == ofAB)
        #expect(
            ended(
                by: RemoveFromBlacklistRequest.with {
                    $0.userID = "a"
                    $0.userIDs = ["b"]
                }) == ofAB)
        #expect(ended(by: DeleteAccountsRequest.with { $0.userIDs = ["a"] }) == ofA)
        #expect(ended(by: GrantPermissionsRequest()) == all)
        #expect(ended(by: UpdateAppRequest()) == all)
        #expect(ended(by: DefineCustomFieldsRequest()) == all)
        #expect(ended(by: SubscribeRequest()) == [])
        #expect(ended(by: ReportPresenceRequest()) == [])
    }

    @Test func rowsOfAnImportEndAllEntries() async throws {
        try await ProfileService.run { service in
            try await service.make("alice", "bob")
            let client = try service.client(clock)
            _ = try await client.profiles(of: ["bob"], as: "alice")
            let requests = client.profileCache.counts.requests
            do {
                let stream = client.stream(AccountMethods.importAccounts)
                try await stream.send(
                    ImportAccountsRequest.with { $0.row = .with { $0.userID = "bob" } })
                stream.finishSending()
                // The credential is not an administrator's: the outcome does not matter.
                while try await stream.next() != nil {}
            } catch {}
            _ = try await client.profiles(of: ["bob"], as: "alice")
            #expect(client.profileCache.counts.requests == requests + 1)
            await client.close()
        }
    }
}
