import GRPC
import Logging
import PeerSupport
import RPC
import RelationAPI
import RelationModel
import Synchronization
import Testing

@testable import RelationClient

/// Calls in which both sides send as many messages as they like.
@Suite(.endsWhenHung)
struct CallStreamTests {
    private let watch = ScriptedWatch()

    private func stream(
        _ client: Client
    ) async throws -> CallStream<WatchRequest, WatchResponse> {
        let stream = client.stream(ChangeMethods.watch)
        try await stream.send(WatchRequest.with { $0.scope = .userID("a") })
        stream.finishSending()
        return stream
    }

    private func client(_ port: Int) -> Client { Client(host: "127.0.0.1", port: port) }

    @Test func aRawStreamSendsAndReadsBytesAsTheyAre() async throws {
        let (server, port) = try await watch.start()
        let client = client(port)
        let stream = client.stream(ChangeMethods.watch.raw)
        let request = WatchRequest.with { $0.scope = .userID("a") }
        try await stream.send(RawMessage(try request.serializedBytes()))
        stream.finishSending()
        var opened = watch.opened.makeAsyncIterator()
        let call = try #require(await opened.next())
        #expect(call.request == request)
        let answer = WatchResponse.with { $0.resumeToken = "1" }
        try call.send(answer)
        call.finish()
        let came = try await stream.next()
        #expect(came == RawMessage(try answer.serializedBytes()))
        #expect(try await stream.next() == nil)
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func aLoopReadsTheAnswersUntilTheServerEndsTheCall() async throws {
        let (server, port) = try await watch.start()
        let client = client(port)
        let stream = try await stream(client)
        var opened = watch.opened.makeAsyncIterator()
        let call = try #require(await opened.next())
        for number in 1...3 { try call.send(token: "\(number)", Int64(number)) }
        call.finish()
        var tokens: [String] = []
        for try await answer in stream { tokens.append(answer.resumeToken) }
        #expect(tokens == ["1", "2", "3"])
        #expect(try await stream.next() == nil)
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func anErrorOfTheServerIsACallErrorAfterTheAnswersBeforeIt() async throws {
        let (server, port) = try await watch.start()
        let client = client(port)
        let stream = try await stream(client)
        var opened = watch.opened.makeAsyncIterator()
        let call = try #require(await opened.next())
        try call.send(token: "1", 1)
        call.fail(RPCError(.dataLoss, "gone"))
        #expect(try await stream.next()?.resumeToken == "1")
        let error = await #expect(throws: CallError.self) { try await stream.next() }
        #expect(error?.code == .dataLoss && error?.message == "gone")
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func aTaskThatIsCancelledGetsCancellationErrorAndEndsTheCall() async throws {
        let (server, port) = try await watch.start()
        let client = client(port)
        let stream = try await stream(client)
        var opened = watch.opened.makeAsyncIterator()
        var ended = watch.ended.makeAsyncIterator()
        _ = await opened.next()
        let reader = Task { try await stream.next() }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        await ended.next()
        #expect(watch.openStreams == 0)
        // This task was not cancelled; the call has ended for it too.
        let error = await #expect(throws: CallError.self) { try await stream.next() }
        #expect(error?.code == .cancelled)
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func aSecondReaderAndASecondSenderAreRefused() async throws {
        let (server, port) = try await watch.start()
        let client = client(port)
        let stream = try await stream(client)
        var opened = watch.opened.makeAsyncIterator()
        let call = try #require(await opened.next())
        let (begun, signal) = AsyncStream<Void>.makeStream()
        // Of two readers at the same time one is refused at once, and the other goes on.
        let readers = (0..<2).map { _ in
            Task {
                do {
                    return try await stream.next()?.resumeToken ?? ""
                } catch let error as CallError {
                    signal.yield()
                    return "\(error.code)"
                }
            }
        }
        var refusals = begun.makeAsyncIterator()
        await refusals.next()
        try call.send(token: "1", 1)
        let answers = Set([try await readers[0].value, try await readers[1].value])
        #expect(answers == ["FAILED_PRECONDITION", "1"])
        let error = await #expect(throws: CallError.self) {
            try await stream.send(WatchRequest.with { $0.scope = .userID("b") })
        }
        #expect(error?.code == .failedPrecondition, "the requests have ended")
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func theLastReferenceEndsTheCall() async throws {
        let (server, port) = try await watch.start()
        let client = client(port)
        var stream: CallStream<WatchRequest, WatchResponse>? = try await stream(client)
        var opened = watch.opened.makeAsyncIterator()
        var ended = watch.ended.makeAsyncIterator()
        _ = await opened.next()
        withExtendedLifetime(stream) {}
        stream = nil
        await ended.next()
        #expect(watch.openStreams == 0)
        await client.close()
        await server.shutDownGracefully()
    }

    // MARK: Calls whose beginning takes time

    private enum NoCredential: Error { case found }

    private func client(
        _ port: Int, credential: @escaping @Sendable () async throws -> ClientCredential
    ) throws -> Client {
        var options = ClientOptions.patient(port: port)
        options.credential = .provided(credential)
        return try Client(options)
    }

    @Test func aCallBeginsWhenItsCredentialIsThere() async throws {
        let (server, port) = try await watch.start()
        let (credentials, provide) = AsyncStream<ClientCredential>.makeStream()
        let client = try client(port) {
            for await credential in credentials { return credential }
            throw NoCredential.found
        }
        let stream = client.stream(ChangeMethods.watch)
        let sending = Task {
            try await stream.send(WatchRequest.with { $0.scope = .userID("late") })
            stream.finishSending()
        }
        provide.yield(.apiKey("key"))
        try await sending.value
        var opened = watch.opened.makeAsyncIterator()
        let call = try #require(await opened.next())
        #expect(call.request.scope == .userID("late"))
        try call.send(token: "1", 1)
        #expect(try await stream.next()?.resumeToken == "1")
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func theErrorOfACredentialIsTheErrorOfTheCall() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port) { throw NoCredential.found }
        let stream = client.stream(ChangeMethods.watch)
        stream.finishSending()
        await #expect(throws: NoCredential.self) { try await stream.next() }
        let changes = client.changes(WatchRequest.with { $0.scope = .userID("a") })
            .makeAsyncIterator()
        await #expect(throws: NoCredential.self) { try await changes.next() }
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func aCallThatIsCancelledBeforeItBeginsIsNotMade() async throws {
        let (server, port) = try await watch.start()
        let (asked, signal) = AsyncStream<Void>.makeStream()
        let client = try client(port) {
            signal.yield()
            try await Task.sleep(for: .untilHung)
            return .apiKey("key")
        }
        let stream = client.stream(ChangeMethods.watch)
        let reader = Task { try await stream.next() }
        var asking = asked.makeAsyncIterator()
        await asking.next()
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        let other = client.stream(ChangeMethods.watch)
        await asking.next()
        other.cancel()
        let error = await #expect(throws: CallError.self) { try await other.next() }
        #expect(error?.code == .cancelled)
        #expect(watch.openStreams == 0)
        await client.close()
        await server.shutDownGracefully()
    }
}
