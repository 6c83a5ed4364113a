import PeerSupport
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import GRPC
@testable import RelationCalls
@testable import RelationChanges
@testable import RelationService

/// Streams of changes and long events: events that an app's settings allow, and events that an
/// older version wrote.
@Suite struct WatchLongTests {
    private static let friends = (10..<30).map { "F\($0)" }

    /// Ann's friends, with rows of the given number of bytes.
    private func harness(
        _ bytes: Int, on store: any Store = MemoryStore(), maxSentMessageBytes: Int = 4 << 20
    ) throws -> WatchHarness {
        let harness = try WatchHarness("ann", on: store, maxSentMessageBytes: maxSentMessageBytes)
        try harness.world.create(Self.friends.map { UserID(stored: $0.utf8) })
        for friend in Self.friends {
            let outcome = try harness.world.importFriend(UserID(stored: friend.utf8), of: "ann") {
                $0.custom = [CustomValue("Long", .data([UInt8](repeating: 120, count: bytes)))]
            }
            try #require(outcome == .success)
        }
        return harness
    }

    /// Makes one call that changes the rows of all friends.
    private func change(_ harness: WatchHarness, to remark: String) throws {
        try harness.world.call(by: "ann") { (ledger) throws(StorageError) in
            for friend in Self.friends {
                var change = FriendItem(user: UserID(stored: friend.utf8))
                change.values.remark = remark
                _ = try FriendRules.update(change, of: "ann", in: ledger)
            }
        }
    }

    @Test func whoTakesALongEventGetsTheNextOnesToo() throws {
        let harness = try harness(500_000)
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settle()
        let before = try harness.world.userRecord(of: "ann")!.sequence
        client.takes = false
        try change(harness, to: "new")
        try harness.settle()
        // A short event comes while the stream is busy with the first of three.
        try harness.change("ann")
        try harness.settle()
        #expect(client[stream].status == nil)
        client.takes = true
        client.payAll()
        try harness.settle()
        #expect(client[stream].status == nil)
        #expect(client.sequences(stream) == Array(before + 1...before + 4))
        try harness.change("ann")
        try harness.settle()
        #expect(client.sequences(stream).last == before + 5, "and it is live again")
    }

    @Test func whoTakesNothingOfALongEventIsTooSlowInTheEnd() throws {
        let harness = try harness(500_000)
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settle()
        client.takes = false
        try change(harness, to: "new")
        try harness.settle()
        #expect(client[stream].status == nil)
        try harness.tick(after: WatchLimits.openingMs + 1_000)
        client.takes = true
        client.payAll()
        try harness.settle()
        #expect(client[stream].reason == "SLOW_READER")
    }

    @Test func longEventsThatComeWhileAStreamReadsAreReadAgainAndNotKept() throws {
        let harness = try harness(500_000)
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settleHub()
        let before = try harness.world.userRecord(of: "ann")!.sequence
        #expect(harness.work.runRead())
        try change(harness, to: "new")
        try harness.settle()
        #expect(client.sequences(stream) == Array(before + 1...before + 3))
    }

    // MARK: Events of an older version

    /// Joins the events of the last call into one, as old versions wrote them.
    private func join(_ harness: WatchHarness, after before: Int64) throws {
        let events = try harness.world.log(of: "ann").filter { $0.sequence > before }
        var long = events[0].1
        for (_, event) in events.dropFirst() { long.items += event.items }
        try harness.world.write { (transaction) throws(StorageError) in
            let partition = harness.world.app.partition(of: "ann")
            try Tables.changes.set(
                long, at: partition, UInt64(events[0].sequence), in: transaction)
        }
    }

    @Test(arguments: ["user", "users", "app"])
    func anEventThatNoMessageHoldsIsPassedByAPresentState(scope: String) throws {
        let harness = try harness(500_000)
        let client = try harness.connect()
        var request = WatchRequest()
        switch scope {
        case "user": request.scope = .userID("ann")
        case "users": request.scope = .userIDs(StringList(["F10", "ann"]))
        default: request.scope = .app(true)
        }
        let first = try client.watch(request)
        try harness.settle()
        request.resumeToken = client[first].token
        client.reset(first)
        try harness.settle()
        let before = try harness.world.userRecord(of: "ann")!.sequence
        try harness.change("F10")
        try change(harness, to: "new")
        try join(harness, after: before)
        let stream = try client.watch(request)
        try harness.settle()
        let events = client[stream].responses.compactMap(\.event)
        #expect(events.contains { $0.kind == .resync })
        let notified = events.filter { $0.kind == .state }.flatMap(\.items).compactMap(
            \.friendEntry)
        #expect(notified.count { $0.remark == "new" } == Self.friends.count)
        try harness.change("ann")
        try harness.settle()
        #expect(client[stream].status == nil)
        #expect(client[stream].responses.last?.event?.kind == .profileChange, "it is live")
    }

    @Test func aLogWithSuchAnEventIsReadAnew() throws {
        let harness = try harness(500_000)
        let before = try harness.world.userRecord(of: "ann")!.sequence
        try harness.change("ann")
        try change(harness, to: "new")
        try join(harness, after: before + 1)
        func list(
            since sequence: Int64, _ check: (ListChangesResponseView) throws -> Void
        ) throws {
            var request = ListChangesRequest()
            request.userID = "ann"
            request.sinceSequence = sequence
            try ServiceHarness(harness.world).read(request, ChangeHandlers.list) {
                try check(#require($0))
            }
        }
        try list(since: before) { page in
            #expect(page.events.count == 1 && !page.nextPageToken.isEmpty && !page.resync)
        }
        try list(since: before + 1) { rest in
            #expect(rest.events.isEmpty && rest.resync && rest.nextPageToken.isEmpty)
            #expect(rest.sequence == before + 4)
        }
    }

    // MARK: Events that cannot be sent

    @Test(arguments: ["while it opens", "while it is live"])
    func aStreamThatFailsGivesBackWhatItHeld(when: String) throws {
        let store = CountingStore()
        let isOpening = when == "while it opens"
        let harness = try harness(5_000, on: store, maxSentMessageBytes: 20_000)
        let client = try harness.connect()
        var request = WatchRequest()
        request.scope = .userID("ann")
        if !isOpening { request.kinds = [.profileChange] }
        let stream = try client.watch(request)
        try harness.settle()
        if !isOpening {
            #expect(client[stream].status == nil)
            try harness.change("ann", bytes: 30_000)
            try harness.settle()
        }
        #expect(client[stream].status == "8")
        #expect(harness.openCalls.isEmpty)
        #expect(store.openSnapshots == 0)
        #expect(harness.hub.streamCount == 0 && harness.hub.isIdle)
    }
}
