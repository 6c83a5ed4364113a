import GRPCWire
import HTTP2
import Logging
import NIOCore
package import RPC

/// A channel's state on its event loop: the ways to its servers, and the calls that wait for one.
///
/// All connections of a channel are on one event loop. So a call may go to any of them, and costs
/// no lock.
///
/// `Sendable` is unchecked: the constants do not change, and everything else is touched on the
/// event loop only.
final class ClientCore: @unchecked Sendable {
    let eventLoop: any EventLoop
    let configuration: ClientConfiguration
    let dial: Subchannel.Dial
    let streams = StreamPool()
    let packer = MessagePacker()

    /// ``ClientConfiguration/keepalive``, doubled each time a server found the pings too many.
    private(set) var keepalive: TimeAmount?

    /// The log of connections: a server that is away, and calls that come often, must not fill it.
    private let log: BoundedLog?
    private let book: AddressBook
    /// One for each address.
    private(set) var subchannels: [Subchannel] = []
    /// The subchannel that had the latest call.
    private var nextIndex = 0
    /// Connections that take no more calls, and have some.
    private var leaving: [ObjectIdentifier: ClientConnection] = [:]
    /// Why the latest attempt to reach a server failed; nil since one was reached.
    private(set) var failure: String?
    private(set) var isClosed = false

    private(set) var waiting = WaitingCalls()
    private var isStarting = false

    private var deadlines = DeadlineQueue<ClientCall>()
    private var timer: Scheduled<Void>?

    init(
        eventLoop: any EventLoop, configuration: ClientConfiguration,
        dial: @escaping Subchannel.Dial = Subchannel.dial
    ) {
        self.eventLoop = eventLoop
        self.configuration = configuration
        self.dial = dial
        keepalive = configuration.boundedKeepalive
        log = configuration.logger.map { BoundedLog($0) }
        book = AddressBook(configuration, eventLoop)
        book.changed = { [weak self] in self?.applyAddresses() }
        book.failed = { [weak self] in self?.failed($0) ?? false }
        applyAddresses()
        // Clients that know the same servers do not all begin with the same one.
        var chance = configuration.chance
        nextIndex =
            subchannels.isEmpty ? 0 : Int.random(in: 0..<subchannels.count, using: &chance)
    }

    // MARK: - Calls

    /// Gives `call` a stream, now or when one is free.
    func start(_ call: ClientCall) {
        eventLoop.preconditionInEventLoop()
        if let refusal = refusal(of: call) { return call.finish(refusal.status, refusal.origin) }
        waiting.append(call)
        startWaiting()
    }

    /// Why a call cannot begin; nil if it may.
    func refusal(of call: ClientCall) -> (status: Status, origin: RPCError.Origin)? {
        if isClosed { return (.clientClosed, .closed) }
        if call.isPinned {
            return (Status(.unavailable, "the connection takes no more calls"), .way)
        }
        guard waiting.count < CallLimits.waitingCalls else {
            let words = "\(CallLimits.waitingCalls) calls wait already: let fewer wait at once"
            return (Status(.resourceExhausted, words), .caller)
        }
        return nil
    }

    /// A call has ended before it had a stream.
    func forget(_ call: ClientCall) {
        waiting.remove(call)
    }

    /// Opens streams for waiting calls, as many as the servers allow.
    func startWaiting() {
        guard !isStarting else { return }
        isStarting = true
        defer { isStarting = false }
        // A flush may end calls, so that there is room for others.
        repeat { openWaiting() } while flushOpened()
    }

    private func openWaiting() {
        while let call = waiting.first {
            guard let connection = nextConnection() else {
                if !subchannels.contains(where: \.isReady) { reach() }
                return
            }
            waiting.remove(call)
            connection.open(call)
        }
    }

    /// Sends the calls that were opened; false if there are none.
    private func flushOpened() -> Bool {
        var hasFlushed = false
        for subchannel in subchannels {
            guard let connection = subchannel.connection, connection.hasNewCalls else { continue }
            connection.flushSoon()
            hasFlushed = true
        }
        return hasFlushed
    }

    /// The connection whose turn it is, of those that can take a call now.
    ///
    /// A server that seems to hang has calls only if no other one takes them.
    private func nextConnection() -> ClientConnection? {
        var suspect: ClientConnection?
        for _ in subchannels.indices {
            nextIndex = nextIndex + 1 < subchannels.count ? nextIndex + 1 : 0
            guard let connection = subchannels[nextIndex].open else { continue }
            if !connection.isSuspect { return connection }
            suspect = suspect ?? connection
        }
        return suspect
    }

    /// Ends the calls that wait, without those that wait for a server to come back.
    private func failWaiting(_ status: Status, _ origin: RPCError.Origin, all: Bool = false) {
        for call in waiting.calls(where: { all || !$0.waitsForReady }) {
            call.finish(status, origin)
        }
    }

    // MARK: - Deadlines

    /// Ends `call` when its deadline comes.
    func watch(_ call: ClientCall, _ deadline: Deadline) {
        let earliest = deadlines.earliest
        deadlines.add(.init(time: deadline.time, call: call)) { $0.call.end == nil }
        if earliest.map({ deadline.time < $0 }) ?? true { setTimer() }
    }

    private func setTimer() {
        timer?.cancel()
        timer = nil
        guard let earliest = deadlines.earliest else { return }
        timer = eventLoop.assumeIsolated().scheduleTask(deadline: earliest) {
            self.timer = nil
            while let entry = self.deadlines.popExpired(at: self.eventLoop.now) {
                entry.call.expire()
            }
            self.setTimer()
        }
    }

    // MARK: - Servers

    /// Whether a server takes calls, or will soon be known to take them or not.
    var isInUse: Bool { book.isLooking || subchannels.contains { $0.isReady || $0.isTrying } }

    /// Tries to reach every server, because calls wait and no server takes them.
    private func reach() {
        book.resolve()
        connect()
        // If the next attempt comes after a wait, the calls have its result.
        guard !isInUse, !book.isWaiting, !subchannels.contains(where: \.isWaiting) else { return }
        failWaiting(
            Status(.unavailable, failure ?? "there is no server"), isFailureLasting ? .setup : .way)
    }

    /// Whether no server can be reached until this client, or every server, is set up otherwise.
    private var isFailureLasting: Bool {
        !subchannels.isEmpty && subchannels.allSatisfy(\.isFailureLasting)
    }

    /// Connects to every address that has no connection.
    private func connect() {
        // All begin before the first can fail: calls fail only when all have failed.
        let begun = subchannels.filter { $0.beginConnecting() }
        for subchannel in begun { subchannel.connect() }
    }

    /// An attempt to reach a server has failed.
    ///
    /// - Returns: Whether another one follows after a wait: because calls wait for it, or because
    ///   other servers are in use.
    func failed(_ reason: String) -> Bool {
        failure = reason
        logEvent(.warning, "a server cannot be reached", ["reason": "\(reason)"])
        let isInUse = self.isInUse
        if !isInUse {
            failWaiting(Status(.unavailable, reason), isFailureLasting ? .setup : .way)
        }
        guard !isClosed, isInUse || waiting.count > 0 else {
            // While no call needs a server, none is tried.
            for subchannel in subchannels { subchannel.rest() }
            book.rest()
            return false
        }
        return true
    }

    /// A server has answered on a new connection.
    func reached() {
        failure = nil
    }

    /// Logs an event of a connection.
    func logEvent(
        _ level: Logger.Level, _ message: Logger.Message,
        _ metadata: @autoclosure () -> Logger.Metadata
    ) {
        log?.log(level, message, at: eventLoop.now, metadata())
    }

    /// Looks up a server's name again, if it has one.
    func resolveAgain(_ target: ServerTarget) {
        book.resolveAgain(target)
    }

    /// Connects to addresses that are new, and drops those that have vanished.
    private func applyAddresses() {
        let endpoints = book.endpoints
        let old = subchannels
        subchannels = endpoints.map { endpoint in
            old.first { $0.endpoint == endpoint } ?? Subchannel(self, endpoint)
        }
        if nextIndex >= subchannels.count { nextIndex = 0 }
        let hasSeveral = subchannels.count > 1
        for subchannel in subchannels { subchannel.follow(health: hasSeveral) }
        for gone in old where !endpoints.contains(gone.endpoint) { gone.retire() }
        guard !isClosed else { return }
        if waiting.count > 0 || (hasSeveral && isInUse) { connect() }
        startWaiting()
    }

    /// A server has ended a connection because of our pings.
    func pingedTooOften() {
        keepalive = keepalive.map { min($0 * 2, .seconds(CallLimits.longestKeepaliveSeconds)) }
    }

    /// A connection takes no more calls, and may still have some.
    func startLeaving(_ connection: ClientConnection) {
        if !connection.isLost { leaving[ObjectIdentifier(connection)] = connection }
    }

    /// A connection is gone.
    func lost(_ connection: ClientConnection) {
        leaving[ObjectIdentifier(connection)] = nil
    }

    // MARK: - The end

    /// Ends all calls and the connections.
    func close() {
        isClosed = true
        book.close()
        failWaiting(.clientClosed, .closed, all: true)
        timer?.cancel()
        timer = nil
        let connections = subchannels.compactMap(\.connection) + leaving.values
        for subchannel in subchannels { subchannel.retire() }
        subchannels = []
        for connection in connections { connection.close() }
        deadlines = DeadlineQueue()
    }
}

extension Status {
    /// The status of every call of a client that was closed.
    package static let clientClosed = Status(
        .cancelled, "the client was closed: calls need a new one")
}

extension RPCError {
    /// The error of every call of a client that was closed.
    package static var clientClosed: RPCError {
        var error = RPCError(Status.clientClosed.code, Status.clientClosed.message)
        error.origin = .closed
        return error
    }
}
