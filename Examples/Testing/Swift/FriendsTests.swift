import RelationClient
import Testing

/// Tests of a client, each in an app of its own.
@Suite(.relationDemo) struct FriendsTests {
    private let demo: RelationDemo
    private let client: Client

    init() async throws {
        demo = try #require(RelationDemo.current)
        client = try await demo.clientOfNewApp()
    }

    private func befriend(_ user: String, _ friend: String) async throws {
        let request = AddFriendsRequest.with {
            $0.userID = user
            $0.items = [
                .with {
                    $0.userID = friend
                    $0.source = "Web"
                }
            ]
        }
        let answer = try await client.call(FriendMethods.addFriends, request)
        #expect(answer.results.map(\.code) == [.success])
    }

    @Test func friendsAreListed() async throws {
        try await befriend("ann", "bob")
        var found: [String] = []
        for try await friend in client.friends(of: "bob") { found.append(friend.userID) }
        #expect(found == ["ann"])
    }

    @Test func anOverloadedServerIsAskedAgain() async throws {
        try await befriend("ann", "bob")
        let options = CallOptions(metadata: [
            "x-demo-fault": "code=UNAVAILABLE; reason=OVERLOADED; times=1; name=asked again"
        ])
        let request = ListFriendsRequest.with { $0.userID = "ann" }
        let answer = try await client.call(FriendMethods.listFriends, request, options: options)
        #expect(answer.friends.map(\.userID) == ["bob"])
    }

    @Test func aRowHasTheTimeOfTheClock() async throws {
        try await befriend("ann", "bob")
        try await demo.advance(byMilliseconds: 7 * 86_400_000)
        try await befriend("ann", "carl")
        var times: [Int64] = []
        for try await friend in client.friends(of: "ann") { times.append(friend.addTimeMs) }
        times.sort()
        #expect(try #require(times.last) - times[0] >= 7 * 86_400_000)
    }
}
