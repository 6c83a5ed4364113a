import HTTP2
import NIOCore

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

    private let book: AddressBook
    /// One for each address.
    private(set) var subchannels: [Subchannel] = []
    /// The subchannel that had the latest call.
    private var turn = 0
    /// Connections that take no more calls, and have some.
    private var leaving: [ObjectIdentifier: ClientConnection] = [:]
    /// Why the latest attempt failed.
    private var fault = "there is no server"
    private(set) var isClosed = false

    /// Calls without a stream, in the order in which they came; those before `firstWaiting` have
    /// left the queue.
    private var waiting: [ClientCall] = []
    private var firstWaiting = 0
    private var isStarting = false

    init(
        eventLoop: any EventLoop, configuration: ClientConfiguration,
        dial: @escaping Subchannel.Dial = Subchannel.dial
    ) {
        self.eventLoop = eventLoop
        self.configuration = configuration
        self.dial = dial
        keepalive = configuration.boundedKeepalive
        book = AddressBook(configuration, eventLoop)
        book.changed = { [weak self] in self?.takeAddresses() }
        book.failed = { [weak self] in self?.failed($0) ?? false }
        takeAddresses()
        // Clients that know the same servers do not all begin with the same one.
        turn = subchannels.isEmpty ? 0 : Int.random(in: 0..<subchannels.count)
    }

    // MARK: - Calls

    /// Gives `call` a stream, now or when one is free.
    func start(_ call: ClientCall) {
        eventLoop.preconditionInEventLoop()
        guard !isClosed else {
            return call.finish(Status(.unavailable, "the channel is closed"), [])
        }
        guard !call.isPinned else {
            return call.finish(Status(.unavailable, "the connection takes no more calls"), [])
        }
        if waiting.count - firstWaiting >= CallLimits.waitingCalls { forgetEnded() }
        guard waiting.count - firstWaiting < CallLimits.waitingCalls else {
            return call.finish(Status(.resourceExhausted, "too many calls wait"), [])
        }
        waiting.append(call)
        startWaiting()
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
        while firstWaiting < waiting.count {
            let call = waiting[firstWaiting]
            if call.isWaiting {
                guard let connection = nextConnection() else {
                    if !subchannels.contains(where: \.isReady) { reach() }
                    break
                }
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
    private func nextConnection() -> ClientConnection? {
        for _ in subchannels.indices {
            turn = turn + 1 < subchannels.count ? turn + 1 : 0
            if let connection = subchannels[turn].open { return connection }
        }
        return nil
    }

    /// Removes the calls that ended while they waited.
    private func forgetEnded() {
        waiting = waiting[firstWaiting...].filter(\.isWaiting)
        firstWaiting = 0
    }

    /// Ends the calls that wait, without those that wait for a server to come back.
    private func failWaiting(_ status: Status, all: Bool = false) {
        let calls = waiting[firstWaiting...]
        waiting = calls.filter { $0.isWaiting && $0.waitsForReady && !all }
        firstWaiting = 0
        for call in calls where call.isWaiting && (all || !call.waitsForReady) {
            call.finish(status, [])
        }
    }

    // MARK: - Servers

    /// Whether a server takes calls, or will soon be known to take them or not.
    var isInUse: Bool { book.isLooking || subchannels.contains { $0.isReady || $0.isTrying } }

    /// Tries to reach every server, because calls wait and no server takes them.
    private func reach() {
        book.look()
        connect()
        // If the next attempt comes after a wait, the calls have its result.
        guard !isInUse, !book.isWaiting, !subchannels.contains(where: \.isWaiting) else { return }
        failWaiting(Status(.unavailable, fault))
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
        fault = reason
        let isInUse = self.isInUse
        if !isInUse { failWaiting(Status(.unavailable, reason), all: isClosed) }
        guard !isClosed, isInUse || hasWaiting else {
            // While no call needs a server, none is tried.
            for subchannel in subchannels { subchannel.rest() }
            book.rest()
            return false
        }
        return true
    }

    private var hasWaiting: Bool { waiting[firstWaiting...].contains(where: \.isWaiting) }

    /// Looks up a server's name again, if it has one.
    func lookAgain(_ target: ServerTarget) {
        book.lookAgain(target)
    }

    /// Connects to addresses that are new, and lets go of those that have vanished.
    private func takeAddresses() {
        let endpoints = book.endpoints
        let old = subchannels
        subchannels = endpoints.map { endpoint in
            old.first { $0.endpoint == endpoint } ?? Subchannel(self, endpoint)
        }
        if turn >= subchannels.count { turn = 0 }
        let hasSeveral = subchannels.count > 1
        for subchannel in subchannels { subchannel.follow(health: hasSeveral) }
        for gone in old where !endpoints.contains(gone.endpoint) { gone.retire() }
        guard !isClosed else { return }
        if hasWaiting || (hasSeveral && isInUse) { connect() }
        startWaiting()
    }

    /// A server has ended a connection because of our pings.
    func pingedTooOften() {
        keepalive = keepalive.map { min($0 * 2, .seconds(CallLimits.longestKeepaliveSeconds)) }
    }

    /// A connection takes no more calls, and may still have some.
    func leave(_ connection: ClientConnection) {
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
        failWaiting(Status(.unavailable, "the channel is closed"), all: true)
        let connections = subchannels.compactMap(\.connection) + leaving.values
        for subchannel in subchannels { subchannel.retire() }
        subchannels = []
        for connection in connections { connection.close() }
    }
}
