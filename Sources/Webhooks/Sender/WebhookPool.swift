import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Receivers that may share connections.
struct WebhookOrigin: Hashable {
    let isTLS: Bool
    let host: String
    let port: Int
    let policy: AddressPolicy
    /// Its identity counts: two objects may show different certificates.
    let tls: WebhookTLS
    let address: IPAddress?

    init(_ endpoint: WebhookEndpoint) {
        isTLS = endpoint.url.isTLS
        host = endpoint.url.host
        port = endpoint.url.port
        address = endpoint.url.address
        policy = endpoint.policy
        tls = endpoint.tls
    }

    static func == (one: WebhookOrigin, other: WebhookOrigin) -> Bool {
        one.isTLS == other.isTLS && one.host == other.host && one.port == other.port
            && one.policy == other.policy && one.tls === other.tls
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(isTLS)
        hasher.combine(host)
        hasher.combine(port)
        hasher.combine(ObjectIdentifier(tls))
    }
}

/// The connections of a sender, and the requests that have one or wait for one.
///
/// It belongs to the sender's loop. Connections that are idle are used again, the youngest first.
final class WebhookPool {
    private struct Line {
        /// Connections that are open or being made.
        var open = 0
        var idle: [WebhookConnection] = []
        var waiting: [WebhookExchange] = []
    }

    private let settings: WebhookSenderSettings
    private let loop: any EventLoop
    private let resolver: any HostResolver
    private let count: (_ change: (inout WebhookSenderCounts) -> Void) -> Void
    private var lines: [WebhookOrigin: Line] = [:]
    private var exchanges: [UInt64: WebhookExchange] = [:]
    private var connections: [ObjectIdentifier: WebhookConnection] = [:]
    private var idleCount = 0
    private var waitingCount = 0
    private var lookups = 0
    private var isClosed = false

    init(
        _ settings: WebhookSenderSettings, _ loop: any EventLoop, _ resolver: any HostResolver,
        count: @escaping (_ change: (inout WebhookSenderCounts) -> Void) -> Void
    ) {
        self.settings = settings
        self.loop = loop
        self.resolver = resolver
        self.count = count
    }

    // MARK: - Requests

    func start(_ exchange: WebhookExchange) {
        count { $0.requests += 1 }
        exchanges[exchange.id] = exchange
        guard !isClosed else { return finish(exchange, .failure(.closed)) }
        exchange.timer = loop.assumeIsolated().scheduleTask(deadline: exchange.deadline) {
            self.expire(exchange)
        }
        assign(exchange, mayReuse: true)
    }

    /// Gives a request a connection, or lets it wait for one.
    private func assign(_ exchange: WebhookExchange, mayReuse: Bool) {
        // A process that was stopped meanwhile finds requests whose time is over.
        guard isInTime(exchange) else {
            return finish(exchange, .failure(.timedOut(exchange.phase)))
        }
        let origin = WebhookOrigin(exchange.endpoint)
        if mayReuse, let connection = lines[origin]?.idle.popLast() {
            idleCount -= 1
            connection.send(exchange)
        } else if lines[origin]?.open ?? 0 < max(1, settings.connectionsPerOrigin), makesRoom() {
            open(origin, for: exchange)
        } else if waitingCount >= settings.waitingRequests {
            finish(exchange, .failure(.tooManyWaiting))
        } else {
            exchange.phase = .waiting
            waitingCount += 1
            lines[origin, default: Line()].waiting.append(exchange)
        }
        note()
    }

    /// Sends a request again that has not arrived, on a new connection.
    func repeats(_ exchange: WebhookExchange) {
        guard !exchange.isDone, !isClosed else { return }
        exchange.isRepeated = true
        exchange.connection = nil
        count { $0.repeated += 1 }
        assign(exchange, mayReuse: false)
    }

    /// Whether a request may still go out.
    ///
    /// Its timer alone does not tell: a process that wakes up after a stop looks at its sockets
    /// first. Another server may have the hook by then.
    private func isInTime(_ exchange: WebhookExchange) -> Bool { loop.now < exchange.deadline }

    private func expire(_ exchange: WebhookExchange) {
        if let connection = exchange.connection {
            connection.expire(exchange)
        } else {
            withdraw(exchange)
            finish(exchange, .failure(.timedOut(exchange.phase)))
        }
    }

    func cancel(_ id: UInt64) {
        guard let exchange = exchanges[id] else { return }
        if let connection = exchange.connection {
            connection.exchange = nil
            connection.close()
        } else {
            withdraw(exchange)
        }
        finish(exchange, .failure(.cancelled))
    }

    private func withdraw(_ exchange: WebhookExchange) {
        let origin = WebhookOrigin(exchange.endpoint)
        guard let index = lines[origin]?.waiting.firstIndex(where: { $0 === exchange }) else {
            return
        }
        lines[origin]?.waiting.remove(at: index)
        waitingCount -= 1
        dropIfEmpty(origin)
    }

    func finish(_ exchange: WebhookExchange, _ result: Result<WebhookAnswer, WebhookFailure>) {
        guard !exchange.isDone else { return }
        exchanges[exchange.id] = nil
        count { counts in
            switch result {
            case .success(let answer): counts.answers[min(max(answer.status / 100, 0), 5)] += 1
            case .failure(let failure): counts.failures[failure.label, default: 0] += 1
            }
        }
        exchange.finish(result)
        note()
    }

    func sends(_ bytes: Int) {
        count { $0.sentBytes += UInt64(bytes) }
    }

    private func note() {
        let (open, idle, waiting) = (connections.count, idleCount, waitingCount)
        count {
            $0.openConnections = open
            $0.idleConnections = idle
            $0.waitingRequests = waiting
        }
    }

    // MARK: - Connections

    /// Whether there is room for a connection; an idle one gives way.
    private func makesRoom() -> Bool {
        if connections.count < max(1, settings.connections) { return true }
        let line = idleCount > 0 ? lines.values.first { !$0.idle.isEmpty } : nil
        guard let victim = line?.idle.first else { return false }
        victim.close()
        return true
    }

    private func open(_ origin: WebhookOrigin, for exchange: WebhookExchange) {
        let connection = WebhookConnection(origin, self)
        connection.exchange = exchange
        exchange.connection = connection
        connections[ObjectIdentifier(connection)] = connection
        lines[origin, default: Line()].open += 1
        count { $0.connectionsMade += 1 }
        let latest = min(loop.now + TimeAmount(settings.connectTime), exchange.deadline)
        connection.idleTimer = loop.assumeIsolated().scheduleTask(deadline: latest) {
            guard !connection.isReady, let exchange = connection.exchange else { return }
            connection.expire(exchange)
        }
        guard !origin.isTLS || origin.tls.context != nil else {
            return fail(connection, .notSecured(.other))
        }
        if let address = origin.address { return connect(connection, [address], until: latest) }
        exchange.phase = .resolving
        resolve(connection, until: latest)
    }

    private func resolve(_ connection: WebhookConnection, until latest: NIODeadline) {
        // A lookup cannot be ended, so those that were given up count too.
        guard lookups < 2 * settings.connections else { return fail(connection, .unresolved) }
        lookups += 1
        let bound = NIOLoopBound((self, connection), eventLoop: loop)
        let (loop, resolver, name) = (loop, resolver, connection.origin.host)
        let tenant = connection.exchange?.endpoint.tenant ?? 0
        Task {
            let found = try? await resolver.addresses(of: name, for: tenant)
            loop.execute {
                let (pool, connection) = bound.value
                pool.lookups -= 1
                pool.found(found, connection, until: latest)
            }
        }
    }

    private func found(
        _ addresses: [IPAddress]?, _ connection: WebhookConnection, until latest: NIODeadline
    ) {
        guard !connection.isGone else { return }
        guard let addresses else { return fail(connection, .unresolved) }
        guard !addresses.isEmpty else { return fail(connection, .refused(.noAddress)) }
        guard addresses.count <= WebhookLimits.addressesPerName else {
            return fail(connection, .refused(.tooManyAddresses))
        }
        // One bad address is enough: a name of the Internet has none.
        for address in addresses {
            if let refusal = connection.origin.policy.refusal(of: address) {
                return fail(connection, .refused(refusal))
            }
        }
        connect(connection, addresses.prefix(WebhookLimits.triedAddresses), until: latest)
    }

    /// Connects to one address after another, each of which has its share of the time.
    private func connect(
        _ connection: WebhookConnection, _ addresses: ArraySlice<IPAddress>,
        until latest: NIODeadline
    ) {
        guard let address = addresses.first,
            let socket = try? SocketAddress(
                ipAddress: address.description, port: connection.origin.port)
        else { return fail(connection, .notConnected) }
        connection.exchange?.phase = .connecting
        let share = TimeAmount.nanoseconds(
            (latest - loop.now).nanoseconds / Int64(addresses.count))
        let bound = NIOLoopBound(connection, eventLoop: loop)
        ClientBootstrap(group: loop)
            .connectTimeout(max(share, .milliseconds(1)))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try WebhookPool.prepare(channel, bound.value)
                }
            }
            .connect(to: socket).assumeIsolated().whenComplete { result in
                switch result {
                case .success(let channel):
                    if connection.isGone { return channel.close(promise: nil) }
                case .failure:
                    guard !connection.isGone, connection.channel == nil else { return }
                    self.connect(connection, addresses.dropFirst(), until: latest)
                }
            }
    }

    private static func prepare(_ channel: any Channel, _ connection: WebhookConnection) throws {
        let pipeline = channel.pipeline.syncOperations
        let origin = connection.origin
        if origin.isTLS {
            guard let context = origin.tls.context else {
                throw WebhookTLS.SetupError(description: "TLS cannot be set up")
            }
            // TLS has no place for an address in the name that it sends.
            let name = origin.address == nil ? origin.host : nil
            try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
        }
        try pipeline.addHandler(AnswerMeter(connection))
        try pipeline.addHTTPClientHandlers(leftOverBytesStrategy: .dropBytes)
        try pipeline.addHandler(connection)
    }

    /// A connection can be used: it takes the request for which it was made.
    func isReady(_ connection: WebhookConnection) {
        connection.idleTimer?.cancel()
        guard let exchange = connection.exchange else { return isFree(connection) }
        guard isInTime(exchange) else {
            connection.exchange = nil
            finish(exchange, .failure(.timedOut(exchange.phase)))
            return isFree(connection)
        }
        connection.send(exchange)
    }

    /// A connection has given its answer: it takes another request, or is idle.
    func isFree(_ connection: WebhookConnection) {
        guard !isClosed, !connection.isGone else { return connection.close() }
        let origin = connection.origin
        if needsRoom(other: origin) {
            connection.close()
            return
        }
        while lines[origin]?.waiting.isEmpty == false,
            let next = lines[origin]?.waiting.removeFirst()
        {
            waitingCount -= 1
            guard isInTime(next) else {
                finish(next, .failure(.timedOut(next.phase)))
                continue
            }
            connection.send(next)
            return note()
        }
        idleCount += 1
        connection.idleSince = loop.now
        lines[origin, default: Line()].idle.append(connection)
        connection.idleTimer = loop.assumeIsolated().scheduleTask(
            in: TimeAmount(settings.idleTime)
        ) { connection.close() }
        note()
    }

    /// Whether another origin has no connection and waits longer, while there is no room for one.
    private func needsRoom(other origin: WebhookOrigin) -> Bool {
        guard waitingCount > 0, connections.count >= max(1, settings.connections) else {
            return false
        }
        let own = lines[origin]?.waiting.first?.id ?? .max
        return lines.contains { other, line in
            other != origin && line.open == 0 && line.waiting.first.map { $0.id < own } ?? false
        }
    }

    /// A connection is of no further use: its slot is free.
    func remove(_ connection: WebhookConnection) {
        guard !connection.isGone else { return }
        connection.isGone = true
        connection.idleTimer?.cancel()
        let origin = connection.origin
        connections[ObjectIdentifier(connection)] = nil
        lines[origin]?.open -= 1
        if let index = lines[origin]?.idle.firstIndex(where: { $0 === connection }) {
            lines[origin]?.idle.remove(at: index)
            idleCount -= 1
        }
        dropIfEmpty(origin)
        note()
        // Not here: a caller may be about to use the room.
        loop.assumeIsolated().execute { self.openForWaiting() }
    }

    /// A request on a kept connection had no answer: ends the connections that are idle since
    /// before it went out.
    ///
    /// The way to the receiver may have slept and forgotten them all. Each would cost a request its
    /// whole time, while a new connection shows at once whether the receiver is there.
    func closeIdle(_ origin: WebhookOrigin, since time: NIODeadline) {
        for connection in lines[origin]?.idle ?? [] where connection.idleSince <= time {
            connection.close()
        }
    }

    /// A connection is over that had sent nothing, or could not be made.
    func ended(_ connection: WebhookConnection, _ tlsFailure: WebhookFailure.TLSFailure?) {
        guard let exchange = connection.exchange else { return remove(connection) }
        let isTLSFailure = connection.origin.isTLS && connection.channel != nil
        let failure: WebhookFailure =
            tlsFailure.map { .notSecured($0) }
            ?? (isTLSFailure ? .notSecured(.other) : .notConnected)
        connection.exchange = nil
        remove(connection)
        finish(exchange, .failure(failure))
    }

    /// A connection cannot be made.
    private func fail(_ connection: WebhookConnection, _ failure: WebhookFailure) {
        let exchange = connection.exchange
        connection.exchange = nil
        remove(connection)
        if let exchange { finish(exchange, .failure(failure)) }
    }

    /// Opens connections for requests that wait, where there is room: origins without any first.
    private func openForWaiting() {
        while waitingCount > 0, !isClosed {
            let mayOpen = lines.filter {
                !$0.value.waiting.isEmpty && $0.value.open < max(1, settings.connectionsPerOrigin)
            }
            let first = mayOpen.min { one, other in
                (one.value.open, one.value.waiting[0].id)
                    < (other.value.open, other.value.waiting[0].id)
            }
            guard let origin = first?.key,
                makesRoom(), let next = lines[origin]?.waiting.removeFirst()
            else { return }
            waitingCount -= 1
            open(origin, for: next)
        }
        note()
    }

    private func dropIfEmpty(_ origin: WebhookOrigin) {
        guard let line = lines[origin], line.open == 0, line.waiting.isEmpty else { return }
        lines[origin] = nil
    }

    // MARK: - The end

    /// Fails all requests, and ends all connections.
    ///
    /// - Returns: Completed when they are closed.
    func close() -> EventLoopFuture<Void> {
        isClosed = true
        for exchange in exchanges.values { finish(exchange, .failure(.closed)) }
        for origin in lines.keys { lines[origin]?.waiting = [] }
        waitingCount = 0
        let closing = connections.values.compactMap { $0.channel?.closeFuture }
        for connection in connections.values {
            connection.exchange = nil
            connection.close()
        }
        return EventLoopFuture.andAllComplete(closing, on: loop)
    }
}
