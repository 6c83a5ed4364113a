import PeerSupport
import RelationAPI
import Testing

@testable import RelationClient

/// The settings of the calls that conveniences make.
@Suite(.endsWhenHung)
struct CallSettingsTests {
    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private static let options = CallOptions(
        metadata: ["x-test": "inbox"], trace: TraceContext(parent: parent))

    @Test func theRequestsOfACacheHaveTheSettingsOfTheQuestion() async throws {
        try await ScriptedService.run { _ in
            .answer([])
        } _: { client, service, _ in
            let cache = ProfileCache(client)
            // The answers have no results, and so the questions fail.
            _ = await failure {
                _ = try await client.profiles(of: ["ben"], as: "ann", options: Self.options)
            }
            _ = await failure {
                _ = try await cache.profiles(of: ["ben"], as: "ann", options: Self.options)
            }
            #expect(service.seen.map(\.test) == ["inbox", "inbox"])
            #expect(service.seen.map(\.traceParent) == [Self.parent, Self.parent])
        }
    }

    @Test func theCallsOfAConsumerHaveItsSettings() async throws {
        try await ScriptedService.run { _ in
            .answer([])
        } _: { client, service, _ in
            var options = ConsumerOptions()
            options.calls = Self.options
            // The service has no streams, and so the reading ends at once.
            let error = await failure {
                try await client.consume(
                    "orders", .with { $0.scope = .app(true) }, options: options
                ) { _ in }
            }
            #expect(error?.code == .unimplemented)
            #expect(
                service.seen.map(\.path) == [
                    ChangeMethods.acquireConsumer.path, ChangeMethods.acknowledgeChanges.path,
                ])
            #expect(service.seen.map(\.test) == ["inbox", "inbox"])
            #expect(service.seen.map(\.traceParent) == [Self.parent, Self.parent])
        }
    }
}
