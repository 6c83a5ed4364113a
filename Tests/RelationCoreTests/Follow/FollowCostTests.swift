import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

/// The costs of calls about a followed user do not grow with its followers.
@Suite struct FollowCostTests {
    /// The rows that calls about a user with so many followers read and write.
    private struct Costs: Equatable {
        var follow = WriteTally.Counts()
        var unfollow = WriteTally.Counts()
        var block = WriteTally.Counts()
        var pages: [CountingStore.Counts] = []
        var counts = CountingStore.Counts()
        var check = CountingStore.Counts()
    }

    private func costs(_ followers: Int) throws -> Costs {
        let tally = WriteTally()
        let store = CountingStore(tally)
        let world = try World("star", "new", on: store)
        let fans = (0..<followers).map { UserID(stored: "fan\($0)".utf8) }
        for start in stride(from: 0, to: followers, by: 1_000) {
            let part = Array(fans[start..<min(start + 1_000, followers)])
            try world.create(part)
            try world.call(by: nil) { (ledger) throws(StorageError) in
                for fan in part {
                    #expect(try FollowRules.follow(fan, "star", in: ledger) == .success)
                }
            }
        }
        world.advance(milliseconds: 1)
        var costs = Costs()
        _ = tally.take()
        #expect(try world.follow("new", "star") == .success)
        costs.follow = tally.take()
        #expect(try world.followCounts("star")?.followers == Int64(followers + 1))
        _ = store.take()
        for list in FollowList.allCases {
            _ = try world.follows(list, of: "star", limit: 5)
            costs.pages.append(store.take())
        }
        _ = try world.followCounts("star")
        costs.counts = store.take()
        _ = try world.read { (transaction) throws(StorageError) in
            try Follows.check(["star"], of: "new", app: world.app, in: transaction)
        }
        costs.check = store.take()
        #expect(try world.unfollow("new", "star") == .success)
        costs.unfollow = tally.take()
        #expect(try world.follow("new", "star") == .success)
        _ = tally.take()
        #expect(try world.block("new", by: "star") == .success)
        costs.block = tally.take()
        return costs
    }

    @Test func tenThousandFollowersCostNoMoreThanTen() throws {
        let few = try costs(10)
        #expect(few == (try costs(10_000)))
        #expect(few.pages.map(\.scannedRows) == [0, 5, 0])
        // The follow, two indexes, two user records, the count, two events, the feed and its state.
        #expect(few.follow.written == 10)
    }
}
