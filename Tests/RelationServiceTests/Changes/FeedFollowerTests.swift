import RelationCore
import RelationModel
import RelationSuite
import Storage
import Synchronization
import Testing

@testable import RelationChanges

/// The reader of a feed to which several servers write, and a feed that has lost its end.
@Suite struct FeedFollowerTests {
    private let harness: WatchHarness
    private let peers = LoneServer()
    private let follower: FeedFollower
    private let feed: Partition

    init() throws {
        harness = try WatchHarness("ann")
        follower = FeedFollower(harness.world.store, peers, harness.hub)
        feed = harness.world.app.feed
        // The follower alone tells the hub.
        harness.world.didCommit = { _ in }
    }

    /// Opens a stream, and tells it of two events.
    private func notified() throws -> (client: WatchClient, stream: Int32, position: Int64) {
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settle()
        let before = client[stream].responses.count
        for _ in 0..<2 {
            try harness.change("ann")
            follower.poll()
        }
        try harness.settle()
        #expect(client[stream].responses.count == before + 2)
        #expect(!peers.hasLostData)
        return (client, stream, try harness.world.feedState().position)
    }

    /// How a database differs from what was sent.
    enum Change: CaseIterable {
        case shorterFeed, otherEnd, noEnd, noFeed, trimmedEnd, newEvent, nothing

        var isLoss: Bool { [.shorterFeed, .otherEnd, .noEnd].contains(self) }
    }

    @Test(arguments: Change.allCases)
    func aFeedThatLacksWhatWasSentHasGoneBack(_ change: Change) throws {
        let (client, stream, position) = try notified()
        let last = UInt64(position)
        try harness.world.store.write(touching: []) { (transaction) throws(StorageError) in
            var state = try Tables.feedStates.record(feed, OnlyKey(), in: transaction)!
            var row = try Tables.feed.record(feed, last, in: transaction)!
            switch change {
            case .shorterFeed:
                state.position -= 1
                Tables.feed.remove(feed, last, in: transaction)
            case .otherEnd:
                // Another server has used the position again.
                row.timeMs += 1
                try Tables.feed.set(row, at: feed, last, in: transaction)
            case .noEnd: Tables.feed.remove(feed, last, in: transaction)
            case .noFeed:
                // The app is gone with all its rows.
                Tables.feed.remove(feed, last, in: transaction)
                return Tables.feedStates.remove(feed, OnlyKey(), in: transaction)
            case .trimmedEnd:
                state.feedFloor = state.position
                Tables.feed.remove(feed, last, in: transaction)
            case .newEvent, .nothing: return
            }
            try Tables.feedStates.set(state, at: feed, OnlyKey(), in: transaction)
        }
        let before = client[stream].responses.count
        if change == .newEvent { try harness.change("ann") }
        follower.poll()
        try harness.settle()
        #expect(peers.hasLostData == change.isLoss)
        #expect(client[stream].responses.count == before + (change == .newEvent ? 1 : 0))
    }

    /// The row at which streams begin was sent by another server.
    @Test func theBeginningOfTheStreamsIsRememberedToo() throws {
        try harness.change("ann")
        let client = try harness.connect()
        _ = try client.watch("ann")
        try harness.settle()
        follower.poll()
        try harness.world.store.write(touching: []) { (transaction) throws(StorageError) in
            let state = try Tables.feedStates.record(feed, OnlyKey(), in: transaction)!
            let last = UInt64(state.position)
            var row = try Tables.feed.record(feed, last, in: transaction)!
            row.timeMs += 1
            try Tables.feed.set(row, at: feed, last, in: transaction)
        }
        follower.poll()
        #expect(peers.hasLostData)
    }
}

/// The only server of its store, which has every lease that it asks for.
private final class LoneServer: StorePeers {
    let lease = Lease()
    let doesUpkeep = true
    let processCount = 1
    private let isBack = Atomic(false)

    var hasLostData: Bool { isBack.load(ordering: .relaxed) }

    func noteRollback() { isBack.store(true, ordering: .relaxed) }
    func renew(
        _ read: (any ReadTransaction) throws(StorageError) -> Int64
    ) throws(StorageError) -> Bool { true }
    func wait(milliseconds: Int) throws(StorageError) -> Set<PeerSignal> { [] }
    func settle(_ version: Int64, byThisProcessToo: Bool) {}
    func releaseLease() {}
    func checkTables() throws(StorageError) -> Int64 { 0 }
    func post(
        _ notes: [PeerNote], readingAfter position: NotePosition?
    ) throws(StorageError) -> PeerNotes { PeerNotes() }
    func notes(after position: NotePosition?) throws(StorageError) -> PeerNotes { PeerNotes() }
    func trimNotes(to count: Int) throws(StorageError) {}
}
