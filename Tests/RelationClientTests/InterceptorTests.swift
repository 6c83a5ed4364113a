import CoreMetrics
import GRPC
import InMemoryTracing
import Logging
import MetricsTestKit
import PeerSupport
import RPC
import RelationAPI
import RelationCalls
import Synchronization
import Testing
import Tracing

@testable import RelationClient

/// The code that runs around calls.
@Suite(.endsWhenHung) struct InterceptorTests {
    /// A list that interceptors and tests write to.
    private final class Notes: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private struct Noting: ClientInterceptor {
        let name: String
        let notes: Notes

        func intercept<Answer: Sendable>(
            _ call: CallContext, _ next: (CallContext) async throws -> Answer
        ) async throws -> Answer {
            notes.add("\(name) sees \(call.service)/\(call.method)")
            var call = call
            call.options.metadata["x-test", default: ""] += name
            do {
                let answer = try await next(call)
                notes.add("\(name) has the answer")
                return answer
            } catch {
                notes.add("\(name) has the error \(StatusCode(of: error))")
                throw error
            }
        }
    }

    @Test func theFirstInterceptorIsOutermostAndSeesACallOnce() async throws {
        let notes = Notes()
        try await ScriptedService.run {
            $0.interceptors = [Noting(name: "1", notes: notes), Noting(name: "2", notes: notes)]
        } _: {
            $0.number < 3 ? .fail(RPCError(.unavailable, "away")) : .answer([])
        } _: { client, service, _ in
            try await client.read()
            let call = "relation.v1.FriendService/ListFriends"
            #expect(
                notes.all == [
                    "1 sees \(call)", "2 sees \(call)", "2 has the answer", "1 has the answer",
                ])
            #expect(service.seen.map(\.test) == ["12", "12", "12"])
        }
    }

    @Test func interceptorsSeeErrors() async throws {
        let notes = Notes()
        try await ScriptedService.run {
            $0.interceptors = [Noting(name: "1", notes: notes)]
        } _: { _ in
            .fail(RPCError(.notFound, "no"))
        } _: { client, _, _ in
            _ = await failure { try await client.read() }
            #expect(notes.all.last == "1 has the error NOT_FOUND")
        }
    }

    private struct Refusing: ClientInterceptor {
        struct Refused: Error {}

        func intercept<Answer: Sendable>(
            _ call: CallContext, _ next: (CallContext) async throws -> Answer
        ) async throws -> Answer {
            throw Refused()
        }
    }

    @Test func anInterceptorMayRefuseACall() async throws {
        try await ScriptedService.run {
            $0.interceptors = [Refusing()]
        } _: { _ in
            .answer([])
        } _: { client, service, _ in
            await #expect(throws: Refusing.Refused.self) { try await client.read() }
            await #expect(throws: Refusing.Refused.self) {
                try await client.stream(ChangeMethods.watch).next()
            }
            #expect(service.seen.isEmpty)
        }
    }

    @Test func interceptorsSeeStreams() async throws {
        let notes = Notes()
        try await ScriptedService.run {
            $0.interceptors = [Noting(name: "1", notes: notes)]
        } _: { _ in
            .answer([])
        } _: { client, _, _ in
            let stream = client.stream(ChangeMethods.watch)
            // The scripted service has no streams.
            let error = await failure { _ = try await stream.next() }
            #expect(error?.code == .unimplemented)
            #expect(
                notes.all == [
                    "1 sees relation.v1.ChangeService/Watch", "1 has the answer",
                ])
        }
    }

    // MARK: - Metrics

    @Test func metricsCountCallsByMethodAndCode() async throws {
        let metrics = TestMetrics()
        try await ScriptedService.run {
            $0.interceptors = [MetricsInterceptor(factory: metrics)]
        } _: { seen in
            seen.number <= 3 ? .answer([]) : .fail(RPCError(.notFound, "no"))
        } _: { client, _, _ in
            for _ in 0..<2 { try await client.read() }
            try await client.write()
            _ = await failure { try await client.read() }
        }
        let read = ("method", "relation.v1.FriendService/ListFriends")
        let write = ("method", "relation.v1.FriendService/AddFriends")
        for (method, code, count) in [
            (read, "OK", 2), (write, "OK", 1), (read, "NOT_FOUND", 1),
        ] {
            let dimensions = [method, ("code", code)]
            let counter = try metrics.expectCounter("relation_client_calls", dimensions)
            #expect(counter.totalValue == Int64(count))
            let timer = try metrics.expectTimer("relation_client_call_duration", dimensions)
            #expect(timer.values.count == count)
        }
        #expect(metrics.counters.count == 3 && metrics.timers.count == 3)
    }

    /// Waits on the clock inside of others.
    private struct Waiting: ClientInterceptor {
        let clock: FakeClock

        func intercept<Answer: Sendable>(
            _ call: CallContext, _ next: (CallContext) async throws -> Answer
        ) async throws -> Answer {
            clock.advance(by: .milliseconds(250))
            return try await next(call)
        }
    }

    @Test func metricsMeasureTheTimeOfACall() async throws {
        let metrics = TestMetrics()
        let clock = FakeClock(skipsSleeps: true)
        try await ScriptedService.run(clock: clock) {
            $0.interceptors = [
                MetricsInterceptor(factory: metrics, clock: ClientClock(clock)),
                Waiting(clock: clock),
            ]
        } _: { _ in
            .answer([])
        } _: { client, _, _ in
            try await client.read()
        }
        #expect(metrics.timers.map(\.values) == [[250_000_000]])
    }

    // MARK: - Traces

    @Test func aSpanTellsTheCallAndGoesWithIt() async throws {
        let tracer = InMemoryTracer()
        try await ScriptedService.run {
            $0.interceptors = [TracingInterceptor(tracer: tracer)]
        } _: { seen in
            seen.number == 1 ? .answer([]) : .fail(RPCError(.notFound, "no"))
        } _: { client, service, _ in
            try await tracer.withSpan("outer") { _ in
                try await client.read()
                _ = await failure { try await client.write() }
            }
            let spans = tracer.finishedSpans
            #expect(
                spans.map(\.operationName) == [
                    "relation.v1.FriendService/ListFriends",
                    "relation.v1.FriendService/AddFriends", "outer",
                ])
            #expect(spans[0].kind == .client)
            #expect(spans[0].attributes.get("rpc.system") == .string("grpc"))
            #expect(
                spans[0].attributes.get("rpc.service") == .string("relation.v1.FriendService"))
            #expect(spans[0].attributes.get("rpc.method") == .string("ListFriends"))
            #expect(spans[0].attributes.get("rpc.grpc.status_code") == .int64(0))
            #expect(spans[0].errors.isEmpty)
            #expect(spans[1].attributes.get("rpc.grpc.status_code") == .int64(5))
            #expect(spans[1].errors.count == 1 && spans[1].status?.code == .error)
            #expect(spans[0].parentSpanID == spans[2].spanID)
            #expect(service.seen.map(\.trace) == [spans[0].traceID, spans[1].traceID])
        }
    }

    @Test func theTraceOfACallGoesWithEachAttempt() async throws {
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let trace = try #require(TraceContext(parent: parent, state: "a=1,b@c=2"))
        try await ScriptedService.run { seen in
            seen.number == 1 ? .fail(RPCError(.unavailable, "away")) : .answer([])
        } _: { client, service, _ in
            var options = CallOptions(metadata: ["x-test": "1"], trace: trace)
            try await client.read(options: options)
            options.metadata["traceparent"] = "another"
            try await client.read(options: options)
            try await client.read()
            let seen = service.seen
            #expect(seen.map(\.traceParent) == [parent, parent, "another", nil])
            #expect(seen.map(\.traceState) == ["a=1,b@c=2", "a=1,b@c=2", nil, nil])
            #expect(seen.prefix(3).allSatisfy { $0.test == "1" })
        }
    }

    @Test func aTraceThatBreaksARuleIsNone() {
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        #expect(TraceContext(parent: parent.uppercased()) == nil)
        #expect(TraceContext(parent: "") == nil)
        #expect(TraceContext(parent: parent, state: "no list")?.state == nil)
        #expect(TraceContext(parent: parent, state: "")?.state == nil)
        #expect(TraceContext(parent: parent, state: "a=1")?.state == "a=1")
    }

    // MARK: - Logs

    /// A handler that keeps the lines.
    private struct Keeping: LogHandler {
        let notes: Notes
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(_ notes: Notes) { self.notes = notes }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let parts = (event.metadata ?? [:]).sorted { $0.key < $1.key }
            let words = parts.map { "\($0)=\($1)" }.joined(separator: " ")
            notes.add("\(event.level) \(event.message): \(words)")
        }
    }

    @Test func theLogHasALineForEachCall() async throws {
        let notes = Notes()
        let clock = FakeClock(skipsSleeps: true)
        let logger = Logger(label: "test") { _ in Keeping(notes) }
        try await ScriptedService.run(clock: clock) {
            $0.credential = .apiKey("a secret")
            $0.interceptors = [
                LoggingInterceptor(
                    logger, level: .debug, failureLevel: .warning, clock: ClientClock(clock)),
                Waiting(clock: clock),
            ]
        } _: { seen in
            seen.number == 1
                ? .answer([]) : .fail(RPCError(.notFound, .userNotFound, "no account"))
        } _: { client, _, _ in
            try await client.read()
            _ = await failure { try await client.write() }
        }
        #expect(
            notes.all == [
                "debug the call succeeded: duration_ms=250.0 rpc.method=ListFriends "
                    + "rpc.service=relation.v1.FriendService",
                "warning the call failed: attempts=1 duration_ms=250.0 message=no account "
                    + "reason=USER_NOT_FOUND rpc.grpc.status_code=NOT_FOUND "
                    + "rpc.method=AddFriends rpc.service=relation.v1.FriendService",
            ])
    }
}

extension CallMetadata {
    fileprivate subscript(name: String, default value: String) -> String {
        get { self[name] ?? value }
        set { self[name] = newValue }
    }
}
