import HTTP2
import NIOCore
import NIOEmbedded
import NIOPosix
import PeerSupport
import RPC
import Synchronization

@testable import GRPCClient
@testable import GRPCWire

/// A resolver whose answers the test sets, and which counts its questions.
final class FakeResolver: AddressResolver {
    private let state: Mutex<(answers: [String: [String]], questions: [String])>

    init(_ answers: [String: [String]] = [:]) {
        state = Mutex((answers, []))
    }

    /// The names that were looked up, one for each time.
    var questions: [String] { state.withLock { $0.questions } }

    func set(_ name: String, _ addresses: [String]) {
        state.withLock { $0.answers[name] = addresses }
    }

    func addresses(
        of host: String, port: Int, on eventLoop: any EventLoop
    ) -> EventLoopFuture<[SocketAddress]> {
        let found = state.withLock { state in
            state.questions.append(host)
            return state.answers[host]
        }
        guard let found else {
            return eventLoop.makeFailedFuture(ResolverError(description: "no such name"))
        }
        return eventLoop.makeCompletedFuture {
            try found.map { try SocketAddress(ipAddress: $0, port: port) }
        }
    }
}

/// A client on a hand-driven loop, with servers at any number of addresses.
final class FleetHarness {
    /// The way in which a server takes a connection.
    enum Acceptance {
        case open
        /// It accepts the connection, and says nothing.
        case silent
        case closed
    }

    /// The way in which servers answer a call.
    enum Answer {
        case echo
        case hold
        case refuse
        case fail([(String, String)])
        /// One block of fields, which ends the stream.
        case head([(String, String)])
        /// A header block of gRPC, and then a block that ends the stream.
        case trailers([(String, String)])
        case reset(ErrorCode)
    }

    /// The server's end of a connection.
    final class Connection {
        let address: String
        let channel: EmbeddedChannel
        let session: Session
        /// Whether the server has stopped to read and to write.
        var isSilent: Bool
        var watches: [StreamPointer] = []
        /// The bytes that have come while it was silent.
        var unread: [UInt8] = []
        /// How many pings have come.
        var pings = 0
        /// How many health streams have begun.
        var begunWatches = 0
        var held: [StreamPointer] = []
        /// The values of `:authority`.
        var authorities: Set<String> = []

        init(_ address: String, _ channel: EmbeddedChannel, _ pool: StreamPool, isSilent: Bool)
            throws
        {
            self.address = address
            self.channel = channel
            self.isSilent = isSilent
            session = try Session(role: .server, pool: pool)
        }
    }

    let eventLoop = EmbeddedEventLoop()
    let resolver: FakeResolver
    private(set) lazy var core = ClientCore(
        eventLoop: eventLoop, configuration: configuration
    ) { [unowned self] in dial($0) }
    private let configuration: ClientConfiguration
    private let pool = StreamPool()

    /// How the servers that are not open take connections, by address.
    var acceptance: [String: Acceptance] = [:]
    var answer = Answer.echo
    /// The status that health streams tell; nil for a server without the health service.
    var health: [String: Int] = [:]
    /// The status with which health streams are ended.
    var healthEnd: String?

    /// The addresses that were connected to, one for each attempt.
    private(set) var dials: [String] = []
    private(set) var connections: [Connection] = []
    /// The address of the server that had each call.
    private(set) var calls: [String] = []

    init(
        _ servers: [ServerTarget], _ names: [String: [String]] = [:],
        configure: (inout ClientConfiguration) -> Void = { _ in }
    ) {
        resolver = FakeResolver(names)
        var configuration = ClientConfiguration(servers: servers)
        configuration.resolver = resolver
        configure(&configuration)
        self.configuration = configuration
        // Otherwise `deinit` would make it, when no closure may hold the harness any more.
        _ = core
    }

    deinit {
        core.close()
        for connection in connections {
            _ = try? connection.channel.finish(acceptAlreadyClosed: true)
        }
        eventLoop.run()
    }

    private func dial(_ subchannel: Subchannel) -> EventLoopFuture<any NIOCore.Channel> {
        let address = subchannel.endpoint.address.ipAddress ?? "none"
        dials.append(address)
        let acceptance = acceptance[address] ?? .open
        guard acceptance != .closed else {
            return eventLoop.makeFailedFuture(IOError(errnoCode: ECONNREFUSED, reason: "connect"))
        }
        return eventLoop.makeCompletedFuture {
            let channel = EmbeddedChannel(
                handler: try ClientConnection(subchannel), loop: eventLoop)
            connections.append(
                try Connection(address, channel, pool, isSilent: acceptance == .silent))
            return channel as any NIOCore.Channel
        }
    }

    /// The addresses to which there is a connection, sorted.
    var connected: [String] {
        connections.filter { $0.channel.isActive || !isClosed($0) }.map(\.address).sorted()
    }

    private func isClosed(_ connection: Connection) -> Bool {
        let handler = try? connection.channel.pipeline.syncOperations
            .handler(type: ClientConnection.self)
        return handler?.isLost ?? true
    }

    /// The living connection to an address.
    func connection(_ address: String) -> Connection? {
        connections.last { $0.address == address && !isClosed($0) }
    }

    // MARK: - Calls

    @discardableResult
    func call(waits: Bool? = nil, deadline: Deadline? = nil) throws -> ClientCall {
        let call = ClientCall(
            core: core, path: "/test.Echo/Unary", metadata: [], deadline: deadline,
            waitsForReady: waits)
        call.send([1]) { _ in }
        call.finishSending()
        call.start()
        try exchange()
        return call
    }

    /// The error of a call that has failed.
    func error(of call: ClientCall) -> RPCError? {
        var error: RPCError?
        call.read { if case .failure(let failure) = $0 { error = failure } }
        return error
    }

    /// How many calls each server had since the last time.
    func takeCounts() -> [String: Int] {
        defer { calls = [] }
        return calls.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    // MARK: - Servers

    /// Carries bytes both ways until no side has any to send.
    func exchange() throws {
        var isMore = true
        while isMore {
            isMore = false
            eventLoop.run()
            for connection in connections where !isClosed(connection) {
                while let buffer = try connection.channel.readOutbound(as: ByteBuffer.self) {
                    connection.unread += Array(buffer.readableBytesView)
                }
                guard !connection.isSilent else { continue }
                let up = connection.unread
                connection.unread = []
                try connection.session.receive(up)
                connection.pings += connection.session.takeEvents().count { $0 == .ping }
                try serve(connection)
                let down = try connection.session.output()
                if !down.isEmpty { try connection.channel.writeInbound(ByteBuffer(bytes: down)) }
                if !up.isEmpty || !down.isEmpty { isMore = true }
            }
        }
    }

    func pass(_ time: TimeAmount) throws {
        eventLoop.advanceTime(by: time)
        try exchange()
    }

    private func serve(_ connection: Connection) throws {
        for (stream, events) in connection.session.allReady() {
            if events.contains(.closed) {
                connection.watches.removeAll { $0 == stream }
                connection.held.removeAll { $0 == stream }
                connection.session.release(stream)
                continue
            }
            guard events.contains(.end) else { continue }
            if let authority = stream.pointee.headers.text(":authority") {
                connection.authorities.insert(authority)
            }
            if stream.pointee.headers.text(":path") == "/grpc.health.v1.Health/Watch" {
                watch(connection, stream)
            } else {
                calls.append(connection.address)
                reply(connection, stream)
            }
        }
    }

    private func watch(_ connection: Connection, _ stream: StreamPointer) {
        connection.begunWatches += 1
        guard healthEnd == nil, let status = health[connection.address] else {
            return end(connection, stream, [("grpc-status", healthEnd ?? "12")])
        }
        connection.session.submitHeaders(stream, Self.head)
        connection.watches.append(stream)
        reply(connection, stream, status)
    }

    private func reply(_ connection: Connection, _ stream: StreamPointer, _ status: Int) {
        let message = Envelope.wrapped([8, UInt8(status)])
        message.withUnsafeBytes { stream.pointee.output.append($0) }
        connection.session.resume(stream)
    }

    private func reply(_ connection: Connection, _ stream: StreamPointer) {
        switch answer {
        case .echo:
            connection.session.submitHeaders(stream, Self.head)
            Envelope.wrapped([1]).withUnsafeBytes { stream.pointee.output.append($0) }
            stream.pointee.outputTrailers.append("grpc-status", "0")
            connection.session.finishWithTrailers(stream)
        case .hold: connection.held.append(stream)
        case .refuse: connection.session.reset(stream, .refusedStream)
        case .fail(let fields): end(connection, stream, fields)
        case .head(let fields):
            var block = HeaderBlock(fields)
            defer { block.free() }
            connection.session.submitHeaders(stream, nil, block, end: true)
        case .trailers(let fields):
            connection.session.submitHeaders(stream, Self.head)
            for (name, value) in fields { stream.pointee.outputTrailers.append(name, value) }
            connection.session.finishWithTrailers(stream)
        case .reset(let code): connection.session.reset(stream, code)
        }
    }

    private func end(
        _ connection: Connection, _ stream: StreamPointer, _ fields: [(String, String)]
    ) {
        var block = HeaderBlock(fields)
        defer { block.free() }
        connection.session.submitHeaders(stream, Self.head, block, end: true)
    }

    private static let head = FixedFields([
        (":status", "200"), ("content-type", "application/grpc"),
    ])

    /// Tells all health streams of an address another status.
    func setHealth(_ address: String, _ status: Int, times: Int = 1) throws {
        health[address] = status
        for connection in connections where connection.address == address {
            for stream in connection.watches {
                for _ in 0..<times { reply(connection, stream, status) }
            }
        }
        try exchange()
    }

    /// Ends the health streams of an address with a status.
    func endHealth(_ address: String, _ status: String) throws {
        for connection in connections where connection.address == address {
            for stream in connection.watches {
                stream.pointee.outputTrailers.append("grpc-status", status)
                connection.session.finishWithTrailers(stream)
            }
            connection.watches = []
        }
        try exchange()
    }

    /// Answers the calls that were held.
    func answerHeld() throws {
        answer = .echo
        for connection in connections {
            let held = connection.held
            connection.held = []
            for stream in held { reply(connection, stream) }
        }
        try exchange()
    }

    /// Breaks all connections to an address.
    func cut(_ address: String) throws {
        for connection in connections where connection.address == address {
            connection.channel.pipeline.fireChannelInactive()
        }
        try exchange()
    }
}

extension Envelope {
    /// A message with its prefix.
    fileprivate static func wrapped(_ message: [UInt8]) -> [UInt8] {
        [0, 0, 0, 0, UInt8(message.count)] + message
    }
}
