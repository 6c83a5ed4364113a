import GRPCWire
package import Logging
import Memory
import Protobuf
import RPC
package import RelationRuntime
import Support
import Synchronization

/// The export of spans to a collector.
///
/// A loop puts a call's trace into a queue and goes on. A thread of its own makes messages of the
/// queue, one after another. Nothing waits for the collector: if it is away, slow or refuses, the
/// queue fills, and further spans are dropped and counted. The log has one line for that, and one
/// when it has passed.
package final class SpanExporter: Sendable {
    struct State {
        var waiting: [CallTrace] = []
        /// Nil while nothing is exported.
        var collector: (any Collector)?
        /// Whether the thread will look at the queue when its time comes.
        var isScheduled = false
        /// Whether a message is on its way, or waits for another attempt.
        var isSending = false
        /// Whether the queue is emptied for good.
        var isClosing = false
        var closers: [CheckedContinuation<Void, Never>] = []
        var counts = SpanCounts()
        /// How many were dropped when the last message was taken.
        var droppedBefore: UInt64 = 0
        var trouble = TraceTrouble()
    }

    /// A message with the spans of some calls.
    struct Batch: Sendable {
        let bytes: [UInt8]
        let spans: UInt64
        /// The number of the attempt to send it.
        var attempt = 1
    }

    let ids: TraceIDs
    private let resource: Resource
    private let version: String
    private let logger: Logger
    private let thread: any SpanThread
    let state = Mutex(State())

    /// - Parameters:
    ///   - service: The name under which the collector shows the spans.
    ///   - version: The version of the program.
    ///   - thread: The thread that makes the messages.
    package init(
        service: String, version: String, logger: Logger,
        thread: any SpanThread = WorkThread("traces")
    ) {
        self.thread = thread
        ids = TraceIDs()
        self.version = version
        self.logger = logger
        var resource = Resource()
        resource.attributes = [
            KeyValue("service.name", service), KeyValue("service.version", version),
            KeyValue("service.instance.id", Self.identifier(ids.next(), ids.next())),
            KeyValue("telemetry.sdk.language", "swift"),
        ]
        self.resource = resource
    }

    /// A UUID of version 4.
    private static func identifier(_ high: UInt64, _ low: UInt64) -> String {
        let context = TraceParent(
            high: high & ~0xF000 | 0x4000, low: low & ~(3 << 62) | 2 << 62, spanID: 0, flags: 0)
        var digits = Array(context.traceID)
        for index in [20, 16, 12, 8] { digits.insert("-", at: index) }
        return String(digits)
    }

    /// Sends to another collector from now on; nil drops what waits, and ends the export.
    package func setCollector(_ collector: (any Collector)?) {
        let old = state.withLock { state in
            if collector == nil { state.dropAll() }
            defer { state.collector = collector }
            return state.collector
        }
        guard let old else { return }
        // An attempt that it has under way fails, and is made again with the new one.
        Task { await old.close() }
    }

    /// The counts so far; any thread may ask.
    package func reading() -> SpanCounts {
        state.withLock { state in
            var counts = state.counts
            counts.waitingCalls = state.waiting.count
            return counts
        }
    }

    // MARK: The queue

    /// Takes the trace of a call that has ended, or drops it.
    func add(_ trace: CallTrace) {
        let wish = state.withLock { state -> WakeUp in
            guard state.collector != nil, !state.isClosing,
                state.waiting.count < TraceLimits.waitingCalls
            else {
                state.counts.dropped += UInt64(trace.spanCount)
                return .none
            }
            state.waiting.append(trace)
            guard !state.isSending else { return .none }
            if state.waiting.count == TraceLimits.callsPerBatch { return .now }
            guard !state.isScheduled else { return .none }
            state.isScheduled = true
            return .later
        }
        wake(wish)
    }

    private enum WakeUp { case none, now, later }

    private func wake(_ wish: WakeUp) {
        switch wish {
        case .none: break
        case .now: thread.run { [weak self] in self?.drain() }
        case .later:
            thread.run(afterMilliseconds: TraceLimits.batchMilliseconds) { [weak self] in
                self?.state.withLock { $0.isScheduled = false }
                self?.drain()
            }
        }
    }

    // MARK: The thread

    /// Sends the next message, unless one is on its way.
    private func drain() {
        let traces = state.withLock { state -> [CallTrace]? in
            guard !state.isSending else { return nil }
            guard !state.waiting.isEmpty else {
                state.finishClosing()
                return nil
            }
            state.isSending = true
            let count = min(TraceLimits.callsPerBatch, state.waiting.count)
            defer { state.waiting.removeFirst(count) }
            return Array(state.waiting[..<count])
        }
        guard let traces else { return }
        let count = UInt64(traces.reduce(0) { $0 + $1.spanCount })
        do throws(CodecError) {
            send(Batch(bytes: try encode(traces), spans: count))
        } catch {
            failed(count, "the spans do not encode: \(error)")
        }
    }

    private func encode(_ traces: [CallTrace]) throws(CodecError) -> [UInt8] {
        var scope = InstrumentationScope()
        (scope.name, scope.version) = ("relationd", version)
        var spans = ScopeSpans()
        spans.scope = scope
        let offset = Self.clockOffset
        for trace in traces { trace.add(to: &spans.spans, ids, clockOffset: offset) }
        var resourceSpans = ResourceSpans()
        resourceSpans.resource = resource
        resourceSpans.scopeSpans = [spans]
        var request = ExportRequest()
        request.resourceSpans = [resourceSpans]
        return try Arena.temporary { (arena) throws(CodecError) in
            try Coder(ExportRequest.self).bytes(request, arena)
        }
    }

    /// The difference from the clock of calls to the time since 1970.
    private static var clockOffset: UInt64 { SystemClock.wall.nanoseconds &- Deadline.clock }

    private func send(_ batch: Batch) {
        guard let collector = state.withLock({ $0.collector }) else {
            return failed(batch.spans, nil)
        }
        Task {
            let outcome: Result<[UInt8], RPCError>
            do throws(RPCError) {
                outcome = .success(try await collector.export(batch.bytes))
            } catch {
                outcome = .failure(error)
            }
            self.thread.run { self.sent(batch, outcome, collector.name) }
        }
    }

    private func sent(_ batch: Batch, _ outcome: Result<[UInt8], RPCError>, _ name: String) {
        switch outcome {
        case .success(let answer):
            let rejected = Self.rejected(in: answer, of: batch.spans)
            let line = state.withLock { state in
                state.counts.exported += batch.spans - rejected.count
                state.counts.failed += rejected.count
                let isTooSlow = state.counts.dropped > state.droppedBefore
                state.droppedBefore = state.counts.dropped
                let words =
                    rejected.count > 0
                    ? "it rejects spans: \(rejected.message)"
                    : isTooSlow ? "it takes spans too slowly" : nil
                return state.trouble.line(for: words, lost: state.counts.lost, at: Deadline.clock)
            }
            write(line, name)
            exportNext()
        case .failure(let error):
            let words = "\(error.code): \(error.message)"
            let tries = state.withLock { state in
                error.mayPass && batch.attempt < TraceLimits.attempts && !state.isClosing
                    && state.collector != nil
            }
            guard tries else { return failed(batch.spans, words, name) }
            let line = state.withLock { state in
                state.trouble.line(for: words, lost: state.counts.lost, at: Deadline.clock)
            }
            write(line, name)
            var again = batch
            again.attempt += 1
            let wait = TraceLimits.backoffMilliseconds << (batch.attempt - 1)
            thread.run(afterMilliseconds: wait) { [weak self, again] in self?.send(again) }
        }
    }

    /// Counts the spans of a message that is given up.
    ///
    /// - Parameter words: Nil if the log has no need to know.
    private func failed(_ spans: UInt64, _ words: String?, _ name: String = "") {
        let line = state.withLock { state -> TraceTrouble.Line? in
            state.counts.failed += spans
            guard let words else { return nil }
            return state.trouble.line(for: words, lost: state.counts.lost, at: Deadline.clock)
        }
        write(line, name)
        exportNext()
    }

    /// Goes on with what waits.
    private func exportNext() {
        let wish = state.withLock { state -> WakeUp in
            state.isSending = false
            if state.isClosing || state.waiting.count >= TraceLimits.callsPerBatch { return .now }
            guard !state.waiting.isEmpty, !state.isScheduled else { return .none }
            state.isScheduled = true
            return .later
        }
        wake(wish)
    }

    /// How many of the spans the collector has not taken, and why.
    private static func rejected(
        in answer: [UInt8], of spans: UInt64
    ) -> (count: UInt64, message: String) {
        do throws(CodecError) {
            let partial = try Arena.temporary { (arena) throws(CodecError) in
                try Coder(ExportResponse.self).message(answer, arena).partialSuccess
            }
            guard let partial else { return (0, "") }
            return (min(spans, UInt64(clamping: partial.rejectedSpans)), partial.errorMessage)
        } catch {
            // The status says that it has the spans.
            return (0, "")
        }
    }

    private func write(_ line: TraceTrouble.Line?, _ name: String) {
        guard let line else { return }
        logger.log(level: line.level, "\(line.message)", metadata: line.metadata(of: name))
    }

    // MARK: The end

    /// Sends what waits, for as long as ``TraceLimits/closeMilliseconds``, and ends the export.
    package func close() async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.isClosing = true
                state.closers.append(continuation)
            }
            thread.run { self.drain() }
            thread.run(afterMilliseconds: TraceLimits.closeMilliseconds) {
                self.state.withLock { state in
                    state.dropAll()
                    state.finishClosing()
                }
            }
        }
        let collector = state.withLock { state in
            defer { state.collector = nil }
            return state.collector
        }
        await collector?.close()
    }
}

extension SpanExporter.State {
    /// Drops all that waits.
    fileprivate mutating func dropAll() {
        counts.dropped += UInt64(waiting.reduce(0) { $0 + $1.spanCount })
        waiting = []
    }

    /// Lets those go on who wait for the end.
    fileprivate mutating func finishClosing() {
        for closer in closers { closer.resume() }
        closers = []
    }
}

/// A thread that runs pieces of work one after another; a test has one that it drives by hand.
package protocol SpanThread: AnyObject, Sendable {
    func run(_ work: @escaping @Sendable () -> Void)
    func run(afterMilliseconds milliseconds: Int, _ work: @escaping @Sendable () -> Void)
}

extension WorkThread: SpanThread {}
