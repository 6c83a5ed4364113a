import HTTP2
import NIOCore
import NIOPosix

/// A channel's state on its event loop: a connection, and the calls that wait for one.
///
/// `Sendable` is unchecked: the constants do not change, and everything else is touched on the
/// event loop only.
final class ClientCore: @unchecked Sendable {
    let eventLoop: any EventLoop
    let configuration: ClientConfiguration
    let streams = StreamPool()
    let packer = MessagePacker()

    /// ``ClientConfiguration/keepaliveSeconds``, doubled each time a server found the pings too
    /// many.
    private(set) var keepaliveSeconds: Int64?

    private var connection: ClientConnection?
    private var isConnecting = false
    /// The next attempt to connect, after one that failed; ``waitMilliseconds`` bounds the wait
    /// before the attempt after it.
    private var attempt: Scheduled<Void>?
    private(set) var waitMilliseconds = CallLimits.firstConnectWaitMilliseconds
    private var isClosed = false

    /// Calls without a stream, in the order in which they came; those before `firstWaiting` have
    /// left the queue.
    private var waiting: [ClientCall] = []
    private var firstWaiting = 0
    private var isStarting = false

    init(eventLoop: any EventLoop, configuration: ClientConfiguration) {
        self.eventLoop = eventLoop
        self.configuration = configuration
        keepaliveSeconds = configuration.keepaliveSeconds
    }

    /// Gives `call` a stream, now or when one is free.
    func start(_ call: ClientCall) {
        eventLoop.preconditionInEventLoop()
        guard !isClosed else {
            return call.finish(Status(.unavailable, "the channel is closed"), [])
        }
        if waiting.count - firstWaiting >= CallLimits.waitingCalls { forgetEnded() }
        guard waiting.count - firstWaiting < CallLimits.waitingCalls else {
            return call.finish(Status(.resourceExhausted, "too many calls wait"), [])
        }
        waiting.append(call)
        startWaiting()
        connection?.flushSoon()
    }

    /// Opens streams for waiting calls, as many as the server allows.
    func startWaiting() {
        guard !isStarting else { return }
        isStarting = true
        defer { isStarting = false }
        while firstWaiting < waiting.count {
            let call = waiting[firstWaiting]
            if call.isWaiting {
                guard let connection else { return connect() }
                guard connection.canOpen else { break }
                firstWaiting += 1
                connection.open(call)
            } else {
                firstWaiting += 1
            }
        }
        if firstWaiting > 64, firstWaiting * 2 > waiting.count {
            waiting.removeFirst(firstWaiting)
            firstWaiting = 0
        }
    }

    /// Removes the calls that ended while they waited.
    private func forgetEnded() {
        waiting = waiting[firstWaiting...].filter(\.isWaiting)
        firstWaiting = 0
    }

    /// The server has ended a connection because of our pings.
    func pingedTooOften() {
        keepaliveSeconds = keepaliveSeconds.map { min($0 * 2, CallLimits.longestKeepaliveSeconds) }
    }

    /// The connection takes no more calls.
    func drained(_ old: ClientConnection) {
        guard connection === old else { return }
        connection = nil
        if firstWaiting < waiting.count { startWaiting() }
    }

    /// The server has answered on a new connection.
    func reached() {
        waitMilliseconds = CallLimits.firstConnectWaitMilliseconds
    }

    /// A connection was lost before the server had said anything.
    func lostEarly(_ old: ClientConnection) {
        guard connection === old else { return }
        connection = nil
        // A server may refuse a certificate after the handshake has ended for the client.
        failedToConnect(loss(of: old))
    }

    /// Ends an attempt on which no call was sent: the calls that wait fail, or go on waiting for
    /// the next attempt.
    private func failedToConnect(_ reason: String) {
        guard configuration.waitsForServer, !isClosed else { return failWaiting(reason) }
        guard attempt == nil else { return }
        // Clients that lost the same server do not all come back at once.
        let range = waitMilliseconds / 2...waitMilliseconds
        let time = TimeAmount.milliseconds(Int64.random(in: range))
        waitMilliseconds = min(
            waitMilliseconds * 2, CallLimits.longestConnectWaitMilliseconds)
        attempt = eventLoop.scheduleTask(in: time) {
            self.attempt = nil
            self.startWaiting()
        }
    }

    private func connect() {
        guard !isConnecting, attempt == nil else { return }
        isConnecting = true
        let configuration = self.configuration
        let secured = eventLoop.makePromise(of: Void.self)
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(.seconds(CallLimits.connectSeconds))
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try configuration.tls?.secure(pipeline, host: configuration.host, secured)
                    try pipeline.addHandler(ClientConnection(core: self))
                }
            }
        let made =
            if let path = configuration.socketPath {
                bootstrap.connect(unixDomainSocketPath: path)
            } else {
                bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .connect(host: configuration.host, port: configuration.port)
            }
        // Without TLS a connection is ready as soon as it is made; the promise is fulfilled in any
        // case.
        if configuration.tls == nil { secured.succeed(()) }
        made.whenFailure { secured.fail($0) }
        let ready = made.flatMap { channel in secured.futureResult.map { channel } }
        ready.whenComplete {
            self.isConnecting = false
            do {
                self.connected(try $0.get())
            } catch {
                let why = PlainError(error)
                self.failedToConnect("cannot connect to \(configuration.endpoint): \(why)")
            }
        }
    }

    /// Takes over a connection that was just made.
    func connected(_ channel: any NIOCore.Channel) {
        do {
            let made = try channel.pipeline.syncOperations.handler(type: ClientConnection.self)
            guard !isClosed, !made.isLost else {
                made.close()
                return failedToConnect(loss(of: made))
            }
            connection = made
            startWaiting()
            made.flush()
        } catch {
            failedToConnect("the connection was lost")
        }
    }

    private func loss(of connection: ClientConnection) -> String {
        "the connection to \(configuration.endpoint) was lost"
            + (connection.fault.map { ": " + $0 } ?? "")
    }

    private func failWaiting(_ reason: String) {
        let calls = waiting[firstWaiting...]
        waiting = []
        firstWaiting = 0
        for call in calls where call.isWaiting { call.finish(Status(.unavailable, reason), []) }
    }

    /// Ends all calls and the connection.
    func close() {
        isClosed = true
        attempt?.cancel()
        failWaiting("the channel is closed")
        connection?.close()
        connection = nil
    }
}
