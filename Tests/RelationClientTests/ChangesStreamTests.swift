import GRPC
import PeerSupport
import RPC
import RelationAPI
import RelationCalls
import RelationModel
import Synchronization
import Testing

@testable import RelationClient

/// The streams of changes: their requests, their silence, and the places where they are lost.
@Suite(.endsWhenHung)
struct ChangesStreamTests {
    private let clock = FakeClock()
    private let watch = ScriptedWatch()

    private func client(
        _ port: Int, _ change: (inout ClientOptions) -> Void = { _ in }
    ) throws -> Client {
        var options = ClientOptions.patient(port: port)
        change(&options)
        let numbers = Mutex(SeededNumbers(seed: 17))
        return try Client(options, clock: clock) { numbers.withLock { $0.next() } }
    }

    /// Lets the time of each wait for a try pass at once, and tells the tries.
    private func options(_ heartbeat: Duration?) -> (ChangesOptions, AsyncStream<Reconnection>) {
        let (tries, received) = AsyncStream<Reconnection>.makeStream()
        let clock = clock
        let options = ChangesOptions(
            onReconnect: { reconnection in
                received.yield(reconnection)
                Task {
                    await clock.sleepers(1)
                    clock.advance(by: reconnection.wait)
                }
            }, heartbeat: heartbeat)
        return (options, tries)
    }

    private func reading(
        _ client: Client, _ request: WatchRequest, _ options: ChangesOptions
    ) -> (messages: AsyncStream<WatchResponse>, task: Task<Void, any Error>) {
        let (messages, received) = AsyncStream<WatchResponse>.makeStream()
        let changes = client.changes(request, options: options)
        let task = Task {
            defer { received.finish() }
            for try await message in changes { received.yield(message) }
        }
        return (messages, task)
    }

    // MARK: Requests

    @Test func aStreamAsksForHeartbeatsAndShowsItsMetadata() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        var opened = watch.opened.makeAsyncIterator()
        let asked: [(WatchRequest, ChangesOptions, Int64)] = [
            (
                WatchRequest.with {
                    $0.scope = .userID("a")
                }, ChangesOptions(metadata: ["x-test": "yes"]), 25_000
            ),
            (
                WatchRequest.with {
                    $0.scope = .userID("a")
                }, ChangesOptions(heartbeat: .milliseconds(2_500)), 2_500
            ),
            (
                WatchRequest.with {
                    $0.scope = .userID("a")
                    $0.heartbeatMs = 5_000
                }, ChangesOptions(), 5_000
            ),
            (WatchRequest.with { $0.scope = .userID("a") }, ChangesOptions(heartbeat: nil), 0),
            (
                WatchRequest.with {
                    $0.scope = .userID("a")
                }, ChangesOptions(heartbeat: .seconds(Int64.max)), .max
            ),
        ]
        for (request, options, heartbeatMs) in asked {
            let (_, task) = reading(client, request, options)
            let stream = try #require(await opened.next())
            #expect(stream.request.heartbeatMs == heartbeatMs)
            #expect(stream.metadata == options.metadata["x-test"])
            task.cancel()
        }
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func aCredentialThatExpiredIsAskedForOnceMore() async throws {
        let (server, port) = try await watch.start()
        let asked = Mutex(0)
        let client = try client(port) {
            $0.credential = .provided {
                asked.withLock { $0 += 1 }
                return .apiKey("key")
            }
        }
        let (options, tries) = options(nil)
        let (messages, task) = reading(
            client, WatchRequest.with { $0.scope = .userID("a") }, options)
        var opened = watch.opened.makeAsyncIterator()
        var received = messages.makeAsyncIterator()
        let expired = RPCError(.unauthenticated, .credentialExpired, "too old")
        let first = try #require(await opened.next())
        try first.send(token: "t", 1)
        _ = await received.next()
        first.fail(expired)
        let second = try #require(await opened.next())
        #expect(asked.withLock { $0 } == 2)
        try second.send(token: "t", 2)
        _ = await received.next()
        second.fail(expired)
        // The credential that is provided now is no better.
        try #require(await opened.next()).fail(expired)
        let result = await task.result
        #expect(throws: CallError.self) { try result.get() }
        #expect(asked.withLock { $0 } == 3)
        var reconnections = tries.makeAsyncIterator()
        #expect(await reconnections.next()?.error.knownReason == .credentialExpired)
        await client.close()
        await server.shutDownGracefully()
    }

    // MARK: Silence

    @Test(arguments: [1, 60])
    func aLiveStreamOnWhichNothingComesIsFoundDead(heartbeat: Int) async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let (tries, lost) = AsyncStream<Reconnection>.makeStream()
        let options = ChangesOptions(
            onReconnect: { lost.yield($0) }, heartbeat: .seconds(heartbeat))
        let (messages, task) = reading(
            client, WatchRequest.with { $0.scope = .userID("a") }, options)
        var opened = watch.opened.makeAsyncIterator()
        var received = messages.makeAsyncIterator()
        let silence = max(Changes.leastSilence, .seconds(3 * heartbeat))
        let stream = try #require(await opened.next())
        // The end of all that was missed: from now on the server sends heartbeats.
        for _ in 0..<5 {
            try stream.send(WatchResponse.with { $0.resumeToken = "one" })
            _ = await received.next()
            await clock.sleepers(1)
            #expect(clock.nextWaking == silence / 2, "it looks at the stream")
            clock.advance(by: silence / 2)
        }
        // A look counts while the reader waits. It has reported the last message, and comes to that
        // with its next turn.
        for _ in 0..<50_000 { await Task.yield() }
        // The sleeper is the task that looks, until it is the reader that waits for its next try.
        var quiet = Duration.zero
        await clock.sleepers(1)
        while let next = clock.nextWaking, next > Changes.firstWait {
            clock.advance(by: next)
            quiet += next
            await clock.sleepers(1)
        }
        #expect(quiet <= silence * 3 / 2)
        var reconnections = tries.makeAsyncIterator()
        let error = try #require(await reconnections.next()?.error)
        #expect(error.code == .unavailable && error.message.contains("nothing came"))
        clock.advanceToNext()
        #expect(await opened.next()?.request.resumeToken == "one")
        task.cancel()
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func aStreamThatTellsNothingAtAllIsFoundDead() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let (options, tries) = options(.seconds(60))
        let (_, task) = reading(client, WatchRequest.with { $0.scope = .userID("a") }, options)
        var opened = watch.opened.makeAsyncIterator()
        var ended = watch.ended.makeAsyncIterator()
        var reconnections = tries.makeAsyncIterator()
        _ = await opened.next()
        await clock.sleepers(1)
        clock.advance(by: Changes.longestOpening - .nanoseconds(1))
        #expect(watch.openStreams == 1)
        clock.advance(by: .nanoseconds(1))
        await ended.next()
        #expect(await reconnections.next()?.error.code == .unavailable)
        task.cancel()
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func aTryThatHangsEndsWhenItGivesUp() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let (_, task) = reading(
            client,
            WatchRequest.with { $0.scope = .userID("a") },
            ChangesOptions(givesUpAfter: .seconds(20)))
        var opened = watch.opened.makeAsyncIterator()
        _ = await opened.next()
        await clock.sleepers(1)
        clock.advance(by: .seconds(20))
        let result = await task.result
        #expect(throws: CallError.self) { try result.get() }
        await client.close()
        await server.shutDownGracefully()
    }

    // MARK: The present state

    private func state(_ user: String) -> WatchResponse {
        WatchResponse.with {
            $0.event = .with {
                $0.kind = .state
                $0.items = [.with { $0.userID = user }]
                $0.syncType = .friends
            }
        }
    }

    private func completed(_ token: String) -> WatchResponse {
        WatchResponse.with {
            $0.resumeToken = token
            $0.event = .with {
                $0.kind = .syncCompleted
                $0.syncType = .friends
            }
        }
    }

    @Test func aPresentStateThatIsLostBeginsAnewWithResync() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let (options, _) = options(nil)
        let (messages, task) = reading(
            client, WatchRequest.with { $0.scope = .userID("a") }, options)
        var opened = watch.opened.makeAsyncIterator()
        var received = messages.makeAsyncIterator()

        let first = try #require(await opened.next())
        try first.send(state("x"))
        #expect(await received.next()?.event?.items.first?.userID == "x")
        first.fail(RPCError(.unavailable, "the connection was lost"))

        let second = try #require(await opened.next())
        #expect(second.request.resumeToken == "")
        try second.send(state("y"))
        try second.send(completed("one"))
        #expect(await received.next()?.event?.kind == .resync, "the reader must drop x")
        #expect(await received.next()?.event?.items.first?.userID == "y")
        #expect(await received.next()?.resumeToken == "one")
        second.fail(RPCError(.unavailable, "the connection was lost"))

        let third = try #require(await opened.next())
        #expect(third.request.resumeToken == "one")
        try third.send(token: "two", 2)
        #expect(await received.next()?.event?.kind == .addFriend, "nothing is to be dropped")
        task.cancel()
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func aResyncMakesAllEarlierTokensVoid() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let (options, _) = options(nil)
        let (messages, task) = reading(
            client,
            WatchRequest.with {
                $0.scope = .userID("a")
                $0.resumeToken = "old"
            }, options)
        var opened = watch.opened.makeAsyncIterator()
        var received = messages.makeAsyncIterator()

        let first = try #require(await opened.next())
        #expect(first.request.resumeToken == "old")
        try first.send(WatchResponse.with { $0.event = .with { $0.kind = .resync } })
        #expect(await received.next()?.event?.kind == .resync)
        first.fail(RPCError(.unavailable, "the connection was lost"))
        let second = try #require(await opened.next())
        #expect(second.request.resumeToken == "", "the reader has dropped its copy")
        try second.send(state("x"))
        #expect(await received.next()?.event?.kind == .resync)
        #expect(await received.next()?.event?.kind == .state)

        // A server that ends a stream there names a token that begins anew, with RESYNC.
        second.fail(
            RPCError(
                .unavailable, .stopping, "the server stops", metadata: ["resume_token": "nowhere"]))
        let third = try #require(await opened.next())
        #expect(third.request.resumeToken == "nowhere")
        try third.send(
            WatchResponse.with {
                $0.event = .with {
                    $0.kind = .resync
                    $0.timeMs = 5
                }
            })
        try third.send(state("y"))
        #expect(await received.next()?.event?.timeMs == 5, "one RESYNC, that of the server")
        #expect(await received.next()?.event?.kind == .state)
        task.cancel()
        await client.close()
        await server.shutDownGracefully()
    }
}
