import PeerSupport
import RelationAPI
import RelationModel
import Testing

@testable import RelationClient

/// The answers of a cache while no server can answer.
@Suite(.endsWhenHung)
struct StaleProfileTests {
    private static let away = CallError(code: .unavailable, message: "away")

    private let clock = FakeClock()
    private let server = AskedServer(lifetime: 60)

    private func cache(_ staleAge: Duration) -> ProfileCache {
        var options = ProfileCacheOptions()
        options.staleAge = staleAge
        return ProfileCache(server, ProfileStore(options, clock: clock))
    }

    private func nicks(_ cache: ProfileCache, _ users: [String]) async throws -> [String?] {
        try await cache.profiles(of: users, as: "ann").map { $0.profile?.nick }
    }

    @Test func anAnswerThatIsTooOldIsGivenWhileTheServerIsAway() async throws {
        let cache = cache(.seconds(600))
        #expect(try await nicks(cache, ["ben", "cat"]) == ["ben", "cat"])
        clock.advance(by: .seconds(659))
        server.fail(Self.away)
        #expect(try await nicks(cache, ["ben", "cat", "ben"]) == ["ben", "cat", "ben"])
        #expect(cache.counts.stale == 3)
        // The server is asked again as soon as it is there.
        #expect(try await nicks(cache, ["ben"]) == ["ben"])
        #expect(server.count == 3 && cache.counts.stale == 3)
    }

    @Test func anAnswerThatIsOlderThanAllowedIsNotGiven() async throws {
        for (staleAge, time) in [(Duration.seconds(600), 660), (.zero, 60), (.seconds(-1), 60)] {
            let cache = cache(staleAge)
            _ = try await nicks(cache, ["ben"])
            clock.advance(by: .seconds(time))
            server.fail(Self.away)
            #expect(await failure { _ = try await nicks(cache, ["ben"]) } == Self.away)
            #expect(cache.counts.stale == 0)
        }
    }

    @Test func aQuestionFailsIfOneOfItsAnswersIsMissing() async throws {
        let cache = cache(.seconds(600))
        _ = try await nicks(cache, ["ben"])
        clock.advance(by: .seconds(61))
        server.fail(Self.away)
        #expect(await failure { _ = try await nicks(cache, ["ben", "cat"]) } == Self.away)
    }

    @Test func anAnswerThatWasEndedIsNotGiven() async throws {
        let cache = cache(.seconds(600))
        _ = try await nicks(cache, ["ben"])
        cache.apply(
            ChangeEvent.with {
                $0.kind = .profileChange
                $0.userID = "ben"
            })
        server.fail(Self.away)
        #expect(await failure { _ = try await nicks(cache, ["ben"]) } == Self.away)
    }

    @Test func aForcedQuestionAndARefusalFail() async throws {
        let cache = cache(.seconds(600))
        _ = try await nicks(cache, ["ben"])
        server.fail(Self.away)
        let forced = await failure {
            _ = try await cache.profiles(of: ["ben"], as: "ann", forceUpdate: true)
        }
        #expect(forced == Self.away)
        clock.advance(by: .seconds(61))
        let refusal = CallError(code: .permissionDenied, message: "no")
        server.fail(refusal)
        #expect(await failure { _ = try await nicks(cache, ["ben"]) } == refusal)
    }

    @Test func theLongestStaleAgeIsAYear() async throws {
        let cache = cache(.seconds(Int64.max))
        _ = try await nicks(cache, ["ben"])
        clock.advance(by: .seconds(60) + ProfileCacheOptions.mostStaleAge - .seconds(1))
        server.fail(Self.away)
        #expect(try await nicks(cache, ["ben"]) == ["ben"])
        clock.advance(by: .seconds(1))
        server.fail(Self.away)
        #expect(await failure { _ = try await nicks(cache, ["ben"]) } == Self.away)
    }
}
