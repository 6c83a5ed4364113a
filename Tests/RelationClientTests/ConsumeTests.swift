import GRPC
import Logging
import PeerSupport
import RelationAPI
import RelationCore
import RelationModel
import RelationService
import Storage
import Testing

@testable import RelationAdmission
@testable import RelationClient

/// Reading as a consumer, of the real service.
@Suite(.endsWhenHung)
struct ConsumeTests {
    private struct Failed: Error {}

    private static let friends = (0..<5).map { "friend\($0)" }

    /// Calls `body` with a client of a server where five changes wait for the consumer.
    private func withChanges(_ body: (Client) async throws -> Void) async throws {
        var settings = AppSettings.tim
        settings.makesAccountsImplicitly = true
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = try RelationServer(
            store: MemoryStore(),
            authenticator: .open(to: Apps([App(id: 1, settings: settings)])),
            configuration: ServerConfiguration(host: "127.0.0.1", port: 0),
            descriptors: Contract.descriptors, logger: logger)
        let client = try Client(
            ClientOptions.patient(port: try await server.start().port))
        try await acquire(client, start: .now)
        for friend in Self.friends {
            _ = try await client.call(
                FriendMethods.addFriends,
                .with {
                    $0.userID = "ann"
                    $0.items = [.with { $0.userID = friend }]
                })
        }
        try await body(client)
        await client.close()
        await server.stop()
    }

    private func acquire(_ client: Client, start: ConsumerStart = .unspecified) async throws {
        let request = AcquireConsumerRequest.with {
            $0.consumer = "orders"
            $0.start = start
            $0.takeOver = true
        }
        _ = try await client.call(ChangeMethods.acquireConsumer, request)
    }

    /// Reads as the consumer, and returns the new friends until `handle` ends the reading.
    private func consume(
        _ client: Client, takesOver: Bool = true,
        _ handle: (String, WatchResponse) async throws -> Void
    ) async throws {
        var options = ConsumerOptions()
        options.takesOver = takesOver
        options.acknowledgesAfter = 1
        let request = WatchRequest.with {
            $0.scope = .userID("ann")
            $0.kinds = [.addFriend]
        }
        try await client.consume("orders", request, options: options) { message in
            try await handle(message.event?.items.first?.userID ?? "", message)
        }
    }

    @Test func aReadingGoesOnAfterTheMessageThatEndedTheOneBefore() async throws {
        try await withChanges { client in
            var seen: [String] = []
            for count in [2, 5] {
                // The reading before has released the consumer, except for the first.
                try await consume(client, takesOver: count == 2) { friend, message in
                    seen.append(friend)
                    if seen.count == count { throw ConsumerOptions.End(after: message) }
                }
            }
            #expect(seen == Self.friends)
            var listed: [String] = []
            for try await each in client.consumers() { listed.append(each.consumer) }
            #expect(listed == ["orders"])
        }
    }

    @Test func aMessageWhoseHandlerFailedComesAgain() async throws {
        try await withChanges { client in
            var seen: [String] = []
            await #expect(throws: Failed.self) {
                try await consume(client) { friend, _ in
                    seen.append(friend)
                    if seen.count == 2 { throw Failed() }
                }
            }
            try await consume(client) { friend, message in
                seen.append(friend)
                throw ConsumerOptions.End(after: message)
            }
            #expect(seen == ["friend0", "friend1", "friend1"])
        }
    }

    @Test func aReaderThatIsFencedEnds() async throws {
        try await withChanges { client in
            var count = 0
            let error = await #expect(throws: CallError.self) {
                try await consume(client) { _, _ in
                    count += 1
                    try await acquire(client)
                }
            }
            #expect(error?.reason == "READER_FENCED")
            #expect(error?.mayPass == false)
            #expect(count == 1)
        }
    }

    @Test func aConsumerThatAnotherReaderHoldsIsBusy() async throws {
        try await withChanges { client in
            let error = await #expect(throws: CallError.self) {
                try await consume(client, takesOver: false) { _, _ in }
            }
            #expect(error?.reason == "CONSUMER_BUSY")
        }
    }
}
