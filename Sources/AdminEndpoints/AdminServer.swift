package import GRPC
import GRPCWire
import NIOCore
import NIOHTTP1
import NIOPosix
import RPC
import Support
import Synchronization

/// The second listener: admin endpoints over HTTP/1.1, on one thread of its own.
///
/// It shares no thread and no connection with the calls. Its bounds are ``AdminLimits``, which
/// ``ConnectionSlots`` holds, and when processors are scarce its thread stands back.
package final class AdminServer: Sendable {
    /// Where the endpoints are, and how they are protected.
    package struct Configuration: Sendable {
        package var host: String
        /// The port; 0 lets the system pick a free one.
        package var port: Int
        /// How connections are encrypted; nil for no encryption.
        package var tls: ServerTLS?
        /// Which hosts a request may name; probes may name any.
        package var rules = BrowserRules()
        /// Gives a socket to the server of the calls, which the receiver closes.
        ///
        /// It gives nil if that server takes no call. Without this way none is taken here.
        package var wayToCalls: (@Sendable () -> CInt?)?
        /// The work that the admin thread does at the start, and again each time so many seconds
        /// later.
        package var pulse: (seconds: Int64, body: @Sendable () -> Void)?

        package init(host: String = "127.0.0.1", port: Int = 0, tls: ServerTLS? = nil) {
            self.host = host
            self.port = port
            self.tls = tls
        }
    }

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let configuration: Configuration
    private let listener = Mutex<(any NIOCore.Channel)?>(nil)
    private let service: NIOLoopBound<AdminService>

    package init(
        _ configuration: Configuration, _ endpoints: [AdminEndpoint],
        clock: @escaping @Sendable () -> UInt64 = { Deadline.clock }
    ) async throws {
        self.configuration = configuration
        let loop = group.next()
        service = try await loop.submit {
            // For these calls Linux treats a thread as a process of its own, and 0 names this one.
            let thread = __priority_which_t(PRIO_PROCESS.rawValue)
            setpriority(thread, 0, getpriority(thread, 0) + AdminLimits.niceness)
            ThreadName.set("pages")
            let relays = CallRelays(
                scheme: configuration.tls == nil ? "http" : "https", way: configuration.wayToCalls)
            return NIOLoopBound(
                AdminService(
                    EndpointTable(endpoints, clock: clock), relays: relays,
                    rules: configuration.rules),
                eventLoop: loop)
        }.get()
    }

    /// Begins to listen, and returns the address.
    ///
    /// - Throws: The system's error, for example if the address is in use.
    package func start() async throws -> ListeningAddress {
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: Int32(2 * AdminLimits.connections))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try Self.serve(channel, self.service.value, self.configuration.tls)
                }
            }
        do {
            let channel = try await bootstrap.bind(
                host: configuration.host, port: configuration.port
            ).get()
            listener.withLock { $0 = channel }
            if let pulse = configuration.pulse {
                // The task ends with the loop.
                channel.eventLoop.scheduleRepeatedTask(
                    initialDelay: .zero, delay: .seconds(pulse.seconds)
                ) { _ in pulse.body() }
            }
            return ListeningAddress(
                host: channel.localAddress?.ipAddress ?? configuration.host,
                port: channel.localAddress?.port ?? configuration.port)
        } catch {
            throw PlainError(error)
        }
    }

    /// Ends the listener with its connections, and its thread.
    package func stop() async {
        let channel = listener.withLock { listener in
            defer { listener = nil }
            return listener
        }
        // An error says that it is closed already.
        try? await channel?.close().get()
        // The thread ends here, and once; with it go the connections.
        try? await group.shutdownGracefully()
    }

    /// Adds the handlers of a connection to its pipeline, on its loop.
    static func serve(
        _ channel: any NIOCore.Channel, _ service: AdminService, _ tls: ServerTLS? = nil
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        let clock = AdminClock(service.times, service.slots)
        try pipeline.addHandlers(clock, LastWords())
        if let tls { try pipeline.addHandler(tls.handler()) }
        let gate = HTTP1Gate(headBytes: AdminLimits.headBytes, at: channel.eventLoop.now)
        gate.whenBegun = { clock.requestBegins() }
        try pipeline.addHandlers(HTTPResponseEncoder(), gate, AdminConnection(service, clock))
    }
}
