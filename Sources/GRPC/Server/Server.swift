import GRPCWire
import Glibc
package import Logging
import NIOCore
import NIOPosix
import Synchronization

/// A gRPC server on one address.
///
/// ```swift
/// let server = Server(configuration: configuration, dispatchers: [router], logger: logger)
/// let address = try await server.start()
/// // …
/// await server.shutDownGracefully()
/// ```
package final class Server: Sendable {
    private let configuration: ServerConfiguration
    private let logger: Logger
    private let group: MultiThreadedEventLoopGroup
    let loops: [ServerLoop]
    let connections: ConnectionCounts
    private let violationLog: BoundedLog
    private let memory: MemoryBudget
    let violations = ViolationCounts()
    let pulses: [LoopPulse]
    let methods: MethodTable
    private let listener = Mutex<(any NIOCore.Channel)?>(nil)
    private let socketFile = Mutex<SocketFile?>(nil)
    private let stopping = Mutex<Task<Void, Never>?>(nil)
    let areThreadsUp = Mutex(true)
    private let insideConnections = Atomic(0)

    package init(
        configuration: ServerConfiguration, dispatchers: [any Dispatcher], logger: Logger
    ) {
        precondition(configuration.loops > 0, "a server needs a thread")
        self.configuration = configuration
        self.logger = logger
        violationLog = BoundedLog(logger)
        connections = ConnectionCounts(
            limit: configuration.maxConnections,
            addressLimit: configuration.maxConnectionsPerAddress,
            addressRate: configuration.maxConnectionsPerSecondOfAddress)
        let errorLog = BoundedLog(logger)
        group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.loops)
        methods = MethodTable(dispatchers)
        let memory = MemoryBudget(limit: configuration.maxHeldBytes)
        let unauthenticated = UnauthenticatedCalls()
        var loops: [ServerLoop] = []
        for eventLoop in group.makeIterator() {
            // Each loop has a table of its own: calls count the methods that they use, and two
            // processors that count in one place wait for each other.
            loops.append(
                ServerLoop(
                    index: loops.count, eventLoop: eventLoop, methods: MethodTable(dispatchers),
                    configuration: configuration, logger: logger, violationLog: violationLog,
                    errorLog: errorLog, memory: memory, violations: violations,
                    unauthenticated: unauthenticated))
        }
        self.loops = loops
        pulses = loops.map { _ in LoopPulse() }
        self.memory = memory
    }

    /// Gives memory that the allocator keeps after a burst back to the system.
    ///
    /// Call this now and then, on a thread that may take some ten milliseconds for it.
    ///
    /// - Parameter isMuchFree: Whether another part of the process has freed much memory.
    package func releaseMemory(isMuchFree: Bool = false) {
        if isMuchFree { memory.releaseAll() } else { memory.release() }
    }

    /// Begins to listen, and returns the address.
    ///
    /// - Throws: The system's error, for example if the address is in use or not ours.
    package func start() async throws -> ListeningAddress {
        var bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: CallLimits.waitingConnections)
            // One read for each wake-up: its calls are answered before more is read.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.accept(channel) }
            }
        let channel: any NIOCore.Channel
        do {
            if let path = configuration.socketPath {
                let (file, descriptor) = try SocketFile.listen(
                    at: path, mode: configuration.socketMode)
                socketFile.withLock { $0 = file }
                channel = try await bootstrap.withBoundSocket(descriptor).get()
            } else {
                bootstrap =
                    bootstrap
                    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                channel = try await bootstrap.bind(
                    host: configuration.host, port: configuration.port
                ).get()
            }
        } catch {
            throw PlainError(error)
        }
        listener.withLock { $0 = channel }
        if let path = configuration.socketPath { return ListeningAddress(path: path) }
        return ListeningAddress(
            host: channel.localAddress?.ipAddress ?? configuration.host,
            port: channel.localAddress?.port ?? configuration.port)
    }

    /// Takes other bounds, while the server runs.
    ///
    /// Connections and memory above a bound stay: it counts for later ones. The age holds for
    /// connections that are made later. It returns when every event loop has them; a loop must not
    /// call it.
    package func apply(_ bounds: ServerBounds) {
        connections.apply(
            addressLimit: bounds.maxConnectionsPerAddress,
            addressRate: bounds.maxConnectionsPerSecondOfAddress)
        memory.limit = bounds.maxHeldBytes
        onEveryLoop { $0.apply(bounds) }
    }

    /// Notifies `observer` of the calls that begin from now on; nil ends that.
    ///
    /// It returns when every event loop knows it; a loop must not call it.
    package func observe(_ observer: (any CallObserver)?) {
        onEveryLoop { $0.observe(observer) }
    }

    /// Returns when `change` ran on every loop, so that no later call misses it: a loop reads its
    /// sockets before it runs what was posted to it.
    private func onEveryLoop(_ change: @escaping @Sendable (ServerLoop) -> Void) {
        let changes = areThreadsUp.withLock { isUp in
            isUp ? loops.map { loop in loop.eventLoop.submit { change(loop) } } : []
        }
        // A loop runs what it was given before it ends, and `change` throws nothing.
        for made in changes { try? made.wait() }
    }

    /// Stops the server gracefully.
    ///
    /// It takes no more connections or calls, and lets running calls finish within
    /// ``ServerConfiguration/graceSeconds``. Then it ends the calls that are left, and the threads.
    ///
    /// A second call waits for the same end.
    ///
    /// - Parameter beforeThreadsEnd: Runs when no call is left, while the threads still run. It
    ///   ends code that works for calls on other threads and posts to their loops.
    package func shutDownGracefully(
        beforeThreadsEnd: @escaping @Sendable () async -> Void = {}
    ) async {
        let task = stopping.withLock { stopping in
            let task = stopping ?? Task { await self.stop(beforeThreadsEnd) }
            stopping = task
            return task
        }
        await task.value
    }

    /// Cuts off the running calls of a server that stops, before their time is over.
    package func cancelRunningCalls() {
        areThreadsUp.withLock { isUp in
            guard isUp else { return }
            for loop in loops { loop.eventLoop.execute { self.cutOff(loop) } }
        }
    }

    private func cutOff(_ loop: ServerLoop) {
        let count = loop.closeAll()
        guard count > 0 else { return }
        logger.notice("the stop has cut off calls", metadata: ["calls": "\(count)"])
    }

    private func stop(_ beforeThreadsEnd: @Sendable () async -> Void) async {
        let channel = listener.withLock { listener in
            defer { listener = nil }
            return listener
        }
        if channel != nil { socketFile.withLock { $0?.remove() } }
        // An error says that the listener is closed already.
        try? await channel?.close().get()
        await withTaskGroup(of: Void.self) { group in
            for loop in loops { group.addTask { await self.drain(loop) } }
        }
        await beforeThreadsEnd()
        areThreadsUp.withLock { $0 = false }
        // The threads are stopped only here, and once; an error would say that they were stopped
        // before.
        try? await group.shutdownGracefully()
    }

    private func drain(_ loop: ServerLoop) async {
        let deadline = loop.eventLoop.now + .seconds(configuration.graceSeconds)
        let cutOff = loop.eventLoop.scheduleTask(deadline: deadline) { self.cutOff(loop) }
        // The future of a closed channel does not fail.
        try? await loop.eventLoop.flatSubmit { loop.shutDown() }.get()
        cutOff.cancel()
        try? await loop.eventLoop.submit { loop.cancelTimers() }.get()
    }

    /// Makes a connection from within the process, as a client on this machine would.
    ///
    /// It is never encrypted, and all else is as for any other connection.
    ///
    /// - Parameter peer: The address in notes and logs of its calls; nil for that of a socket.
    /// - Returns: The client's end, which the caller owns; nil if the server takes none.
    package func connectInside(for peer: String? = nil) -> CInt? {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        return areThreadsUp.withLock { isUp in
            guard isUp, socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
            let number = insideConnections.add(1, ordering: .relaxed).oldValue
            // NIO owns the server's end from here on, and closes it if the server takes none.
            _ = ClientBootstrap(group: loops[number % loops.count].eventLoop)
                .channelOption(.maxMessagesPerRead, value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try self.accept(channel, isInside: true, for: peer)
                    }
                }
                .withConnectedSocket(ends[0])
            return ends[1]
        }
    }

    /// Sets up a connection that was just made, on its loop.
    private func accept(
        _ channel: any NIOCore.Channel, isInside: Bool = false, for peer: String? = nil
    ) throws {
        // A client of the network without an address has gone before it was accepted.
        guard isInside || configuration.socketPath != nil || channel.remoteAddress != nil else {
            throw ChannelError.inputClosed
        }
        let block = AddressBlock(channel.remoteAddress)
        if let refusal = connections.add(from: block, at: channel.eventLoop.now) {
            violations.count(refusal.violation)
            violationLog.log(
                .notice, "a connection is refused", at: channel.eventLoop.now,
                [
                    "peer": "\(channel.remoteAddress?.readable ?? "unknown")",
                    "violation": "\(refusal.violation)",
                ])
            throw ChannelError.operationUnsupported
        }
        // The group that made the channel has only the loops in this list.
        let loop = loops.first { $0.eventLoop === channel.eventLoop }!
        let connections = self.connections
        do {
            try channel.syncOptions?.setOption(
                .recvAllocator, value: ReceiveAllocator(loop.received))
            try loop.serve(channel, for: peer, tls: isInside ? nil : configuration.tls) {
                connections.remove(from: block)
            }
        } catch {
            connections.remove(from: block)
            throw error
        }
    }
}

/// Where a server listens.
package struct ListeningAddress: Sendable, CustomStringConvertible {
    package let host: String
    package let port: Int
    /// The path of a socket, which has neither host nor port.
    package private(set) var path: String?

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    init(path: String) {
        self.init(host: "", port: 0)
        self.path = path
    }

    package var description: String {
        if let path { return "unix:\(path)" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
