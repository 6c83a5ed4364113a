import NIOCore
import NIOEmbedded

/// A connection between a client and a server, over a network with delay, losses and freezes.
///
/// The bytes of each way come in order, in pieces of any size. A way may stand still for a time:
/// then nothing comes, and all comes when it goes on. A connection that is lost takes all bytes
/// that are under way with it, and its two ends learn of that at different times.
///
/// `@unchecked Sendable`: one thread runs all of a simulation.
final class SimulatedConnection: @unchecked Sendable {
    /// One way of the connection.
    private struct Way {
        var chance: Chance
        /// When the last piece comes.
        var last: UInt64 = 0
        /// Until when it stands still.
        var frozenUntil: UInt64 = 0
        var pieces: [[UInt8]] = []
    }

    private let world: SimulatedWorld
    private let line: Int
    private let server: any ServerEnd
    private let channel: EmbeddedChannel
    private let outlet: Outlet
    private var up: Way
    private var down: Way
    private(set) var isCut = false
    /// Since when nothing has hindered the connection.
    private(set) var wellSince: UInt64
    private var isServerClosed = false
    /// The client's part: it takes bytes, and learns of the end.
    var onBytes: ([UInt8]) -> Void = { _ in }
    var onEnd: () -> Void = {}

    init(_ line: Int, number: Int, to server: any ServerEnd, in world: SimulatedWorld) throws {
        (self.line, self.server, self.world) = (line, server, world)
        up = Way(chance: world.chance("line \(line) connection \(number) up"))
        down = Way(chance: world.chance("line \(line) connection \(number) down"))
        wellSince = max(world.now, server.asleepUntil, server.loopTime)
        outlet = Outlet()
        channel = EmbeddedChannel(handler: outlet, loop: server.channelLoop)
        outlet.onBytes = { [unowned self] bytes in carryDown(bytes) }
        try server.serve(channel)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        channel.closeFuture.whenComplete { [weak self] _ in self?.serverClosed() }
        server.add(self)
    }

    // MARK: Bytes

    /// Sends bytes of the client.
    func carryUp(_ bytes: [UInt8]) {
        send(bytes, \.up) { [weak self] in self?.deliverUp() }
    }

    private func carryDown(_ bytes: [UInt8]) {
        guard server.isAlive else { return }
        send(bytes, \.down) { [weak self] in self?.deliverDown() }
    }

    private func send(
        _ bytes: [UInt8], _ way: ReferenceWritableKeyPath<SimulatedConnection, Way>,
        _ deliver: @escaping () -> Void
    ) {
        guard !isCut, !bytes.isEmpty else { return }
        var pieces = [bytes]
        if bytes.count > 1, self[keyPath: way].chance.one(in: 6) {
            let cut = self[keyPath: way].chance.number(1...(bytes.count - 1))
            pieces = [Array(bytes[..<cut]), Array(bytes[cut...])]
        }
        for piece in pieces {
            let delay = self[keyPath: way].chance.number(WorldLimits.deliveryMicroseconds)
            // A process that sleeps sends nothing.
            let begin = way == \.down ? max(world.now, server.asleepUntil) : world.now
            let time = max(begin + UInt64(delay) * 1_000, self[keyPath: way].last)
            self[keyPath: way].last = time
            self[keyPath: way].pieces.append(piece)
            world.scheduler.at(time, line: line, deliver)
        }
    }

    private func deliverUp() {
        guard !isCut, server.isAlive else { return }
        let still = max(up.frozenUntil, server.asleepUntil, server.loopTime)
        guard still <= world.now else {
            return world.scheduler.at(still, line: line) { [weak self] in self?.deliverUp() }
        }
        guard !up.pieces.isEmpty, !isServerClosed else { return }
        let bytes = up.pieces.removeFirst()
        world.note(bytes, on: line)
        _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
    }

    private func deliverDown() {
        guard !isCut else { return }
        guard down.frozenUntil <= world.now else {
            return world.scheduler.at(down.frozenUntil, line: line) { [weak self] in
                self?.deliverDown()
            }
        }
        guard !down.pieces.isEmpty else { return }
        let bytes = down.pieces.removeFirst()
        world.note(bytes, on: line)
        onBytes(bytes)
    }

    // MARK: Errors

    /// Lets one way stand still.
    func freeze(isUp: Bool, milliseconds: Int) {
        let end = world.now + UInt64(milliseconds) * 1_000_000
        if isUp { up.frozenUntil = max(up.frozenUntil, end) } else { down.frozenUntil = end }
        hindered(until: end)
    }

    /// Notes that the connection is not well until `end`, and a little later: then the bytes that
    /// waited have come.
    func hindered(until end: UInt64) { wellSince = max(wellSince, end + 100_000_000) }

    /// Whether nothing has hindered the connection since `time`.
    func isWell(since time: UInt64) -> Bool { !isCut && server.isAlive && wellSince <= time }

    /// Ends every freeze.
    func thaw() { (up.frozenUntil, down.frozenUntil) = (0, 0) }

    /// Loses the connection; both ends learn of it later.
    func cut() {
        guard !isCut else { return }
        isCut = true
        (up.pieces, down.pieces) = ([], [])
        let (client, server) = (up.chance.number(0...60_000), down.chance.number(0...2_000_000))
        world.scheduler.after(microseconds: client) { [weak self] in self?.onEnd() }
        world.scheduler.after(microseconds: server) { [weak self] in self?.lostAtServer() }
    }

    /// The client has gone: the server learns of it by the network, unless that is lost.
    func disconnect() {
        onBytes = { _ in }
        onEnd = {}
        guard !isCut else { return }
        isCut = true
        let delay = up.chance.number(WorldLimits.deliveryMicroseconds)
        let time = max(world.now + UInt64(delay) * 1_000, up.frozenUntil)
        world.scheduler.at(time, line: line) { [weak self] in
            self?.lostAtServer()
        }
    }

    private func lostAtServer() {
        guard server.asleepUntil <= world.now else {
            return world.scheduler.at(server.asleepUntil, line: line) { [weak self] in
                self?.lostAtServer()
            }
        }
        if server.isAlive { closeServer() }
    }

    /// Closes the server's end.
    func closeServer() {
        guard !isServerClosed else { return }
        isServerClosed = true
        channel.close(promise: nil)
    }

    /// The server closed its end: the client learns of it after the bytes before.
    private func serverClosed() {
        isServerClosed = true
        guard !isCut, server.isAlive else { return }
        let delay = down.chance.number(WorldLimits.deliveryMicroseconds)
        let time = max(world.now + UInt64(delay) * 1_000, down.last, down.frozenUntil)
        world.scheduler.at(time, line: line) { [weak self] in
            guard let self, !self.isCut else { return }
            self.isCut = true
            self.onEnd()
        }
    }
}

/// The end of a channel: hands on what is written, as a socket does.
final class Outlet: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    var onBytes: ([UInt8]) -> Void = { _ in }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        onBytes(Array(unwrapOutboundIn(data).readableBytesView))
        promise?.succeed(())
    }

    func flush(context: ChannelHandlerContext) {}
}

/// The process at the other end of a connection.
protocol ServerEnd: AnyObject {
    /// The loop of its channels.
    var channelLoop: EmbeddedEventLoop { get }
    var isAlive: Bool { get }
    /// Until when nothing of it runs.
    var asleepUntil: UInt64 { get }
    /// When its loop gets its next turn.
    var loopTime: UInt64 { get }

    func serve(_ channel: EmbeddedChannel) throws
    func add(_ connection: SimulatedConnection)
}
