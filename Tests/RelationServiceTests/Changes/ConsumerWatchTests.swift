import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationAdmission
@testable import RelationCalls
@testable import RelationChanges
@testable import RelationService

/// Streams of consumers: where they begin, and when they end.
@Suite struct ConsumerWatchTests {
    private let name = ConsumerName(stored: "orders")

    private func acquire(_ harness: WatchHarness, takesOver: Bool = true) throws -> Int64 {
        var wish = Consumers.Acquisition(name)
        wish.takesOver = takesOver
        let acquired = try harness.world.call(by: nil) { (ledger) throws(StorageError) in
            try Consumers.acquire(wish, in: ledger)
        }
        guard case .done(let record, _) = acquired else {
            throw StorageError(.unavailable, "the consumer was not acquired")
        }
        return record.reader
    }

    private func acknowledge(
        _ token: String, _ reader: Int64, _ harness: WatchHarness
    ) throws -> Consumers.Acknowledged {
        let app = harness.world.app
        var news = Consumers.Acknowledgement(ConsumerClaim(name, reader: reader))
        news.position = .init(
            try #require(ResumeToken.position(token, of: app)), in: app.history)
        return try harness.world.call(by: nil) { (ledger) throws(StorageError) in
            try Consumers.acknowledge(news, in: ledger)
        }
    }

    private func watch(
        _ client: WatchClient, as reader: Int64, token: String = ""
    ) throws -> Int32 {
        var request = WatchRequest()
        request.scope = .app(true)
        request.resumeToken = token
        request.consumer = .with { ($0.consumer, $0.reader) = ("orders", reader) }
        return try client.watch(request)
    }

    private func kinds(_ client: WatchClient, _ stream: Int32) -> [ChangeKind] {
        client[stream].responses.compactMap(\.event?.kind)
    }

    @Test func aStreamBeginsWhereTheConsumerStands() throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect()
        let reader = try acquire(harness)
        let first = try watch(client, as: reader)
        try harness.settle()
        // An earlier reader may have kept a part of the state.
        #expect(kinds(client, first).first == .resync)
        #expect(kinds(client, first).contains(.state))
        for _ in 0..<3 { try harness.change("ann") }
        try harness.settle()
        let notified = client[first].responses.suffix(3)
        #expect(notified.allSatisfy { $0.event?.kind == .profileChange })
        guard
            case .done(_, true) = try acknowledge(
                try #require(notified.first).token, reader, harness)
        else { throw StorageError(.unavailable, "it did not move") }
        client.reset(first)
        try harness.settle()

        let second = try watch(client, as: reader)
        try harness.settle()
        #expect(kinds(client, second) == [.profileChange, .profileChange])
        #expect(client.sequences(second) == Array(client.sequences(first).suffix(2)))
        // The reader's own token goes on where it was.
        let third = try watch(client, as: reader, token: client[second].token)
        try harness.settle()
        #expect(kinds(client, third) == [])
        // The newer stream of a reader ends the older one.
        #expect(client[second].reason == "READER_FENCED" && client[second].status == "10")
        #expect(client[third].status == nil)
    }

    @Test func aConsumerThatWasNotAcknowledgedBeginsAnew() throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect()
        let reader = try acquire(harness)
        for _ in 0..<2 {
            let stream = try watch(client, as: reader)
            try harness.settle()
            #expect(kinds(client, stream).first == .resync)
            client.reset(stream)
            try harness.settle()
        }
        // RESYNC here says nothing of tokens that are too old.
        #expect(harness.hub.counts().resyncs == 0)
    }

    @Test func onlyThePresentReaderOpensAStream() throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect()
        let none = try watch(client, as: 1)
        try harness.settle()
        #expect(client[none].reason == "READER_FENCED")
        let first = try acquire(harness)
        let second = try acquire(harness)
        for reader in [first, second + 1] {
            let stream = try watch(client, as: reader)
            try harness.settle()
            #expect(client[stream].reason == "READER_FENCED" && client[stream].status == "10")
        }
    }

    @Test func theStreamOfTheNextReaderEndsTheOneBefore() throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect()
        let first = try watch(client, as: try acquire(harness))
        try harness.settle()
        let second = try watch(client, as: try acquire(harness))
        try harness.settle()
        #expect(client[first].reason == "READER_FENCED")
        #expect(client[second].status == nil)
        #expect(harness.hub.counts().fenced == 1)
        try harness.change("ann")
        try harness.settle()
        #expect(kinds(client, second).last == .profileChange)
    }

    /// As if the next reader were at another server, which has no word with this one.
    @Test(arguments: [false, true])
    func aFencedReadersStreamEndsAtTheNextCheck(isDeleted: Bool) throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect()
        let stream = try watch(client, as: try acquire(harness))
        try harness.settle()
        try harness.tick(after: 1_000)
        #expect(client[stream].status == nil)
        if isDeleted {
            let isGone = try harness.world.call(by: nil) { (ledger) throws(StorageError) in
                try Consumers.delete(name, in: ledger)
            }
            #expect(isGone)
        } else {
            _ = try acquire(harness)
        }
        try harness.settle()
        #expect(client[stream].status == nil)
        try harness.tick(after: 1_000)
        #expect(client[stream].reason == "READER_FENCED")
    }

    @Test func aPositionOfAnotherHistoryBeginsAnew() throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect()
        let reader = try acquire(harness)
        let first = try watch(client, as: reader)
        try harness.settle()
        _ = try acknowledge(client[first].token, reader, harness)
        client.reset(first)
        try harness.settle()
        harness.world.settings.history = harness.world.settings.history.renewed(
            at: harness.world.now)
        harness.apps.stage(AppChange(harness.world.app))
        harness.apps.publish()
        let second = try watch(client, as: reader)
        try harness.settle()
        #expect(kinds(client, second).first == .resync)
        #expect(harness.hub.counts().resyncs == 1)
    }

    @Test func aMalformedConsumerIsRefused() throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect()
        var request = WatchRequest()
        request.scope = .app(true)
        for (consumer, reader): (String, Int64) in [("", 1), ("a b", 1), ("a", 0), ("a", -1)] {
            request.consumer = .with { ($0.consumer, $0.reader) = (consumer, reader) }
            let stream = try client.watch(request)
            try harness.settle()
            #expect(client[stream].status == "3", "\(consumer) \(reader)")
        }
    }
}
