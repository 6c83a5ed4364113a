import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
import Webhooks

/// A receiver at a port of this machine, which answers as a test says.
final class ReceiverHarness: Sendable {
    /// A request as it came.
    struct Request: Sendable, Equatable {
        var method: String
        var target: String
        var headers: [String: String]
        var body: String
        /// The number of the connection, from 0 on.
        var connection: Int
    }

    /// A part of the reaction to a request.
    enum Act: Sendable {
        /// Bytes as they are.
        case write(String)
        /// The bytes again and again, until the sender ends the connection.
        case repeatForever(String)
        case close
        /// Nothing, until another request's acts release it.
        case hold
        /// Bytes for all requests that are held.
        case release(String)
    }

    /// An answer without a body that a sender has to keep.
    static let ok: [Act] = [.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")]

    static func answer(_ status: String, _ headers: String = "") -> [Act] {
        [.write("HTTP/1.1 \(status)\r\ncontent-length: 0\r\n\(headers)\r\n")]
    }

    private struct State {
        var requests: [Request] = []
        var connections = 0
        var closed = 0
        /// The connections of requests that are held.
        var held: [any Channel] = []
        /// The tests that wait for a number of requests.
        var waiting: [(count: Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())
    private let channel: any Channel
    private let reaction: @Sendable (Request, _ number: Int) -> [Act]
    let port: Int

    /// - Parameter reaction: The acts after a request, which has a number among all from 0 on.
    init(
        tls: TLSConfiguration? = nil,
        _ reaction: @escaping @Sendable (Request, _ number: Int) -> [Act]
    ) async throws {
        self.reaction = reaction
        let context = try tls.map { try NIOSSLContext(configuration: $0) }
        let owner = Owner()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context {
                        try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
                    guard let receiver = owner.receiver.withLock({ $0 }) else { return }
                    try pipeline.addHandler(Reader(receiver, receiver.connects()))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
        owner.receiver.withLock { $0 = self }
    }

    /// The receiver, which its listener needs before it is there.
    private final class Owner: Sendable {
        let receiver = Mutex<ReceiverHarness?>(nil)
    }

    var requests: [Request] { state.withLock { $0.requests } }
    var connections: Int { state.withLock { $0.connections } }
    var closedConnections: Int { state.withLock { $0.closed } }

    func close() async { try? await channel.close() }

    /// Waits until so many requests have come.
    func hasRequests(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.requests.count >= count { return true }
                state.waiting.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private func connects() -> Int {
        state.withLock { state in
            state.connections += 1
            return state.connections - 1
        }
    }

    private func takes(_ request: Request) -> [Act] {
        let (number, ready) = state.withLock { state in
            state.requests.append(request)
            let count = state.requests.count
            let ready = state.waiting.filter { $0.count <= count }.map(\.1)
            state.waiting.removeAll { $0.count <= count }
            return (count - 1, ready)
        }
        for continuation in ready { continuation.resume() }
        return reaction(request, number)
    }

    /// One connection of a sender.
    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart

        private let receiver: ReceiverHarness
        private var request: Request

        init(_ receiver: ReceiverHarness, _ connection: Int) {
            self.receiver = receiver
            request = Request(
                method: "", target: "", headers: [:], body: "", connection: connection)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                request.method = head.method.rawValue
                request.target = head.uri
                request.headers = [:]
                for header in head.headers { request.headers[header.name] = header.value }
                request.body = ""
            case .body(let buffer): request.body += String(buffer: buffer)
            case .end: for act in receiver.takes(request) { perform(act, context) }
            }
        }

        private func perform(_ act: Act, _ context: ChannelHandlerContext) {
            switch act {
            case .write(let text):
                context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
            case .close: context.close(promise: nil)
            case .hold: receiver.state.withLock { $0.held.append(context.channel) }
            case .release(let text):
                let held = receiver.state.withLock { state in
                    defer { state.held = [] }
                    return state.held
                }
                for channel in held {
                    channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
                }
            case .repeatForever(let text):
                repeats(String(repeating: text, count: 1 + 4_096 / text.utf8.count), context)
            }
        }

        private func repeats(_ text: String, _ context: ChannelHandlerContext) {
            let written = context.eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenSuccess {
                // Others have their turn on the loop.
                context.eventLoop.assumeIsolated().execute { self.repeats(text, context) }
            }
            context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: written)
        }

        func channelInactive(context: ChannelHandlerContext) {
            receiver.state.withLock { $0.closed += 1 }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            perform(.write("HTTP/1.1 400 Bad\r\n\r\n"), context)
            context.close(promise: nil)
        }
    }
}

/// Name servers of a test: each answer is the next of a list, and then the last one again.
final class ScriptedResolver: HostResolver {
    private struct NoAnswer: Error {}

    /// Nil stands for name servers that do not answer.
    private let answers: Mutex<[[IPAddress]?]>
    private let asked = Mutex<[(name: String, tenant: UInt32)]>([])

    init(_ answers: [[String]?] = [["127.0.0.1"]]) {
        self.answers = Mutex(answers.map { $0.map { $0.compactMap { IPAddress($0) } } })
    }

    var names: [String] { asked.withLock { $0.map(\.name) } }

    /// The tenants for whom names were looked up.
    var tenants: [UInt32] { asked.withLock { $0.map(\.tenant) } }

    func addresses(of name: String, for tenant: UInt32) async throws -> [IPAddress] {
        asked.withLock { $0.append((name, tenant)) }
        let answer = answers.withLock { answers in
            answers.count > 1 ? answers.removeFirst() : answers[0]
        }
        guard let answer else { throw NoAnswer() }
        return answer
    }
}
