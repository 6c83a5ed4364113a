import PeerSupport
import RelationAPI
import RelationClientTesting
import RelationModel
import Testing

@testable import RelationClient

/// The chains that a client keeps, by their age and their number.
@Suite(.endsWhenHung)
struct ChainCacheTests {
    private let server = ChainServer()

    @Test func aChainIsReadOnceAndAnswersWithoutACall() async throws {
        for friend in ["cat", "ben", "dan"] {
            server.add(friend, to: "ann", remark: "my \(friend)")
        }
        server.block("eve", by: "ann", at: 2)
        server.block("fay", by: "ann", at: 1)
        let client = try server.client()
        let first = try await client.chain(of: "ann")
        let chain = try await client.chain(of: "ann")
        #expect(chain == first && chain.userID == "ann" && chain.sequence == 5)
        #expect(chain.age == .zero && chain.friendCount == 3 && chain.blacklistCount == 2)
        #expect(chain.friends.map(\.userID) == ["ben", "cat", "dan"])
        #expect(chain.blacklist.map(\.userID) == ["fay", "eve"])
        #expect(chain.friend("cat")?.remark == "my cat" && chain.friend("eve") == nil)
        #expect(chain.isBlacklisted("eve") && !chain.isBlacklisted("ben"))
        let cache = client.chainCache
        #expect(try await cache.isFriend("ben", of: "ann"))
        #expect(try await !cache.isFriend("eve", of: "ann"))
        #expect(try await cache.isBlacklisted("eve", by: "ann"))
        #expect(server.loads == 1 && server.asked == [5])
        var counts = ChainCacheCounts()
        (counts.hits, counts.misses, counts.loads) = (4, 1, 1)
        (counts.users, counts.rows) = (1, 5)
        #expect(cache.counts == counts)
    }

    @Test func aChainThatIsTooOldGoesOnByEvents() async throws {
        server.add("ben", to: "ann")
        let client = try server.client()
        #expect(try await client.friendIDs("ann") == ["ben"])
        server.add("cat", to: "ann")
        server.rename("ann")
        server.add("dan", to: "ann")
        server.remove("ben", from: "ann")
        server.clock.advance(by: .seconds(59))
        let old = try await client.chain(of: "ann")
        #expect(old.friends.map(\.userID) == ["ben"] && old.age == .seconds(59))
        server.clock.advance(by: .seconds(1))
        let fresh = try await client.chain(of: "ann")
        #expect(fresh.friends.map(\.userID) == ["cat", "dan"])
        #expect(fresh.age == .zero && fresh.sequence == 5)
        #expect(server.loads == 1 && server.asked == [1, 1])
    }

    @Test func aForcedQuestionAsksWhateverIsKept() async throws {
        let client = try server.client()
        _ = try await client.chain(of: "ann")
        server.add("ben", to: "ann")
        #expect(try await client.friendIDs("ann") == [])
        #expect(try await client.chain(of: "ann", forceUpdate: true).isFriend("ben"))
        #expect(try await client.friendIDs("ann") == ["ben"])
        #expect(server.loads == 1)
    }

    @Test func withAnAgeOfZeroEachQuestionAsks() async throws {
        let client = try server.client { $0.maxAge = .seconds(-1) }
        for friend in ["ben", "cat", "dan"] {
            server.add(friend, to: "ann")
            #expect(try await client.chain(of: "ann").isFriend(friend))
        }
        #expect(server.loads == 1 && server.asked == [1, 1, 2])
    }

    @Test func aChainIsReadWholeAfterADay() async throws {
        let client = try server.client()
        _ = try await client.chain(of: "ann")
        server.clock.advance(by: ChainCacheOptions.wholeAge - .seconds(1))
        _ = try await client.chain(of: "ann")
        #expect(server.loads == 1)
        server.clock.advance(by: .seconds(1))
        _ = try await client.chain(of: "ann")
        #expect(server.loads == 2)
    }

    @Test func idsAreEqualByTheirBytes() async throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        server.add(composed, to: "ann")
        let client = try server.client()
        let chain = try await client.chain(of: "ann")
        #expect(chain.isFriend(composed) && !chain.isFriend(decomposed))
    }

    // MARK: Bounds

    @Test func theChainThatWasNotUsedForTheLongestTimeLeaves() async throws {
        let client = try server.client { $0.users = 2 }
        for user in ["ann", "ben", "ann", "cat"] { _ = try await client.chain(of: user) }
        #expect(client.chainCache.counts.users == 2 && client.chainCache.counts.evictions == 1)
        _ = try await client.chain(of: "ann")
        #expect(server.loads == 3)
        _ = try await client.chain(of: "ben")
        #expect(server.loads == 4)
    }

    @Test func chainsHaveNoMoreRowsThanAllowed() async throws {
        for friend in ["ben", "cat", "dan"] { server.add(friend, to: "ann") }
        server.add("ann", to: "ben")
        let client = try server.client { $0.rows = 3 }
        _ = try await client.chain(of: "ben")
        #expect(client.chainCache.counts.rows == 1)
        _ = try await client.chain(of: "ann")
        #expect(client.chainCache.counts.rows == 3 && client.chainCache.counts.users == 1)
        // One more by an event, and one more by a request.
        client.chainCache.apply(server.add("eve", to: "ann"))
        #expect(client.chainCache.counts.rows == 0)
        #expect(try await client.chain(of: "ann").friendCount == 4)
        #expect(client.chainCache.counts.users == 0)
    }

    @Test func withoutUsersNothingIsKept() async throws {
        let client = try server.client { $0.users = 0 }
        for _ in 0..<2 { _ = try await client.chain(of: "ann") }
        #expect(server.loads == 2 && client.chainCache.counts.users == 0)
    }

    @Test func optionsAreWithinTheirBounds() {
        var options = ChainCacheOptions()
        (options.users, options.rows) = (.max, .max)
        (options.maxAge, options.staleAge) = (.seconds(-1), .seconds(Int64.max))
        let high = options.bounded
        #expect(high.users == ChainCacheOptions.mostUsers)
        #expect(high.rows == ChainCacheOptions.mostRows)
        #expect(high.maxAge == .zero && high.staleAge == ChainCacheOptions.mostStaleAge)
        options.maxAge = .seconds(Int64.max)
        #expect(options.bounded.maxAge == ChainCacheOptions.wholeAge)
        (options.users, options.rows, options.staleAge) = (-1, -1, .seconds(-1))
        let low = options.bounded
        #expect(low.users == 0 && low.rows == 0 && low.staleAge == .zero)
    }

    @Test func theUserOfACredentialIsNotKept() async throws {
        let client = try server.client()
        for _ in 0..<2 { _ = try await client.chain(of: "") }
        #expect(server.loads == 2 && client.chainCache.counts.users == 0)
    }

    @Test func removeAllForgetsEverything() async throws {
        let client = try server.client()
        _ = try await client.chain(of: "ann")
        client.chainCache.removeAll()
        #expect(client.chainCache.counts.users == 0)
        _ = try await client.chain(of: "ann")
        #expect(server.loads == 2)
    }

    // MARK: Tasks

    @Test func tasksShareTheRequestsForAChain() async throws {
        server.add("ben", to: "ann")
        let client = try server.client()
        server.changesGate.shut()
        let tasks = (0..<20).map { _ in Task { try await client.friendIDs("ann") } }
        let cancelled = Task { try await client.friendIDs("ann") }
        while client.chainCache.counts.misses < 21 { await Task.yield() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        server.changesGate.open()
        for task in tasks { #expect(try await task.value == ["ben"]) }
        #expect(server.loads == 1)
    }

    @Test func anErrorIsThatOfTheRequestAndNothingIsKept() async throws {
        let client = try server.client()
        let refusal = CallError(code: .notFound, message: "no such user")
        server.double.fail(ChangeMethods.getSequence, times: 1, refusal)
        #expect(await failure { _ = try await client.chain(of: "ann") }?.code == .notFound)
        #expect(client.chainCache.counts.users == 0)
        _ = try await client.chain(of: "ann")
    }
}
