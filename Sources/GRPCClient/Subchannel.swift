import GRPCWire
import Logging
import NIOCore
import NIOPosix

/// A client's way to one address of a server: a connection, made again when it is needed.
///
/// `Sendable` is unchecked: the constants do not change, and everything else is touched on the
/// event loop of the client only.
final class Subchannel: @unchecked Sendable {
    /// Makes the socket of a subchannel's connection; tests have others.
    typealias Dial = (Subchannel) -> EventLoopFuture<any NIOCore.Channel>

    let core: ClientCore
    let endpoint: Endpoint
    /// The value of `:authority`.
    let authority: String

    /// The connection that takes new calls.
    private(set) var connection: ClientConnection?
    private var isConnecting = false
    /// The next attempt to connect, after one that failed.
    private var attempt: Scheduled<Void>?
    private(set) var backoff = Backoff.connecting
    /// Whether the latest attempt failed in a way in which the next one will fail too.
    private(set) var isFailureLasting = false
    /// Whether the address is no longer used.
    private(set) var isRetired = false

    /// Follows the health of the server; nil where that is not asked for, and without a connection.
    private var watch: HealthWatch?
    private var followsHealth = false

    init(_ core: ClientCore, _ endpoint: Endpoint) {
        self.core = core
        self.endpoint = endpoint
        authority = endpoint.target.authority
    }

    // MARK: - The state

    private var isServing: Bool {
        guard let watch else { return !followsHealth }
        return watch.verdict == .serving
    }

    /// Whether new calls may go to the server, perhaps after they waited for a free stream.
    var isReady: Bool { connection?.isReady ?? false && isServing }

    /// The connection on which a call may begin now; nil if there is no such connection.
    var open: ClientConnection? {
        guard let connection, connection.canOpen, isServing else { return nil }
        return connection
    }

    /// Whether it will soon be known that the server takes calls or does not.
    var isTrying: Bool {
        guard let connection else { return isConnecting }
        return !connection.isReady || watch.map { $0.verdict == .unknown } ?? followsHealth
    }

    /// Whether another attempt to connect follows after a wait.
    var isWaiting: Bool { attempt != nil }

    // MARK: - Connecting

    /// Notes that a connection will be made now; ``connect()`` must follow.
    ///
    /// - Returns: False if there is a connection, or if another attempt follows after a wait.
    func beginConnecting() -> Bool {
        guard connection == nil, !isConnecting, attempt == nil, !isRetired else { return false }
        isConnecting = true
        return true
    }

    /// Makes a connection.
    func connect() {
        core.dial(self).assumeIsolated().whenComplete {
            self.isConnecting = false
            switch $0 {
            case .success(let channel): self.connected(channel)
            case .failure(let error):
                self.isFailureLasting = (error as? TLSSetupError)?.isLasting ?? false
                self.failed("cannot connect to \(self.endpoint): \(PlainError(error))")
            }
        }
    }

    /// Makes a socket, and waits until TLS has proved who the server is.
    static func dial(_ subchannel: Subchannel) -> EventLoopFuture<any NIOCore.Channel> {
        let eventLoop = subchannel.core.eventLoop
        let tls = subchannel.core.configuration.tls
        let endpoint = subchannel.endpoint
        let secured = eventLoop.makePromise(of: Void.self)
        let setUp: @Sendable (any NIOCore.Channel) -> EventLoopFuture<Void> = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try tls?.secure(pipeline, endpoint, secured)
                try pipeline.addHandler(ClientConnection(subchannel))
            }
        }
        let made: EventLoopFuture<any NIOCore.Channel>
        if let connect = subchannel.core.configuration.connect {
            made = connect(endpoint.address, eventLoop, setUp)
        } else {
            made = ClientBootstrap(group: eventLoop)
                .connectTimeout(.seconds(CallLimits.connectSeconds))
                .channelOption(.maxMessagesPerRead, value: 1)
                .channelInitializer(setUp)
                .connect(to: endpoint.address)
        }
        // Without TLS a connection is ready as soon as it is made; the promise is fulfilled in any
        // case.
        if tls == nil { secured.succeed(()) }
        made.whenFailure { secured.fail($0) }
        return made.flatMap { channel in secured.futureResult.map { channel } }
    }

    /// Takes over a connection that was just made.
    func connected(_ channel: any NIOCore.Channel) {
        do {
            let made = try channel.pipeline.syncOperations.handler(type: ClientConnection.self)
            guard !core.isClosed, !isRetired, !made.isLost else {
                made.close()
                isFailureLasting = made.isFailureLasting
                return failed(made.loss)
            }
            connection = made
            core.startWaiting()
            made.flush()
        } catch {
            failed("the connection to \(endpoint) was lost")
        }
    }

    /// Ends an attempt on which no call was sent.
    private func failed(_ reason: String) {
        guard !isRetired else { return }
        core.resolveAgain(endpoint.target)
        if core.failed(reason) { tryLater() }
    }

    private func tryLater() {
        guard connection == nil, !isConnecting, attempt == nil, !isRetired else { return }
        let wait = backoff.next(core.configuration.chance)
        attempt = core.eventLoop.assumeIsolated().scheduleTask(in: wait) {
            self.attempt = nil
            if self.beginConnecting() { self.connect() }
        }
    }

    // MARK: - What the connection reports

    /// The server has answered on a new connection.
    func reached(_ new: ClientConnection) {
        guard connection === new else { return }
        backoff.reset()
        isFailureLasting = false
        core.reached()
        core.logEvent(.info, "connected to a server", ["server": "\(endpoint)"])
        if followsHealth { watchHealth(new, .unknown) }
    }

    /// The connection takes no more calls.
    func drained(_ old: ClientConnection) {
        guard connection === old else { return }
        forget(old)
        core.logEvent(
            .info, "a connection takes no more calls",
            [
                "server": "\(endpoint)",
                "reason": "\(old.isLost ? old.loss : "the server wants another connection")",
            ])
        core.resolveAgain(endpoint.target)
        core.startWaiting()
        if core.isInUse { tryLater() }
    }

    /// A connection was lost before the server had said anything.
    func lostEarly(_ old: ClientConnection) {
        guard connection === old else { return }
        forget(old)
        isFailureLasting = old.isFailureLasting
        // A server may refuse a certificate after the handshake has ended for the client.
        failed(old.loss)
    }

    private func forget(_ old: ClientConnection) {
        connection = nil
        watch?.end()
        watch = nil
        core.startLeaving(old)
    }

    // MARK: - Health

    /// Whether calls depend on the server's health: where there are several addresses.
    func follow(health: Bool) {
        guard health != followsHealth else { return }
        followsHealth = health
        if !health {
            watch?.end()
            watch = nil
        } else if let connection, connection.isReady {
            // The server had calls until now, so it counts as serving until it says otherwise.
            watchHealth(connection, .serving)
        }
    }

    private func watchHealth(_ connection: ClientConnection, _ verdict: HealthWatch.Verdict) {
        let watch = HealthWatch(core, connection, verdict) { [weak self] in self?.judged() }
        self.watch = watch
        watch.begin()
    }

    private func judged() {
        switch watch?.verdict {
        case .serving: core.startWaiting()
        case .notServing(let reason): _ = core.failed("\(endpoint) takes no calls: \(reason)")
        case .unknown, nil: break
        }
    }

    // MARK: - The end

    /// Makes no attempt to connect until ``beginConnecting()`` is called.
    func rest() {
        attempt?.cancel()
        attempt = nil
    }

    /// Lets the calls that run end by themselves, and takes no new ones.
    func retire() {
        isRetired = true
        rest()
        guard let connection else { return }
        forget(connection)
        connection.drain()
    }
}
