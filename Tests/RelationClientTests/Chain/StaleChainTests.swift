import PeerSupport
import RelationAPI
import RelationClientTesting
import RelationModel
import Testing

@testable import RelationClient

/// The answers of the cache of chains while no server can answer.
@Suite(.endsWhenHung)
struct StaleChainTests {
    private static let away = CallError(code: .unavailable, message: "away")

    private let server = ChainServer()

    private func failNext() {
        server.double.fail(ChangeMethods.listChanges, times: 1, Self.away)
    }

    @Test func aChainThatIsTooOldIsGivenWhileTheServerIsAway() async throws {
        server.add("ben", to: "ann")
        let client = try server.client { $0.staleAge = .seconds(600) }
        _ = try await client.chain(of: "ann")
        server.add("cat", to: "ann")
        server.clock.advance(by: .seconds(659))
        failNext()
        let old = try await client.chain(of: "ann")
        #expect(old.age == .seconds(659) && old.friendCount == 1)
        #expect(client.chainCache.counts.stale == 1)
        // The server is asked again as soon as it is there.
        #expect(try await client.friendIDs("ann") == ["ben", "cat"])
    }

    @Test func aChainThatIsOlderThanAllowedIsNotGiven() async throws {
        for (staleAge, time) in [(Duration.seconds(600), 660), (.zero, 60)] {
            let client = try server.client { $0.staleAge = staleAge }
            _ = try await client.chain(of: "ann")
            server.clock.advance(by: .seconds(time))
            failNext()
            #expect(await failure { _ = try await client.chain(of: "ann") }?.code == .unavailable)
            #expect(client.chainCache.counts.stale == 0)
        }
    }

    @Test func aChainThatLacksAWriteOrAnEventIsNotGiven() async throws {
        let client = try server.client { $0.staleAge = .seconds(600) }
        _ = try await client.chain(of: "ann")
        try await client.add("ben", to: "ann")
        failNext()
        #expect(await failure { _ = try await client.chain(of: "ann") }?.code == .unavailable)
        #expect(try await client.friendIDs("ann") == ["ben"])
        server.add("cat", to: "ann")
        client.chainCache.apply(server.add("dan", to: "ann"))
        failNext()
        #expect(await failure { _ = try await client.chain(of: "ann") }?.code == .unavailable)
    }

    @Test func aDeletionIsSeenWhileTheServerIsAway() async throws {
        for friend in ["ben", "cat"] { server.add(friend, to: "ann") }
        let client = try server.client { $0.staleAge = .seconds(600) }
        _ = try await client.chain(of: "ann")
        try await client.remove("ben", from: "ann")
        server.clock.advance(by: .seconds(60))
        failNext()
        #expect(try await client.friendIDs("ann") == ["cat"])
        #expect(client.chainCache.counts.stale == 1)
    }

    @Test func aForcedQuestionAndARefusalFail() async throws {
        let client = try server.client { $0.staleAge = .seconds(600) }
        _ = try await client.chain(of: "ann")
        failNext()
        let forced = await failure { _ = try await client.chain(of: "ann", forceUpdate: true) }
        #expect(forced?.code == .unavailable)
        server.clock.advance(by: .seconds(60))
        server.double.fail(
            ChangeMethods.listChanges, times: 1,
            CallError(code: .permissionDenied, message: "no", reason: "SCOPE_MISSING"))
        #expect(await failure { _ = try await client.chain(of: "ann") }?.code == .permissionDenied)
    }
}
