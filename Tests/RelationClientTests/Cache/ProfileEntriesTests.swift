import RelationAPI
import Testing

@testable import RelationClient

/// The most entries and the most bytes that a cache keeps.
@Suite struct ProfileEntriesTests {
    private func entries() -> ProfileEntries {
        var options = ProfileCacheOptions()
        (options.entries, options.bytes) = (.max, .max)
        return ProfileEntries(options.bounded, usersPerRequest: 1_000)
    }

    /// Asks for users with these numbers, and answers each with `entry`.
    private func fill(
        _ entries: inout ProfileEntries, _ numbers: Range<Int>, with entry: KeptProfile
    ) {
        var question = ProfileQuestion(numbers.map { "\($0)" }, as: "alice", isForced: false)
        for fetch in entries.lookUp(&question, at: question.users.indices, now: .zero) {
            let fetched = FetchedProfiles(
                results: fetch.items.map { _ in entry }, lifetime: .seconds(1))
            entries.finish(fetch, .success(fetched))
        }
    }

    @Test func atMostAQuarterOfAMillionEntriesAreKept() {
        var entries = entries()
        let entry = KeptProfile(GetProfileResult.with { $0.code = .success }, bytes: 1)
        let most = ProfileCacheOptions.mostEntries
        for start in stride(from: 0, to: most, by: 1_000) {
            fill(&entries, start..<start + 1_000, with: entry)
        }
        #expect(entries.counts.entries == most && entries.counts.evictions == 0)
        fill(&entries, most..<most + 3, with: entry)
        #expect(entries.counts.entries == most && entries.counts.evictions == 3)
        entries.checkInvariants()
        entries.removeAll()
        entries.checkInvariants()
        #expect(entries.counts.entries == 0)
    }

    @Test func atMostEightGibibytesAreKept() {
        var entries = entries()
        let entry = KeptProfile(GetProfileResult.with { $0.code = .success }, bytes: 1 << 30)
        fill(&entries, 0..<8, with: entry)
        #expect(entries.counts.bytes == ProfileCacheOptions.mostBytes)
        fill(&entries, 8..<9, with: entry)
        #expect(entries.counts.bytes == ProfileCacheOptions.mostBytes)
        #expect(entries.counts.evictions == 1)
        entries.checkInvariants()
    }
}
