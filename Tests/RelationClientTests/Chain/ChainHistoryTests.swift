import PeerSupport
import Testing

/// Random histories in which no chain of a cache is older than promised.
@Suite(.endsWhenHung)
struct ChainHistoryTests {
    @Test(arguments: [1, UInt64.random(in: 2..<1_000_000)])
    func noChainIsOlderThanPromised(seed: UInt64) async throws {
        try await ProfileService.run {
            try await ChainHistory($0, seed: seed).run(writes: 80, readers: 8)
        }
    }
}
