import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Synchronization
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

/// A store that counts the rows that its writes read and write.
private final class WriteTally: Store {
    struct Counts: Equatable {
        var read = 0
        var scanned = 0
        var written = 0
    }

    private let inner: any Store = MemoryStore()
    private let counts = Mutex(Counts())

    func take() -> Counts {
        counts.withLock { counts in
            defer { counts = Counts() }
            return counts
        }
    }

    var isLocal: Bool { inner.isLocal }

    func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try inner.read(reaching: reach, body)
    }

    func snapshot() throws(StorageError) -> any Snapshot { try inner.snapshot() }

    func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try inner.write(touching: partitions) { (transaction) throws(StorageError) in
            let counting = TallyTransaction(transaction)
            defer {
                counts.withLock { counts in
                    counts.read += counting.counts.read
                    counts.scanned += counting.counts.scanned
                    counts.written += counting.counts.written
                }
            }
            return try body(counting)
        }
    }

    func close() { inner.close() }
}

private final class TallyTransaction: ForwardingTransaction {
    let inner: any WriteTransaction
    private(set) var counts = WriteTally.Counts()

    init(_ inner: any WriteTransaction) {
        self.inner = inner
    }

    func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        counts.read += keys.count
        try inner.read(keys, body)
    }

    func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        try inner.scan(range, order, limit: limit) { key, value in
            counts.scanned += 1
            return body(key, value)
        }
    }

    func set(_ key: Key, to value: [UInt8]) {
        counts.written += 1
        inner.set(key, to: value)
    }

    func remove(_ key: Key) {
        counts.written += 1
        inner.remove(key)
    }
}
