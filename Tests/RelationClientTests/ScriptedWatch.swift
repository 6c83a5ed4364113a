import GRPC
import Logging
import Memory
import Protobuf
import RPC
import RelationAPI
import Synchronization
import Testing

@testable import RelationClient

/// A service of changes whose streams do what a test says.
final class ScriptedWatch: Dispatcher {
    /// A stream that a client has opened.
    struct Opened: Sendable {
        let request: WatchRequest
        let metadata: String?
        fileprivate let handle: CallHandle

        func send(_ message: WatchResponse) throws {
            let bytes = try Client.bytes(of: message, ChangeMethods.watch.responseCoder)
            handle.resume { call in _ = call.send { $0.append(bytes) } }
        }

        func send(token: String, _ sequence: Int64) throws {
            try send(
                WatchResponse.with {
                    $0.resumeToken = token
                    $0.event = .with {
                        $0.kind = .addFriend
                        $0.sequence = sequence
                    }
                })
        }

        func fail(_ error: RPCError) {
            handle.resume { $0.fail(error) }
        }

        func finish() {
            handle.resume { $0.finish(.ok) }
        }
    }

    let opened: AsyncStream<Opened>
    let ended: AsyncStream<Void>
    private let openings: AsyncStream<Opened>.Continuation
    private let endings: AsyncStream<Void>.Continuation
    private let count = Mutex(0)

    init() {
        (opened, openings) = AsyncStream.makeStream()
        (ended, endings) = AsyncStream.makeStream()
    }

    /// No more streams will be opened.
    func close() {
        openings.finish()
    }

    /// How many streams are open.
    var openStreams: Int { count.withLock { $0 } }

    var methods: [ServedMethod] {
        ServiceTable.all.map { method in
            guard method.path == ChangeMethods.watch.path else {
                return .unary(method.path) { _, call in
                    call.fail(RPCError(.unimplemented, "this service only watches"))
                }
            }
            return .streaming(method.path, shape: .serverStreaming) { [self] _ in
                ScriptedStream(self)
            }
        }
    }

    fileprivate func open(_ stream: Opened) {
        count.withLock { $0 += 1 }
        openings.yield(stream)
    }

    fileprivate func end() {
        count.withLock { $0 -= 1 }
        endings.yield()
    }

    /// Begins a server of this service.
    func start() async throws -> (server: Server, port: Int) {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = Server(
            configuration: ServerConfiguration(), dispatchers: [self], logger: logger)
        return (server, try await server.start().port)
    }
}

private final class ScriptedStream: StreamHandler {
    private let service: ScriptedWatch
    private let isOpen = Mutex(false)

    init(_ service: ScriptedWatch) {
        self.service = service
    }

    func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
        let bytes = Array(message)
        do {
            let request = try Client.message(bytes, ChangeMethods.watch.requestCoder)
            isOpen.withLock { $0 = true }
            service.open(
                ScriptedWatch.Opened(
                    request: request, metadata: call.metadata("x-test"), handle: call.handle))
        } catch {
            call.fail(RPCError(.internalError, "\(error)"))
        }
    }

    func ended(_ call: ServerCall) {
        if isOpen.withLock({ $0 }) { service.end() }
    }
}
