import PeerSupport
import RelationAPI
import RelationModel
import RelationSuite
import Testing

@testable import GRPC
@testable import RelationAdmission
@testable import RelationCalls
@testable import RelationChanges
@testable import RelationService

/// The way of events from commits to streams: on which thread, in which order, with which tokens.
@Suite struct DeliveryTests {
    // MARK: On the committer's thread

    @Test func aSmallCommitIsDeliveredWithoutTheHubsThread() throws {
        let harness = try WatchHarness("ann", promptEvents: WatchLimits.promptEvents)
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settle()
        for count in 1...3 {
            try harness.change("ann")
            try harness.exchange()
            #expect(client.sequences(stream).count == count)
        }
        #expect(!harness.work.runHub(), "nothing woke the hub")
    }

    @Test(arguments: [WatchLimits.promptEvents, WatchLimits.promptEvents + 1])
    func aCommitForManyStreamsIsLeftToTheHub(streams: Int) throws {
        let harness = try WatchHarness("ann", promptEvents: WatchLimits.promptEvents)
        let client = try harness.connect()
        let ids = try (0..<streams).map { _ in try client.watch("ann") }
        try harness.settle()
        try harness.change("ann")
        try harness.exchange()
        let isPrompt = streams <= WatchLimits.promptEvents
        for id in ids { #expect(client.sequences(id) == (isPrompt ? [1] : [])) }
        try harness.settle()
        for id in ids { #expect(client.sequences(id) == [1]) }
    }

    @Test func aProfileThatOthersMaySeeIsLeftToTheHub() throws {
        let harness = try WatchHarness("ann", "bob", promptEvents: WatchLimits.promptEvents)
        let client = try harness.connect()
        let anns = try client.watch("ann")
        let bobs = try client.watch("bob")
        try harness.settle()
        try harness.change("ann")
        try harness.exchange()
        #expect(client.sequences(anns) == [], "only the store knows the receivers")
        try harness.settle()
        #expect(client.sequences(anns) == [1])
        #expect(client.sequences(bobs) == [])
    }

    @Test func aCommitWaitsForWhatCameToTheHubBefore() throws {
        let harness = try WatchHarness("ann", promptEvents: WatchLimits.promptEvents)
        let client = try harness.connect()
        let live = try client.watch("ann")
        try harness.settle()
        let opening = try client.watch("ann")
        try harness.exchange()
        try harness.change("ann")
        try harness.exchange()
        #expect(client.sequences(live) == [])
        try harness.settle()
        #expect(client.sequences(live) == [1])
        // The event was in the state that the later stream read.
        #expect(client[opening].responses.contains { $0.event?.sequence == 1 })
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func whoeverDeliversEveryStreamGetsEverythingInOrder(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let harness = try WatchHarness("ann", events: 40, promptEvents: WatchLimits.promptEvents)
        let client = try harness.connect()
        var ids = [try client.watch("ann")]
        try harness.settle()
        var begins = [0]
        var count = 0
        for _ in 0..<400 {
            switch Int.random(in: 0..<8, using: &numbers) {
            case 0 where ids.count < 20:
                ids.append(try client.watch("ann", token: client[ids[0]].token))
                begins.append(client.sequences(ids[0]).count)
            case 1: _ = harness.work.runHub()
            case 2: _ = harness.work.runRead()
            case 3, 4: try harness.exchange()
            default:
                try harness.change("ann")
                count += 1
            }
        }
        try harness.settle()
        for (id, begin) in zip(ids, begins) {
            #expect(client.sequences(id) == Array(Int64(begin + 1)...Int64(count)))
        }
    }

    // MARK: Tokens

    @Test func oneTokenServesAllWhoGetNothingMoreInATurn() throws {
        let harness = try WatchHarness("ann", "bob")
        let client = try harness.connect()
        let anns = try client.watch("ann")
        let bobs = try client.watch("bob")
        try harness.settle()
        try harness.change("ann")
        try harness.change("ann")
        try harness.change("bob")
        try harness.settle()
        let tokens = client[anns].responses.suffix(2).map(\.token)
        #expect(tokens[1] == client[bobs].token)
        #expect(tokens[0] != tokens[1])
        let again = try client.watch("ann", token: tokens[0])
        try harness.settle()
        #expect(client.sequences(again) == [2])
    }

    @Test func aStreamOfSeveralUsersGoesOnFromBetweenTheMessagesOfOneEvent() throws {
        let harness = try WatchHarness("ann", "bob")
        let (ann, bob) = (UserID(stored: "ann".utf8), UserID(stored: "bob".utf8))
        _ = try harness.world.add(ann, to: bob, .both)
        let client = try harness.connect()
        var request = WatchRequest()
        request.scope = .userIDs(StringList(["ann", "bob"]))
        let stream = try client.watch(request)
        let bobs = try client.watch("bob")
        try harness.settle()
        try harness.change("ann")
        try harness.change("bob")
        try harness.settle()
        let notified = client[stream].responses.suffix(4)
        #expect(notified.map { $0.userIDs.isEmpty } == [false, true, false, true])
        #expect(client[bobs].token == client[stream].token)
        for (index, response) in notified.enumerated() {
            request.resumeToken = response.token
            let again = try client.watch(request)
            try harness.settle()
            #expect(client.sequences(again).count == [2, 1, 1, 0][index])
        }
    }

    // MARK: Streams by their users

    @Test func aSetOfStreamsKeepsWhatWasPutInAndNotTakenOut() throws {
        var numbers = SeededNumbers(seed: 7)
        let harness = try WatchHarness("ann")
        let caller = Caller(app: harness.world.app)
        let authenticator = Authenticator.open(to: harness.apps)
        let streams = (0..<60).map { _ in WatchStream(harness.hub, caller, authenticator) }
        var set = StreamSet()
        var known: Set<ObjectIdentifier> = []
        for _ in 0..<2_000 {
            let stream = streams.randomElement(using: &numbers)!
            if known.remove(ObjectIdentifier(stream)) != nil {
                set.remove(stream)
            } else {
                set.insert(stream)
                known.insert(ObjectIdentifier(stream))
            }
            #expect(set.count == known.count)
            #expect(Set(set.map(ObjectIdentifier.init)) == known)
        }
    }
}
