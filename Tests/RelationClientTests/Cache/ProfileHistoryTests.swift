import PeerSupport
import RelationCore
import Testing

/// Random histories in which no answer of a cache is older than promised.
@Suite(.endsWhenHung)
struct ProfileHistoryTests {
    @Test(arguments: [1, UInt64.random(in: 2..<1_000_000)])
    func noAnswerIsOlderThanPromised(seed: UInt64) async throws {
        try await ProfileService.run({ $0.profileCacheSeconds = ProfileHistory.lifetime }) {
            try await ProfileHistory($0, seed: seed).run(writes: 60, readers: 12)
        }
    }
}
