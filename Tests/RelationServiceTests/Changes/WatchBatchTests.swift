import PeerSupport
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import GRPC
@testable import RelationAdmission
@testable import RelationCalls
@testable import RelationChanges
@testable import RelationService

/// The cost of streams that begin, and of streams that are reset before they have begun.
@Suite struct WatchBatchTests {
    // MARK: Reset early

    @Test func streamsThatAreResetBeforeTheirTurnReadNothing() throws {
        let store = CountingStore()
        let harness = try WatchHarness("ann", on: store)
        let client = try harness.connect()
        // Streams that have their turn and whose reads have not begun, and streams that wait for a
        // turn.
        let ids = try (0..<WatchLimits.openingStreams * 3).map { _ in try client.watch("ann") }
        try harness.settleHub()
        #expect(harness.work.waitingReads == WatchLimits.openingStreams)
        // Drops the work that comes with the first stream of an app.
        _ = store.take()
        for id in ids { client.reset(id) }
        try harness.exchange()
        #expect(harness.work.waitingReads == 0, "no read runs for a stream without a client")
        #expect(harness.openCalls.isEmpty, "and no call waits for a read to come back")
        try harness.settle()
        #expect(store.take() == CountingStore.Counts())
        #expect(harness.hub.streamCount == 0 && harness.hub.isIdle)
    }

    @Test func aStreamThatIsResetWhileItReadsGivesItsMomentBackAndTheNextOneBegins() throws {
        let store = CountingStore()
        let harness = try WatchHarness("ann", on: store)
        let client = try harness.connect()
        let ids = try (0..<WatchLimits.openingStreams + 1).map { _ in try client.watch("ann") }
        try harness.settleHub()
        #expect(store.openSnapshots == 0, "none has begun to read")
        #expect(harness.work.runRead())
        #expect(store.openSnapshots == 1)
        try harness.settleHub()
        #expect(harness.work.waitingReads == WatchLimits.openingStreams)
        client.reset(ids[0])
        try harness.settleHub()
        #expect(store.openSnapshots == 0)
        #expect(
            harness.work.waitingReads == WatchLimits.openingStreams, "the last one has its turn")
        try harness.settle()
        for id in ids.dropFirst() { #expect(!client[id].token.isEmpty) }
        #expect(store.openSnapshots == 0)
    }

    @Test func aResetWhileAReaderIsAtWorkWaitsForIt() throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settleHub()
        // The reader has taken the read, and its answer is on the way to the loop.
        #expect(harness.work.runRead())
        client.reset(stream)
        try harness.settle()
        #expect(harness.openCalls.isEmpty)
        #expect(harness.hub.isIdle)
    }

    // MARK: Turns

    @Test func aStateOfFewRowsIsReadInOneTurn() throws {
        let harness = try WatchHarness("ann", batchRows: WatchLimits.rowsPerBatch)
        try harness.befriend("ann", count: 20)
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settleHub()
        #expect(harness.work.runRead())
        #expect(harness.work.waitingReads == 0)
        try harness.settle()
        #expect(!client[stream].token.isEmpty)
        let friends = client[stream].responses.compactMap(\.event).flatMap(\.items)
        #expect(friends.compactMap(\.friendEntry).count == 20)
    }

    @Test func whatIsLongTakesTurnsOfABoundedSize() throws {
        let harness = try WatchHarness("ann", batchRows: WatchLimits.rowsPerBatch)
        try harness.befriend("ann", count: 1_000)
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settleHub()
        var notified = 0
        var turns = 0
        while harness.work.runRead() {
            try harness.settleHub()
            let now = client[stream].responses.compactMap(\.event).flatMap(\.items).count
            // A turn may exceed its bound by its last step, which is no longer than a turn.
            #expect(now - notified <= 2 * WatchLimits.rowsPerBatch)
            notified = now
            turns += 1
        }
        #expect(!client[stream].token.isEmpty)
        // The friends come once as rows, and once as profiles.
        #expect(notified >= 2_000 && turns >= notified / (2 * WatchLimits.rowsPerBatch))
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>, [1, 7, WatchLimits.rowsPerBatch])
    func turnsOfAnySizeTellTheSame(seed: UInt64, rows: Int) throws {
        var numbers = SeededNumbers(seed: seed)
        let harness = try WatchHarness("ann", "bob", batchRows: rows)
        try harness.befriend("ann", count: Int.random(in: 90...210, using: &numbers))
        let client = try harness.connect()
        var request = WatchRequest()
        request.scope = .userIDs(StringList(["ann", "bob"]))
        let stream = try client.watch(request)
        try harness.settle()
        let token = client[stream].token
        for _ in 0..<Int.random(in: 1...250, using: &numbers) {
            try harness.change(Bool.random(using: &numbers) ? "ann" : "bob")
        }
        try harness.settle()
        request.resumeToken = token
        let again = try client.watch(request)
        try harness.settle()
        let live = client[stream].responses.drop { $0.token != token }.dropFirst()
        let missed = client[again].responses.filter { $0.event != nil }
        for user in ["ann", "bob"] {
            let sequences = [Array(live), missed].map { responses in
                responses.compactMap(\.event).filter { $0.userID == user && $0.sequence > 0 }
                    .map(\.sequence)
            }
            #expect(sequences[0] == sequences[1] && sequences[0] == sequences[0].sorted())
        }
        let friends = client[stream].responses.compactMap(\.event).flatMap(\.items)
            .compactMap(\.friendEntry).map(\.userID)
        #expect(Set(friends).count == friends.count && friends.count >= 90)
    }

    // MARK: Streams that wait for their turn

    @Test func whoLeavesTheLineLeavesNothingInIt() throws {
        var numbers = SeededNumbers(seed: 11)
        let harness = try WatchHarness("ann")
        let caller = Caller(app: harness.world.app, scopes: .all)
        var line = WaitingStreams()
        var model: [WatchStream] = []
        for _ in 0..<4_000 {
            switch Int.random(in: 0..<5, using: &numbers) {
            case 0:
                #expect(line.popFirst() === model.first)
                if !model.isEmpty { model.removeFirst() }
            case 1, 2:
                guard let index = model.indices.randomElement(using: &numbers) else { break }
                line.remove(model.remove(at: index))
            default:
                model.append(WatchStream(harness.hub, caller, .open(to: harness.apps)))
                line.append(model[model.count - 1])
            }
            #expect(line.count == model.count)
            #expect(line.heldSlots <= 2 * line.count + WaitingStreams.slack)
        }
        while let next = line.popFirst() { #expect(next === model.removeFirst()) }
        #expect(model.isEmpty && line.heldSlots <= WaitingStreams.slack)
    }
}
