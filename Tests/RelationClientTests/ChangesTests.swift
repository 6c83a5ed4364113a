import GRPC
import PeerSupport
import RPC
import RelationAPI
import RelationCalls
import RelationModel
import Synchronization
import Testing

@testable import RelationClient

/// Changes that are followed over lost streams, with a service that does what the test says.
@Suite(.endsWhenHung)
struct ChangesTests {
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

    /// A task that reads changes, and what it has read.
    private final class Reader: Sendable {
        let messages: AsyncStream<WatchResponse>
        let reconnections: AsyncStream<Reconnection>
        let task: Task<Void, any Error>

        init(_ client: Client, _ request: WatchRequest, _ options: ChangesOptions) {
            let (messages, received) = AsyncStream<WatchResponse>.makeStream()
            let (reconnections, lost) = AsyncStream<Reconnection>.makeStream()
            self.messages = messages
            self.reconnections = reconnections
            var options = options
            options.onReconnect = { lost.yield($0) }
            let changes = client.changes(request, options: options)
            task = Task {
                defer {
                    received.finish()
                    lost.finish()
                }
                for try await message in changes { received.yield(message) }
            }
        }

        /// The error that ended the reading.
        var end: (any Error)? {
            get async {
                if case .failure(let error) = await task.result { error } else { nil }
            }
        }
    }

    private func reader(
        _ client: Client, _ request: WatchRequest = WatchRequest.with { $0.scope = .userID("a") },
        _ options: ChangesOptions = ChangesOptions()
    ) -> Reader {
        Reader(client, request, options)
    }

    private static let throttled = RPCError(
        .resourceExhausted, .throttled, "later", .retryAfter(milliseconds: 7_000))

    private static let stopping = RPCError(
        .unavailable, .stopping, "the server stops", metadata: ["resume_token": "of the end"])

    /// Waits for the next try, and lets its time pass.
    private func pass(
        _ reconnections: inout AsyncStream<Reconnection>.Iterator
    ) async throws -> Reconnection {
        let received = try #require(await reconnections.next())
        await clock.sleepers(1)
        clock.advance(by: received.wait)
        return received
    }

    // MARK: Going on

    @Test func aLostStreamIsFollowedByOneThatBeginsWithTheLastToken() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let reader = reader(
            client,
            WatchRequest.with {
                $0.scope = .userID("a")
                $0.resumeToken = "first"
            })
        var opened = watch.opened.makeAsyncIterator()
        var messages = reader.messages.makeAsyncIterator()
        var reconnections = reader.reconnections.makeAsyncIterator()

        let first = try #require(await opened.next())
        #expect(first.request.resumeToken == "first" && first.request.scope == .userID("a"))
        try first.send(token: "second", 2)
        #expect(await messages.next()?.event?.sequence == 2)
        // An end without an error, which no server of ours has.
        first.finish()
        let received = try await pass(&reconnections)
        #expect(received.error.code == .unavailable)
        #expect(received.attempt == 1 && received.total == 1)
        #expect((Changes.firstWait / 2...Changes.firstWait).contains(received.wait))

        let second = try #require(await opened.next())
        #expect(second.request.resumeToken == "second")
        second.fail(Self.stopping)
        let again = try await pass(&reconnections)
        #expect(again.error.knownReason == .stopping)
        #expect(again.attempt == 2 && again.total == 2, "the second stream sent nothing")

        let third = try #require(await opened.next())
        #expect(third.request.resumeToken == "of the end")
        try third.send(token: "third", 3)
        #expect(await messages.next()?.event?.sequence == 3)
        third.fail(RPCError(.aborted, .slowReader, "too slow"))
        let last = try await pass(&reconnections)
        #expect(last.attempt == 1 && last.total == 3)
        #expect(await opened.next()?.request.resumeToken == "third")

        reader.task.cancel()
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func itNeverEndsWhileTheServerAsksItToComeLater() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let reader = reader(client)
        var opened = watch.opened.makeAsyncIterator()
        var reconnections = reader.reconnections.makeAsyncIterator()
        for attempt in 1...40 {
            let stream = try #require(await opened.next())
            let isThrottled = attempt.isMultiple(of: 2)
            stream.fail(
                isThrottled
                    ? Self.throttled : RPCError(.resourceExhausted, .overloaded, "busy"))
            let received = try await pass(&reconnections)
            #expect(received.attempt == attempt && received.total == attempt)
            if isThrottled { #expect(received.wait >= .seconds(7), "as the server asks") }
        }
        #expect(watch.openStreams == 0 || watch.openStreams == 1)
        reader.task.cancel()
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func theWaitsAreDoubledUpToTheLongestAndVaryByChance() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let reader = reader(client)
        var opened = watch.opened.makeAsyncIterator()
        var reconnections = reader.reconnections.makeAsyncIterator()
        var longest = Changes.firstWait
        var parts: Set<Double> = []
        for _ in 1...14 {
            try #require(await opened.next()).fail(RPCError(.unavailable, "away"))
            let wait = try await pass(&reconnections).wait
            #expect((longest / 2...longest).contains(wait))
            parts.insert(wait / longest)
            longest = min(longest * 2, Changes.longestWait)
        }
        #expect(longest == Changes.longestWait)
        #expect(parts.count == 14, "each wait has its own part")
        reader.task.cancel()
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func theWaitsBeginAnewOnlyAfterAStreamThatLasted() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let reader = reader(
            client,
            WatchRequest.with { $0.scope = .userID("a") }, ChangesOptions(heartbeat: nil))
        var opened = watch.opened.makeAsyncIterator()
        var messages = reader.messages.makeAsyncIterator()
        var reconnections = reader.reconnections.makeAsyncIterator()
        // A server that ends each stream after a message is not asked ten times a second.
        for _ in 1...5 {
            let stream = try #require(await opened.next())
            try stream.send(token: "t", 1)
            _ = await messages.next()
            stream.fail(RPCError(.unavailable, "away"))
            _ = try await pass(&reconnections)
        }
        let stream = try #require(await opened.next())
        try stream.send(token: "t", 1)
        _ = await messages.next()
        clock.advance(by: Changes.settledAfter - .nanoseconds(1))
        stream.fail(RPCError(.unavailable, "away"))
        #expect(try await pass(&reconnections).wait > Changes.firstWait * 8)
        let lasting = try #require(await opened.next())
        try lasting.send(token: "t", 1)
        _ = await messages.next()
        clock.advance(by: Changes.settledAfter)
        lasting.fail(RPCError(.unavailable, "away"))
        #expect(try await pass(&reconnections).wait <= Changes.firstWait)
        reader.task.cancel()
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func noServerMakesItWaitLongerThanADay() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let reader = reader(client)
        var opened = watch.opened.makeAsyncIterator()
        var reconnections = reader.reconnections.makeAsyncIterator()
        let far = RPCError(
            .resourceExhausted, .throttled, "later", .retryAfter(milliseconds: .max))
        try #require(await opened.next()).fail(far)
        #expect(try await pass(&reconnections).wait == Changes.longestRetryAfter)
        #expect(await opened.next() != nil)
        reader.task.cancel()
        await client.close()
        await server.shutDownGracefully()
    }

    // MARK: Ends

    @Test(arguments: [
        RPCError(.notFound, .userNotFound, "no such user"),
        RPCError(.permissionDenied, .foreignUser, "not yours"),
        RPCError(.invalidArgument, .invalidResumeToken, "no token of this app"),
        RPCError(.unauthenticated, "who are you"),
        RPCError(.internalError, .storageUnavailable, "a fault"),
        RPCError(.unimplemented, "no such call"),
    ])
    func itEndsAtOnceIfANewStreamWouldNotHelp(error: RPCError) async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let reader = reader(client)
        var opened = watch.opened.makeAsyncIterator()
        try #require(await opened.next()).fail(error)
        let end = try #require(await reader.end as? CallError)
        #expect(end.code == StatusCode(error.code))
        var reconnections = reader.reconnections.makeAsyncIterator()
        #expect(await reconnections.next() == nil, "it did not learn of a try")
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func afterAnErrorThereIsNothingMore() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let changes = client.changes(WatchRequest.with { $0.scope = .userID("a") })
            .makeAsyncIterator()
        let failing = Task { [watch] in
            for await stream in watch.opened {
                stream.fail(RPCError(.notFound, .userNotFound, "no such user"))
            }
        }
        await #expect(throws: CallError.self) { try await changes.next() }
        #expect(try await changes.next() == nil)
        failing.cancel()
        await client.close()
        await server.shutDownGracefully()
    }

    @Test(arguments: [1, 60, 1_000])
    func itGivesUpAfterTheTimeThatItIsGiven(seconds: Int) async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let limit = Duration.seconds(seconds)
        let reader = reader(
            client, WatchRequest.with { $0.scope = .userID("a") },
            ChangesOptions(givesUpAfter: limit))
        let failing = Task { [watch] in
            for await stream in watch.opened { stream.fail(RPCError(.unavailable, "away")) }
        }
        var tries = 0
        for await received in reader.reconnections {
            tries = received.total
            await clock.sleepers(1)
            clock.advance(by: received.wait)
        }
        let end = try #require(await reader.end as? CallError)
        #expect(end.code == .unavailable && end.message == "away", "the last error")
        #expect(tries > 3)
        let spent = FakeClock.Instant().duration(to: clock.now)
        #expect(spent <= limit && spent >= limit - Changes.firstWait)
        failing.cancel()
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func aMessageGivesItTheWholeTimeAgain() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let reader = reader(
            client, WatchRequest.with { $0.scope = .userID("a") },
            ChangesOptions(givesUpAfter: .seconds(10), heartbeat: nil))
        var opened = watch.opened.makeAsyncIterator()
        var messages = reader.messages.makeAsyncIterator()
        var reconnections = reader.reconnections.makeAsyncIterator()
        for round in 1...5 {
            let stream = try #require(await opened.next())
            try stream.send(token: "t", Int64(round))
            _ = await messages.next()
            clock.advance(by: .seconds(9))
            stream.fail(RPCError(.unavailable, "away"))
            _ = try await pass(&reconnections)
        }
        try #require(await opened.next()).fail(
            RPCError(
                .resourceExhausted, .throttled, "later", .retryAfter(milliseconds: 10_000)))
        let end = try #require(await reader.end as? CallError)
        #expect(end.knownReason == .throttled, "the server asks for more time than there is")
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func withZeroTimeItDoesNotTryAgain() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let reader = reader(
            client, WatchRequest.with { $0.scope = .userID("a") },
            ChangesOptions(givesUpAfter: .zero))
        var opened = watch.opened.makeAsyncIterator()
        try #require(await opened.next()).fail(Self.stopping)
        #expect((await reader.end as? CallError)?.knownReason == .stopping)
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func aClosedClientEndsIt() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let reader = reader(client)
        var opened = watch.opened.makeAsyncIterator()
        _ = await opened.next()
        await client.close()
        #expect((await reader.end as? CallError)?.isClientClosed == true)
        let late = client.changes(WatchRequest.with { $0.scope = .userID("a") }).makeAsyncIterator()
        await #expect(throws: CallError.self) { try await late.next() }
        await server.shutDownGracefully()
    }

    @Test func aMessageThatIsTooLongForTheClientEndsIt() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port) { $0.maxReceivedMessageBytes = 100 }
        let reader = reader(client)
        var opened = watch.opened.makeAsyncIterator()
        try #require(await opened.next()).send(token: String(repeating: "t", count: 101), 1)
        #expect((await reader.end as? CallError)?.code == .resourceExhausted)
        await client.close()
        await server.shutDownGracefully()
    }

    // MARK: Readers that leave

    @Test func aReaderThatIsCancelledLeavesNoStreamOpen() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let reader = reader(client)
        var opened = watch.opened.makeAsyncIterator()
        var messages = reader.messages.makeAsyncIterator()
        var ended = watch.ended.makeAsyncIterator()
        try #require(await opened.next()).send(token: "t", 1)
        _ = await messages.next()
        reader.task.cancel()
        #expect(await reader.end is CancellationError)
        await ended.next()
        #expect(watch.openStreams == 0)
        #expect(clock.sleeperCount == 0, "nor does anything wait for it")
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func aReaderThatIsCancelledWhileItWaitsForATryEndsAtOnce() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let reader = reader(client)
        var opened = watch.opened.makeAsyncIterator()
        var reconnections = reader.reconnections.makeAsyncIterator()
        try #require(await opened.next()).fail(Self.throttled)
        _ = await reconnections.next()
        await clock.sleepers(1)
        reader.task.cancel()
        #expect(await reader.end is CancellationError)
        #expect(clock.sleeperCount == 0)
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func aReaderThatWasCancelledMayComeBack() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let reading = ReadingInTurns(client.changes(WatchRequest.with { $0.scope = .userID("a") }))
        var opened = watch.opened.makeAsyncIterator()
        let first = Task { try await reading.next() }
        try #require(await opened.next()).send(token: "one", 1)
        #expect(try await first.value?.event?.sequence == 1)
        let second = Task { try await reading.next() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        let third = Task { try await reading.next() }
        let stream = try #require(await opened.next())
        #expect(stream.request.resumeToken == "one")
        try stream.send(token: "two", 2)
        #expect(try await third.value?.event?.sequence == 2)
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func aLoopThatIsLeftClosesItsStream() async throws {
        let (server, port) = try await watch.start()
        let client = try client(port)
        let sending = Task { [watch] in
            for await stream in watch.opened { try stream.send(token: "t", 1) }
        }
        for try await message in client.changes(WatchRequest.with { $0.scope = .userID("a") }) {
            #expect(message.resumeToken == "t")
            break
        }
        var ended = watch.ended.makeAsyncIterator()
        await ended.next()
        #expect(watch.openStreams == 0)
        sending.cancel()
        await client.close()
        await server.shutDownGracefully()
    }
}

/// An iterator that tasks use one after the other.
private actor ReadingInTurns {
    private let iterator: Changes.AsyncIterator

    init(_ changes: Changes) {
        iterator = changes.makeAsyncIterator()
    }

    func next() async throws -> WatchResponse? {
        var iterator = iterator
        return try await iterator.next(isolation: self)
    }
}
