import GRPC
import PeerSupport
import RelationAPI
import RelationModel
import Testing

@testable import RelationClient

/// Clients that were closed, and clients that only their calls hold.
@Suite(.endsWhenHung)
struct ClosedClientTests {
    @Test func everyCallOfAClosedClientHasOneErrorOfItsOwn() async throws {
        let watch = ScriptedWatch()
        let (server, port) = try await watch.start()
        let client = Client(host: "127.0.0.1", port: port)
        var opened = watch.opened.makeAsyncIterator()
        let open = client.stream(ChangeMethods.watch)
        try await open.send(WatchRequest.with { $0.scope = .userID("a") })
        open.finishSending()
        _ = await opened.next()
        let reading = Task {
            for try await _ in client.changes(WatchRequest.with { $0.scope = .userID("a") }) {}
        }
        _ = await opened.next()
        await client.close()
        var failures: [CallError?] = [
            await failure { _ = try await open.next() },
            await failure { try await reading.value },
        ]
        for options in [CallOptions(), CallOptions(waitsForReady: true)] {
            failures.append(await failure { try await client.read(options: options) })
            failures.append(await failure { try await client.write(options: options) })
            let late = client.stream(ChangeMethods.watch, options: options)
            failures.append(await failure { _ = try await late.next() })
            failures.append(
                await failure { try await late.send(WatchRequest.with { $0.scope = .userID("a") }) }
            )
        }
        let more = client.changes(WatchRequest.with { $0.scope = .userID("a") }).makeAsyncIterator()
        failures.append(await failure { _ = try await more.next() })
        failures.append(await failure { _ = try await client.profiles(of: ["a"], as: "b") })
        for failure in failures {
            let error = try #require(failure)
            #expect(error.isClientClosed)
            #expect(error.code == .cancelled && error.reason == CallError.clientClosedReason)
            #expect(error.message == CallError.clientClosed().message)
        }
        #expect(try await more.next() == nil)
        await server.shutDownGracefully()
    }

    /// A back end that goes on until its server is back, as `Examples/Chat` does, ends with its
    /// client.
    @Test func aLoopThatGoesOnWhileTheServerIsAwayEndsWithItsClient() async throws {
        let watch = ScriptedWatch()
        let (server, port) = try await watch.start()
        let client = Client(host: "127.0.0.1", port: port)
        var opened = watch.opened.makeAsyncIterator()
        let follower = Task { try await Self.follow(client) }
        let call = try #require(await opened.next())
        try call.send(token: "1", 1)
        await client.close()
        #expect(try await follower.value == 1)
        // One that begins later makes no stream at all.
        #expect(try await Self.follow(client) == 1)
        #expect(try await Self.join(client) == 1)
        await server.shutDownGracefully()
        watch.close()
        #expect(await opened.next() == nil, "no other stream has reached the server")
    }

    /// Follows changes for ever; returns how many streams it began until its client was closed.
    private static func follow(_ client: Client) async throws -> Int {
        try await turns {
            for try await _ in client.changes(WatchRequest.with { $0.scope = .userID("a") }) {}
        }
    }

    /// Makes an account by a stream, however often it breaks; returns how many it began.
    private static func join(_ client: Client) async throws -> Int {
        try await turns {
            let stream = client.stream(AccountMethods.importAccounts)
            try await stream.send(
                ImportAccountsRequest.with { $0.row = .with { $0.userID = "a" } })
            stream.finishSending()
            for try await _ in stream {}
        }
    }

    private static func turns(_ body: () async throws -> Void) async throws -> Int {
        // One more than the loop may take: it must not spin where this test fails.
        for attempt in 1...2 {
            do {
                try await body()
            } catch let error as CallError where error.code == .unavailable {
                // The next stream waits for the server.
            } catch let error as CallError where error.isClientClosed {
                return attempt
            }
        }
        return 2
    }

    @Test func aClosedClientAsksForNoCredential() async throws {
        var options = ClientOptions(host: "127.0.0.1", port: 1)
        options.credential = .provided {
            Issue.record("it was asked")
            return .apiKey("key")
        }
        let client = try Client(options)
        await client.close()
        #expect(await failure { try await client.read() }?.isClientClosed == true)
        let stream = client.stream(ChangeMethods.watch)
        #expect(await failure { _ = try await stream.next() }?.isClientClosed == true)
    }

    @Test func aStreamKeepsItsClient() async throws {
        let watch = ScriptedWatch()
        let (server, port) = try await watch.start()
        var client: Client? = Client(host: "127.0.0.1", port: port)
        weak let known = client
        var opened = watch.opened.makeAsyncIterator()
        let stream = try #require(client).stream(ChangeMethods.watch)
        client = nil
        try await stream.send(WatchRequest.with { $0.scope = .userID("a") })
        stream.finishSending()
        let call = try #require(await opened.next())
        try call.send(token: "1", 1)
        #expect(try await stream.next()?.resumeToken == "1")
        try call.send(token: "2", 2)
        #expect(try await stream.next()?.resumeToken == "2")
        #expect(known != nil)
        stream.cancel()
        await server.shutDownGracefully()
    }
}
