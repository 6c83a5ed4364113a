import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCalls
@testable import RelationChanges
@testable import RelationService

/// Streams of changes tell of the profiles and presence of others: of each user's own, and once
/// each.
@Suite struct WatchOthersTests {
    private func show(_ user: UserID, to visibility: Visibility, _ harness: WatchHarness) throws {
        _ = try harness.world.call(by: user) { (ledger) throws(StorageError) in
            try Profiles.setVisibility(visibility, of: user, in: ledger)
        }
    }

    private func report(_ user: String, _ harness: WatchHarness) throws {
        let report = PresenceBoard.Report(
            user: UserID(stored: user.utf8), deviceID: "web", platform: "", online: true,
            leaseMs: 600_000, createdMs: World.start)
        harness.board.report([report], app: 7, at: harness.world.now)
        try harness.settle()
    }

    /// The items about other users in those messages.
    private func items(
        _ responses: some Sequence<WatchClient.Response>
    ) -> [ChangeItem] {
        responses.compactMap(\.event).filter { $0.sequence == 0 }.flatMap(\.items)
    }

    @Test func anEventOfAProfileNamesItsUser() throws {
        let harness = try WatchHarness("ann", "bob")
        try #require(try harness.world.add("bob", to: "ann") == .success)
        try harness.change("bob")
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settle()
        let token = client[stream].token
        try harness.change("bob")
        try show("bob", to: .everyone, harness)
        try harness.settle()
        let again = try client.watch("ann", token: token)
        try harness.settle()
        for (stream, count) in [(stream, 3), (again, 1)] {
            let profiles = items(client[stream].responses).compactMap(\.profile)
            #expect(profiles.map(\.userID) == Array(repeating: "bob", count: count))
        }
    }

    @Test func whomOneFollowsInSeveralWaysIsReportedOnce() throws {
        let harness = try WatchHarness("ann", "bob", "carl")
        // Ann has more friends than a page has users.
        try harness.befriend("ann", count: WatchLimits.stateItems + 50)
        let both = ["friend0", "friend99"]
        for type in [SubscribeType.userProfile, .onlineStatus] {
            for user in both + ["bob"] {
                let id = UserID(stored: user.utf8)
                try #require(try harness.world.subscribe("ann", to: id, type) == .success)
            }
        }
        let subjects = both + ["bob"]
        for user in subjects + ["carl"] {
            try harness.change(user)
            try report(user, harness)
        }
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settle()
        let token = client[stream].token
        for user in subjects + ["carl"] { try harness.change(user) }
        try harness.settle()
        let again = try client.watch("ann", token: token)
        try harness.settle()

        let state = items(client[stream].responses.prefix { $0.token.isEmpty })
        let profiles = state.compactMap(\.profile).map(\.userID)
        #expect(profiles.count == WatchLimits.stateItems + 51)
        #expect(Set(profiles).count == profiles.count)
        #expect(state.compactMap(\.presence).map(\.userID).sorted() == subjects.sorted())

        let missed = items(client[again].responses)
        #expect(missed.compactMap(\.profile).map(\.userID).sorted() == subjects.sorted())
        #expect(missed.compactMap(\.presence).map(\.userID).sorted() == subjects.sorted())
    }

    @Test func stateAndEventsHaveTheDevicesThatOnlyTheStoreKnows() throws {
        let harness = try WatchHarness("ann", "bob", "carl")
        for friend: UserID in ["ann", "carl"] {
            try #require(try harness.world.add("bob", to: friend) == .success)
        }
        _ = try harness.world.block("carl", by: "bob")
        let seen = SeenDevice("desk", platform: "pc", seenMs: World.start - 90_000)
        try harness.world.call(by: nil) { (ledger) throws(StorageError) in
            try LastSeen.note("bob", on: seen, isOffline: true, in: ledger)
        }
        let client = try harness.connect()
        let (stream, blocked) = (try client.watch("ann"), try client.watch("carl"))
        try harness.settle()
        let state = items(client[stream].responses).compactMap(\.presence)
        #expect(state.map(\.userID) == ["bob"] && state[0].online == false)
        #expect(state[0].devices.map(\.deviceID) == ["desk"])
        #expect(state[0].lastSeenTimeMs == World.start - 90_000)
        let count = client[stream].responses.count
        // The call that reports a new device notes it in the same transaction.
        let web = SeenDevice("web", platform: "web", seenMs: World.start)
        try harness.world.call(by: nil) { (ledger) throws(StorageError) in
            try LastSeen.note("bob", on: web, isOffline: false, in: ledger)
        }
        try report("bob", harness)
        let received = items(client[stream].responses.dropFirst(count)).compactMap(\.presence)
        #expect(received.map { $0.devices.map(\.deviceID) } == [["desk", "web"]])
        #expect(
            received[0].devices.map(\.online) == [false, true] && received[0].lastSeenTimeMs == 0)
        #expect(items(client[blocked].responses).compactMap(\.presence) == [])
    }

    @Test func aStreamOfSeveralUsersGetsTheSameWhenItGoesOnAsLive() throws {
        let harness = try WatchHarness("ann", "bob", "carl", "dora", "eve", "subject")
        // Two friends with the same view, a friend on one side only, a subscriber, a blocked user.
        try #require(try harness.world.add("subject", to: "ann") == .success)
        try #require(try harness.world.add("subject", to: "bob") == .success)
        try #require(try harness.world.add("subject", to: "carl", .single) == .success)
        try #require(try harness.world.subscribe("dora", to: "subject", .userProfile) == .success)
        try #require(try harness.world.subscribe("eve", to: "subject", .userProfile) == .success)
        _ = try harness.world.block("eve", by: "subject")
        try harness.change("subject")
        let client = try harness.connect()
        var request = WatchRequest()
        request.scope = .userIDs(StringList(["eve", "dora", "carl", "bob", "ann"]))
        let stream = try client.watch(request)
        try harness.settle()
        request.resumeToken = client[stream].token
        let before = client[stream].responses.count
        // A live stream tells each user the part that it may see, as a continued stream does.
        try show("subject", to: .friends, harness)
        try harness.settle()
        let again = try client.watch(request)
        try harness.settle()

        func notified(_ responses: some Sequence<WatchClient.Response>) -> [String] {
            responses.filter { !$0.userIDs.isEmpty && $0.event?.kind != .state }.map { response in
                let profile = response.event?.items.first?.profile
                let isWhole = profile?.selfSignature.isEmpty == false
                return "\(response.userIDs) \(profile?.userID ?? "") \(isWhole)"
            }.sorted()
        }
        let live = notified(client[stream].responses[before...])
        #expect(
            live == [
                #"["ann", "bob"] subject true"#, #"["carl", "dora"] subject false"#,
            ])
        #expect(notified(client[again].responses) == live)
    }

    // MARK: Follows

    @Test func aSubscriberThatFollowsTheUserGetsWhatItsFollowersMaySee() throws {
        let harness = try WatchHarness("ann", "dora", "eve", "subject")
        for id: UserID in ["dora", "eve"] {
            try #require(try harness.world.subscribe(id, to: "subject", .userProfile) == .success)
        }
        try #require(try harness.world.follow("dora", "subject") == .success)
        try #require(try harness.world.follow("subject", "eve") == .success)
        try harness.change("subject")
        let client = try harness.connect()
        var request = WatchRequest()
        request.scope = .userIDs(StringList(["dora", "eve"]))
        let stream = try client.watch(request)
        try harness.settle()
        let before = client[stream].responses.count
        try show("subject", to: .followers, harness)
        try harness.settle()
        let received = client[stream].responses[before...].compactMap { response -> String? in
            guard let profile = response.event?.items.first?.profile else { return nil }
            return "\(response.userIDs) \(!profile.selfSignature.isEmpty)"
        }.sorted()
        #expect(received == [#"["dora"] true"#, #"["eve"] false"#])
    }

    @Test func aStreamBeginsWithTheFollowedUsersAndNotWithTheFollowers() throws {
        let harness = try WatchHarness("ann", "bob", "carl", "dora")
        for (one, other) in [("ann", "bob"), ("ann", "carl"), ("carl", "ann"), ("dora", "ann")]
            as [(UserID, UserID)]
        {
            try #require(try harness.world.follow(one, other) == .success)
        }
        let client = try harness.connect()
        var request = WatchRequest()
        request.scope = .userID("ann")
        request.kinds = [.followingChanged, .followersChanged]
        let stream = try client.watch(request)
        try harness.settle()
        let state = client[stream].responses.compactMap(\.event).filter {
            $0.kind == .state && $0.syncType == .following
        }.flatMap(\.items)
        #expect(state.map(\.userID) == ["bob", "carl"])
        #expect(state.map(\.followRelation) == [.following, .mutual])
        #expect(state.allSatisfy { $0.follow?.followTimeMs == World.start })
        let before = client[stream].responses.count
        try #require(try harness.world.unfollow("carl", "ann") == .success)
        try harness.settle()
        let events = client[stream].responses[before...].compactMap(\.event)
        #expect(events.map(\.kind) == [.followersChanged])
        #expect(events.first?.items.first?.followRelation == .following)
        #expect(events.first?.items.first?.follow == nil)
    }
}
