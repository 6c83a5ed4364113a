import GRPC
import GRPCWire
import Logging
import Memory
import Protobuf
import RPC
import RelationAdmission
import RelationCore
import RelationModel
import Synchronization

@testable import RelationCalls
@testable import Traces

/// A thread whose work a test runs piece by piece.
final class HandDrivenThread: SpanThread {
    struct Piece: Sendable {
        /// The time that has to pass before, in milliseconds.
        let wait: Int
        let work: @Sendable () -> Void
    }

    private let pieces: AsyncStream<Piece>
    private let added: AsyncStream<Piece>.Continuation
    private let count = Atomic(0)

    init() {
        (pieces, added) = AsyncStream.makeStream()
    }

    func run(_ work: @escaping @Sendable () -> Void) { run(afterMilliseconds: 0, work) }

    func run(afterMilliseconds milliseconds: Int, _ work: @escaping @Sendable () -> Void) {
        count.add(1, ordering: .relaxed)
        added.yield(Piece(wait: milliseconds, work: work))
    }

    /// The pieces that wait.
    var waiting: Int { count.load(ordering: .relaxed) }

    /// Runs the next piece, once there is one.
    ///
    /// - Parameter far: The wait of pieces whose time does not come.
    /// - Returns: How long it was to wait.
    @discardableResult
    func step(before far: Int? = nil) async -> Int {
        for await piece in pieces {
            count.subtract(1, ordering: .relaxed)
            if piece.wait == far { continue }
            piece.work()
            return piece.wait
        }
        return -1
    }
}

/// A collector that keeps what it gets, and answers as a test says.
final class FakeCollector: Collector {
    let name = "collector:4317"
    private let answers: Mutex<[Result<[UInt8], RPCError>]>
    private let requests = Mutex<[ExportRequest]>([])
    private let closed = Atomic(false)

    /// - Parameter answers: The answers to the first messages; later ones are taken.
    init(_ answers: [Result<[UInt8], RPCError>] = []) {
        self.answers = Mutex(answers)
    }

    func export(_ request: [UInt8]) async throws(RPCError) -> [UInt8] {
        let decoded = try? Arena.temporary { (arena) throws(CodecError) in
            try Coder(ExportRequest.self).message(request, arena)
        }
        requests.withLock { $0.append(decoded ?? ExportRequest()) }
        return try answers.withLock { $0.isEmpty ? .success([]) : $0.removeFirst() }.get()
    }

    func close() async { closed.store(true, ordering: .relaxed) }

    var isClosed: Bool { closed.load(ordering: .relaxed) }

    /// The messages so far, each with its spans.
    var messages: [[Span]] {
        requests.withLock { $0 }.map { $0.resourceSpans.flatMap(\.scopeSpans).flatMap(\.spans) }
    }

    var spans: [Span] { messages.flatMap(\.self) }

    var resources: [Resource] {
        requests.withLock { $0 }.flatMap(\.resourceSpans).compactMap(\.resource)
    }
}

/// Lines of a log.
final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(lines: Lines) { self.lines = lines }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let parts = (event.metadata ?? [:]).sorted { $0.key < $1.key }
            let words = parts.map { " \($0)=\($1)" }.joined()
            lines.lines.withLock { $0.append("\(event.level) \(event.message)\(words)") }
        }
    }
}

/// An exporter with its surroundings.
struct SpanHarness {
    let thread = HandDrivenThread()
    let lines = Lines()
    let exporter: SpanExporter

    init(_ collector: FakeCollector?) {
        exporter = SpanExporter(
            service: "relations", version: "7", logger: lines.logger, thread: thread)
        exporter.setCollector(collector)
    }

    static let trace = TraceParent(high: 0xA, low: 0xB, spanID: 0xC, flags: 1)

    static func notes(_ change: (CallNotes) -> Void = { _ in }) -> CallNotes {
        let notes = CallNotes()
        notes.path = "/relation.v1.FriendService/ListFriends"
        notes.nanoseconds = 5_000
        notes.peer = "127.0.0.1:5000"
        notes.trace(as: trace)
        change(notes)
        return notes
    }

    /// Ends as many traced calls.
    func end(_ count: Int = 1, namingUsers: Bool = false, _ change: (CallNotes) -> Void = { _ in })
    {
        let tracer = CallTracer(
            TraceSampling(followsParent: true, share: 0), namingUsers: namingUsers, to: exporter)
        for _ in 0..<count { tracer.ended(Self.notes(change)) }
    }
}
