import PeerSupport
import RelationAPI
import Testing

@testable import RelationClient

/// Clients that end with a scope or with a service group.
@Suite(.endsWhenHung)
struct LifetimeTests {
    private struct Ended: Error {
        let client: Client
    }

    private static let nowhere = ClientOptions(host: "127.0.0.1", port: 1)

    @Test func aClientOfAScopeIsClosedWhenTheScopeEnds() async throws {
        let client = try await withClient(Self.nowhere) { client in
            #expect(!client.isClosed)
            return client
        }
        #expect(client.isClosed)
        #expect(await failure { try await client.read() }?.isClientClosed == true)
    }

    @Test func aClientOfAScopeIsClosedWhenTheScopeFails() async throws {
        let ended = await #expect(throws: Ended.self) {
            try await withClient(Self.nowhere) { throw Ended(client: $0) }
        }
        #expect(ended?.client.isClosed == true)
        await #expect(throws: OptionsError.self) {
            try await withClient(ClientOptions(servers: [])) { _ in }
        }
    }

    @Test func aRunEndsWhenItsTaskIsCancelledAndClosesTheClient() async throws {
        let client = try Client(Self.nowhere)
        let run = Task { try await client.run() }
        run.cancel()
        try await run.value
        #expect(client.isClosed)
    }

    @Test func allRunsEndWhenTheClientIsClosed() async throws {
        let client = try Client(Self.nowhere)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...3 { group.addTask { try await client.run() } }
            await client.close()
            try await group.waitForAll()
        }
        // One that begins later ends at once.
        try await client.run()
    }

    @Test func aClientThatCanMakeNoCallDoesNotRun() async throws {
        let client = Client(host: "", port: 1)
        let error = await failure { try await client.run() }
        #expect(error?.code == .invalidArgument)
    }
}
