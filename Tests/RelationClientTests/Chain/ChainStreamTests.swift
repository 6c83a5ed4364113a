import PeerSupport
import RelationAPI
import RelationClientTesting
import RelationModel
import Testing

@testable import RelationClient

/// Chains that go on by the streams that the client reads.
@Suite(.endsWhenHung)
struct ChainStreamTests {
    private let server = ChainServer()

    private func changes(_ client: Client) -> Changes.AsyncIterator {
        client.changes(.with { $0.scope = .app(true) }).makeAsyncIterator()
    }

    /// Sends a message and lets the client read it.
    private func notify(_ event: ChangeEvent?, _ changes: Changes.AsyncIterator) async throws {
        server.notify(event)
        _ = try await changes.next()
    }

    @Test func eventsKeepAChainWithoutACall() async throws {
        let client = try server.client()
        let changes = changes(client)
        try await notify(nil, changes)
        _ = try await client.chain(of: "ann")
        for friend in ["ben", "cat"] {
            server.clock.advance(by: .seconds(50))
            try await notify(server.add(friend, to: "ann"), changes)
        }
        try await notify(server.rename("ann"), changes)
        try await notify(server.remove("ben", from: "ann"), changes)
        try await notify(server.block("eve", by: "ann"), changes)
        let chain = try await client.chain(of: "ann")
        #expect(chain.friends.map(\.userID) == ["cat"] && chain.isBlacklisted("eve"))
        #expect(chain.age == .zero && chain.sequence == 5 && server.asked == [0])
        #expect(client.chainCache.counts.events == 5 && client.chainCache.counts.rows == 2)
    }

    @Test func heartbeatsKeepAChainFresh() async throws {
        let client = try server.client()
        let changes = changes(client)
        try await notify(nil, changes)
        _ = try await client.chain(of: "ann")
        for _ in 0..<10 {
            server.clock.advance(by: .seconds(25))
            try await notify(nil, changes)
        }
        server.clock.advance(by: .seconds(20))
        #expect(try await client.chain(of: "ann").age == .seconds(20))
        // A stream that is silent keeps nothing fresh.
        server.clock.advance(by: .seconds(40))
        #expect(try await client.chain(of: "ann").age == .zero)
        #expect(server.asked == [0, 0])
    }

    @Test func aStreamFollowsOnlyChainsThatWereAskedForSinceItIsLive() async throws {
        let client = try server.client()
        _ = try await client.chain(of: "ann")
        server.add("ben", to: "ann")
        let changes = changes(client)
        try await notify(nil, changes)
        server.clock.advance(by: .seconds(59))
        try await notify(nil, changes)
        server.clock.advance(by: .seconds(1))
        #expect(try await client.friendIDs("ann") == ["ben"])
        #expect(server.asked == [0, 0])
    }

    @Test func aMissingEventIsAskedFor() async throws {
        let client = try server.client()
        let changes = changes(client)
        try await notify(nil, changes)
        _ = try await client.chain(of: "ann")
        server.add("ben", to: "ann")
        try await notify(server.add("cat", to: "ann"), changes)
        #expect(try await client.friendIDs("ann") == ["ben", "cat"])
        #expect(server.asked == [0, 0] && server.loads == 1)
    }

    @Test func aStreamThatFallsBehindChangesNothing() async throws {
        let client = try server.client()
        let changes = changes(client)
        try await notify(nil, changes)
        let late = [
            server.add("ben", to: "ann"), server.remove("ben", from: "ann"),
            server.add("cat", to: "ann"),
        ]
        #expect(try await client.friendIDs("ann") == ["cat"])
        for event in late { try await notify(event, changes) }
        #expect(try await client.friendIDs("ann") == ["cat"])
        try await notify(server.add("dan", to: "ann"), changes)
        #expect(try await client.friendIDs("ann") == ["cat", "dan"])
        #expect(client.chainCache.counts.events == 1 && server.asked == [3])
    }

    @Test func thePresentStateSaysWhichChainsAreBehind() async throws {
        let client = try server.client()
        _ = try await client.chain(of: "ann")
        server.add("ben", to: "ann")
        let changes = changes(client)
        server.notify(
            .with {
                $0.kind = .state
                $0.syncType = .friends
                $0.userID = "ann"
                $0.sequence = 1
            }, token: "")
        _ = try await changes.next()
        #expect(try await client.friendIDs("ann") == ["ben"])
    }

    @Test func aLostStreamLetsTheChainAge() async throws {
        let client = try server.client()
        let changes = changes(client)
        try await notify(nil, changes)
        _ = try await client.chain(of: "ann")
        server.clock.advance(by: .seconds(50))
        try await notify(nil, changes)
        server.cut()
        let missed = server.add("ben", to: "ann")
        try await notify(missed, changes)
        // The stream went on with what it had missed. That this was all, the next message says.
        #expect(try await client.friendIDs("ann") == ["ben"])
        let age = try await client.chain(of: "ann").age
        #expect(age >= .milliseconds(50) && age <= .milliseconds(100))
        server.clock.advance(by: .seconds(59))
        try await notify(nil, changes)
        server.clock.advance(by: .seconds(1))
        #expect(server.asked == [0])
        #expect(try await client.chain(of: "ann").age == .zero)
        #expect(server.asked == [0, 1])
        server.clock.advance(by: .seconds(59))
        try await notify(nil, changes)
        #expect(try await client.chain(of: "ann").age == .zero)
        #expect(server.asked == [0, 1])
    }

    @Test func aReaderThatIsGoneKeepsNothingFresh() async throws {
        let client = try server.client()
        var reader: Changes.AsyncIterator? = changes(client)
        server.notify(nil)
        _ = try await reader?.next()
        _ = try await client.chain(of: "ann")
        server.clock.advance(by: .seconds(50))
        server.notify(nil)
        _ = try await reader?.next()
        reader = nil
        server.clock.advance(by: .seconds(59))
        #expect(try await client.chain(of: "ann").age == .seconds(59))
        server.clock.advance(by: .seconds(1))
        #expect(try await client.chain(of: "ann").age == .zero)
    }

    @Test func aResetBeginsAnew() async throws {
        let client = try server.client()
        let changes = changes(client)
        try await notify(nil, changes)
        _ = try await client.chain(of: "ann")
        server.notify(.with { $0.kind = .resync }, token: "")
        _ = try await changes.next()
        #expect(client.chainCache.counts.users == 0)
        _ = try await client.chain(of: "ann")
        #expect(server.loads == 2)
    }

    @Test func aRequestFromBeforeAResetIsNotKept() async throws {
        let client = try server.client()
        let changes = changes(client)
        try await notify(nil, changes)
        server.changesGate.shut()
        let early = Task { try await client.chain(of: "ann") }
        await server.changesGate.waiting(1)
        server.notify(.with { $0.kind = .resync }, token: "")
        _ = try await changes.next()
        server.changesGate.open()
        _ = try await early.value
        #expect(client.chainCache.counts.users == 0)
    }

    @Test func aTokenOfAnotherStoreEndsAllChains() async throws {
        let client = try server.client()
        let changes = changes(client)
        try await notify(nil, changes)
        _ = try await client.chain(of: "ann")
        server.cut(
            CallError(
                code: .invalidArgument, message: "a foreign token",
                reason: "INVALID_RESUME_TOKEN"))
        #expect(await failure { _ = try await changes.next() }?.reason == "INVALID_RESUME_TOKEN")
        #expect(client.chainCache.counts.users == 0)
    }

    @Test(arguments: [ChangeKind.accountDeleted, .accountCreated])
    func anAccountThatIsMadeOrDeletedEndsItsChain(kind: ChangeKind) async throws {
        let client = try server.client()
        let changes = changes(client)
        for user in ["ann", "ben"] { _ = try await client.chain(of: user) }
        try await notify(
            .with {
                $0.kind = kind
                $0.items = [.with { $0.userID = "ann" }]
            }, changes)
        #expect(client.chainCache.counts.users == 1)
    }

    @Test func aStreamOfOtherUsersOrEventsKeepsNothingFresh() async throws {
        let client = try server.client()
        let requests: [WatchRequest] = [
            .with { $0.scope = .userID("ben") },
            .with { $0.scope = .userIDs(.with { $0.values = ["ben"] }) },
            .with {
                $0.scope = .app(true)
                $0.kinds = [.addFriend]
            },
            .with {
                $0.scope = .app(true)
                $0.clientAppID = "shop"
            },
        ]
        for request in requests {
            let changes = client.changes(request).makeAsyncIterator()
            try await notify(nil, changes)
            _ = try await client.chain(of: "ann", forceUpdate: true)
            server.clock.advance(by: .seconds(59))
            try await notify(nil, changes)
            #expect(try await client.chain(of: "ann").age == .seconds(59))
            server.cut()
        }
    }
}
