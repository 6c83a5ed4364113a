import EchoSupport
import HTTP2
import Logging
import NIOCore
import NIOEmbedded
import PeerSupport
import Synchronization
import Testing

@testable import GRPC
@testable import GRPCWire

/// A server's connection on a hand-driven loop, and a client's session to talk to it.
final class Harness {
    let service = EchoService()
    let health = Health()
    let eventLoop = EmbeddedEventLoop()
    let loop: ServerLoop
    let connection: ServerConnection
    let channel: EmbeddedChannel
    let client: Session
    private let streams = StreamPool()
    private var answers: [Int32: Answer] = [:]

    /// All bytes that the server has sent.
    private(set) var sent: [UInt8] = []

    /// How often the server wrote to its channel.
    private(set) var writes = 0

    /// The answer to one call, as far as the client has received it.
    struct Answer {
        var head: [[String]] = []
        var trailers: [[String]] = []
        var body: [UInt8] = []
        var closeCode: ErrorCode?

        func field(_ name: String) -> String? {
            (trailers + head).first { $0[0] == name }?[1]
        }

        var httpStatus: String? { field(":status") }
        var code: String? { field("grpc-status") }
        var message: String? { field("grpc-message") }

        /// The messages in the body.
        var messages: [[UInt8]] {
            var messages: [[UInt8]] = []
            var rest = body[...]
            while rest.count >= 5 {
                let length = Int(Frame.number(rest.dropFirst().prefix(4)))
                messages.append(Array(rest.dropFirst(5).prefix(length)))
                rest = rest.dropFirst(5 + length)
            }
            return messages
        }
    }

    /// - Parameters:
    ///   - logger: Nothing is logged without one.
    ///   - interceptor: Stands before the methods; nil for nothing.
    init(
        logger: Logger? = nil, configure: (inout ServerConfiguration) -> Void = { _ in },
        interceptor: (@Sendable (ServerCall) -> CallVerdict?)? = nil
    ) throws {
        var configuration = ServerConfiguration()
        configure(&configuration)
        var silent = Logger(label: "test")
        silent.logLevel = .critical
        var methods: any Dispatcher = service
        if let interceptor { methods = InterceptedDispatcher(service, interceptor) }
        loop = ServerLoop(
            [methods, health], on: eventLoop,
            configuration: configuration, logger: logger ?? silent)
        connection = try ServerConnection(loop: loop) {}
        channel = EmbeddedChannel(handler: connection, loop: eventLoop)
        client = try Session(role: .client, pool: streams)
    }

    deinit {
        loop.checkInvariants()
        _ = try? channel.finish()
        // A channel releases its handlers only now.
        eventLoop.run()
        loop.cancelTimers()
        // A handle keeps its loop alive, and the loop keeps the service alive.
        service.waiting.withLock { $0 = [] }
        service.later.withLock { $0 = [] }
    }

    /// Gives raw bytes to the server, as one read.
    func feed(_ bytes: [UInt8]) throws {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        collect()
    }

    /// Moves the bytes that the server wrote to the client, unless the test wants them raw.
    @discardableResult
    func collect() -> [UInt8] {
        var new: [UInt8] = []
        while let buffer = try? channel.readOutbound(as: ByteBuffer.self) {
            new += Array(buffer.readableBytesView)
            writes += 1
        }
        sent += new
        return new
    }

    /// Carries bytes both ways until neither side has any to send.
    func exchange() throws {
        while true {
            let up = try client.output()
            if !up.isEmpty { try channel.writeInbound(ByteBuffer(bytes: up)) }
            eventLoop.run()
            if loop.hasUnfinished {
                eventLoop.advanceTime(by: .microseconds(CallLimits.sliceGapMicroseconds))
            }
            let down = collect()
            try client.receive(down)
            check()
            if up.isEmpty, down.isEmpty { return }
        }
    }

    private func check() {
        for (stream, events) in client.allReady() {
            var answer = answers[stream.pointee.id] ?? Answer()
            if events.contains(.headers) { answer.head = stream.pointee.headers.pairs }
            if events.contains(.end) { answer.trailers = stream.pointee.trailers.pairs }
            answer.body += Array(stream.pointee.input.bytes)
            client.drop(stream.pointee.input.count, of: stream)
            client.consumeWindow(stream)
            if events.contains(.closed) { answer.closeCode = stream.pointee.closeCode }
            answers[stream.pointee.id] = answer
            if events.contains(.closed) { client.release(stream) }
        }
    }

    // MARK: - Calls

    static func envelope(_ message: [UInt8]) -> [UInt8] {
        [0] + Frame.bigEndian(UInt32(message.count)) + message
    }

    /// Begins a call with bytes that need not be envelopes.
    func open(
        _ path: String, body: [UInt8] = [], end: Bool = true, extra: [(String, String)] = [],
        fields: [(String, String)]? = nil
    ) throws -> StreamPointer {
        var block = HeaderBlock((fields ?? SessionPair.request(path)) + extra)
        defer { block.free() }
        let stream = try client.open(nil, block)
        body.withUnsafeBytes { stream.pointee.output.append($0) }
        if end { client.finish(stream) }
        return stream
    }

    func answer(_ id: Int32) -> Answer { answers[id] ?? Answer() }

    /// Makes a whole call of one request.
    func call(
        _ path: String, _ message: [UInt8] = [], extra: [(String, String)] = []
    ) throws -> Answer {
        try call(path, body: Self.envelope(message), extra: extra)
    }

    func call(
        _ path: String, body: [UInt8], extra: [(String, String)] = [],
        fields: [(String, String)]? = nil
    ) throws -> Answer {
        let stream = try open(path, body: body, extra: extra, fields: fields)
        let id = stream.pointee.id
        try exchange()
        return answer(id)
    }

    /// Adds bytes to a call that the client has not ended.
    func send(_ stream: StreamPointer, _ bytes: [UInt8], end: Bool = false) throws {
        bytes.withUnsafeBytes { stream.pointee.output.append($0) }
        client.resume(stream)
        if end { client.finish(stream) }
        try exchange()
    }

    /// The frames that the server has sent.
    var frames: [Frame] { Frame.read(sent) }

    var lastGoAway: Frame? { frames.last { $0.kind == .goAway } }
}
