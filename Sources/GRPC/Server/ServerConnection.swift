import HTTP2
import Logging
import NIOCore
import NIOSSL
import RPC

/// One client's connection: bytes from the socket to the session, calls from the session to their
/// handlers, and answers back.
///
/// The last handler in its channel's pipeline, and the only one but for TLS. A wake-up feeds all
/// that was read, runs what that led to, and writes once.
///
/// Why properties are `@exclusivity(unchecked)` is said at ``ServerCall``.
final class ServerConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How soon the next read follows.
    private enum NextRead {
        case usual
        /// There is most likely more to read, so nothing delays it.
        case full
        /// A little later; see ``refusedCall()``.
        case delayed
    }

    /// The things that wait until other connections have had their turns.
    private enum Waiting {
        case nothing
        case turn
        /// More is to be read when all is taken that was read.
        case turnAndRead
    }

    let session: Session

    /// The number by which its loop finds it.
    let number: Int

    let loop: ServerLoop
    private let onClose: @Sendable () -> Void
    @exclusivity(unchecked) private(set) var context: ChannelHandlerContext?
    @exclusivity(unchecked) private(set) var peerLimits: PeerLimits

    @exclusivity(unchecked) var life: ConnectionLife

    /// Looks whether the client's certificate has ended.
    @exclusivity(unchecked) var certificateTimer: Scheduled<Void>?

    /// The socket, if nothing stands between it and this handler.
    @exclusivity(unchecked) var socket: DirectSocket?
    /// Writes that SwiftNIO has, because the socket did not take them at once.
    @exclusivity(unchecked) private var queuedWrites = 0

    @exclusivity(unchecked) private(set) var isWritable = true
    @exclusivity(unchecked) private var isFlushing = false

    @exclusivity(unchecked) private var nextRead = NextRead.usual
    @exclusivity(unchecked) private var waiting = Waiting.nothing

    /// The bytes that were read and not yet taken, because the turn was over.
    @exclusivity(unchecked) var rest = ByteBuffer()
    @exclusivity(unchecked) var turn = TimeSlice()

    /// Whether the first bytes have told which protocol the client speaks.
    @exclusivity(unchecked) var isProtocolKnown = false

    /// The handler that speaks HTTP/1.1 with the client; nil if the client speaks HTTP/2.
    var http1: HTTP1Front?

    /// Whether the client was seen to be gone.
    @exclusivity(unchecked) var hasLeft = false

    /// In the loop's list of connections to flush.
    @exclusivity(unchecked) var isDirty = false

    /// Bytes of messages of all calls that are half received, or that work is done for.
    @exclusivity(unchecked) var assembling = 0

    /// Open calls that need no credential.
    @exclusivity(unchecked) var unauthenticatedCalls = 0

    /// The SHA-256 of the client's certificate, if it has shown one.
    ///
    /// Allocated by ``showed(_:_:by:)`` after the handshake, and freed with the connection.
    @exclusivity(unchecked) var peerCertificate: UnsafeRawBufferPointer?

    /// The callers whose calls came on the connection last.
    @exclusivity(unchecked) private var shown = RecentCallers()

    /// Whether the call that came last was one of `usage`'s.
    func isLastShown(_ usage: ObjectIdentifier) -> Bool { shown.isLast(usage) }

    private var hasComplained = false

    /// Where the client is; a channel that has ended knows it no more.
    private var address: SocketAddress?

    /// The addresses with which it shares what is bounded by address.
    private(set) var block: AddressBlock?

    private(set) lazy var peerAddress = address?.readable ?? "unknown"

    /// `onClose` is called once, on the loop, when the connection is gone.
    init(loop: ServerLoop, onClose: @escaping @Sendable () -> Void) throws(SessionError) {
        self.loop = loop
        self.onClose = onClose
        number = loop.nextConnectionNumber()
        session = try Session(
            role: .server, settings: loop.configuration.settings, pool: loop.streams,
            rememberingHeadsBut: "grpc-timeout")
        let now = loop.eventLoop.now
        peerLimits = PeerLimits(now: now)
        life = ConnectionLife(now: now, ageSeconds: loop.configuration.connectionAgeSeconds)
    }

    deinit {
        peerCertificate?.deallocate()
    }

    /// Whether its client was told, or is about to be, that it ends.
    var isEnding: Bool { !life.isOpen }

    var closeFuture: EventLoopFuture<Void>? { context?.channel.closeFuture }

    // MARK: - The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // As it was when the client was accepted: the system forgets it when the client has gone.
        address = context.channel.remoteAddress
        block = AddressBlock(address)
        if loop.configuration.tls == nil {
            socket = DirectSocket(context.pipeline.syncOperations)
        }
        loop.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        lost()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        loop.wake()
        peerLimits.heard(at: loop.now)
        guard !life.isClosed else { return }
        var buffer = unwrapInboundIn(data)
        loop.meter.count(.receivedBytes, buffer.readableBytes)
        nextRead = buffer.readableBytes >= CallLimits.bytesPerTurn ? .full : .usual
        if rest.readableBytes > 0 { rest.writeBuffer(&buffer) } else { rest = buffer }
        take()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        loop.wake()
        process()
        markDirty()
        loop.flush()
    }

    /// Asks for more bytes: at once, a little later, or when all is done that has come.
    func read(context: ChannelHandlerContext) {
        guard waiting == .nothing else { return waiting = .turnAndRead }
        guard nextRead == .delayed else { return context.read() }
        nextRead = .usual
        let channel = context.channel
        let later = context.eventLoop.assumeIsolated()
        later.scheduleTask(deadline: loop.nextRefusedRead) { channel.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        peerLimits.writable(isWritable, at: loop.eventLoop.now)
        guard isWritable, !isFlushing else { return }
        loop.wake()
        markDirty()
        loop.flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        loop.wake()
        lost()
        loop.flush()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let why = PlainError(error).description
        loop.logger.debug("connection failed", metadata: ["error": "\(why)"])
        // A client that goes in the handshake may only have asked whether the port is open. One
        // that cuts an encrypted connection later may have lost its network.
        if case .handshakeFailed(let reason)? = error as? NIOSSLError,
            reason != .sslError([.eofDuringHandshake])
        {
            complain("failed_tls_handshake", why)
        }
        context.close(promise: nil)
    }

    /// Tells the log what the client did wrong: once, for what comes after is of a kind.
    ///
    /// - Parameter why: Details that the protocol violation's name does not give.
    func complain(_ violation: StaticString, _ why: String? = nil) {
        guard !hasComplained else { return }
        hasComplained = true
        loop.violations.count(violation)
        var metadata: Logger.Metadata = ["peer": "\(peerAddress)", "violation": "\(violation)"]
        if let why { metadata["why"] = "\(why)" }
        loop.complaints.log(
            .notice, "a client violates the protocol", at: loop.eventLoop.now, metadata)
    }

    // MARK: - In

    /// Hands to the session what was read, in pieces, as long as the turn goes on.
    private func take() {
        guard isProtocolKnown || choosesHTTP2() else { return }
        while !life.isClosed, waiting == .nothing, !turn.isOver, rest.readableBytes > 0 {
            var count = 0
            do throws(SessionError) {
                // A closure of the package would lose the error's type.
                var failure: SessionError?
                rest.withUnsafeReadableBytes { bytes in
                    do throws(SessionError) {
                        count = try session.receive(bytes, about: CallLimits.bytesPerLook)
                    } catch { failure = error }
                }
                if let failure { throw failure }
            } catch {
                return fail(error)
            }
            rest.moveReaderIndex(forwardBy: count)
            if rest.readableBytes > 0 { _ = turn.step(CallLimits.stepsPerLook, loop.eventLoop) }
        }
        peerLimits.stands(at: session.walk, loop.now)
    }

    /// Runs the calls that have something to do, as long as the turn goes on.
    private func runCalls() {
        while waiting == .nothing, session.hasReady, turn.step(1, loop.eventLoop),
            let (stream, events) = session.nextReady()
        {
            handle(stream, events)
            if hasLeft { return close() }
        }
    }

    /// Runs what the received bytes led to.
    private func process() {
        runCalls()
        if !life.isClosed, session.hasReady || isProtocolKnown && rest.readableBytes > 0 {
            if waiting == .nothing {
                loop.continueLater(self)
                waiting = .turn
            }
        } else {
            turn = TimeSlice()
            letGo()
        }
        for event in session.takeEvents() { handle(event) }
        peerLimits.sent(session.takeSentSomething())
        if !peerLimits.allows(resets: session.takeResets(), at: loop.now) {
            refuse(.enhanceYourCalm, "too_many_resets")
        }
    }

    /// Gives the buffer back whose bytes were all taken, for another connection to read into.
    private func letGo() {
        guard rest.capacity > 0, rest.readableBytes == 0 else { return }
        loop.received.give(rest)
        rest = ByteBuffer()
    }

    private func handle(_ stream: StreamPointer, _ events: StreamEvents) {
        let slot = stream.pointee.context
        if events.contains(.closed) {
            guard slot >= 0 else { return session.release(stream) }
            // The call releases the stream when it retires.
            return loop.call(in: slot).cancel(nil)
        }
        let call: ServerCall
        if events.contains(.head) {
            guard let begun = begin(stream) else { return }
            call = begun
        } else {
            call = loop.call(in: slot)
        }
        let generation = call.generation
        if events.contains(.data) || events.contains(.end) { call.receive(self) }
        guard call.generation == generation, call.isOpen else { return }
        if events.contains(.writable) { call.becameWritable() }
        guard events.contains(.head), call.generation == generation, call.isOpen else { return }
        if call.isForUnauthenticated {
            call.stayOpenUnauthenticated(self)
            guard call.generation == generation, call.isOpen else { return }
        }
        // Only now: most calls are answered by here and need no timer.
        if let deadline = call.deadline { loop.watch(call, deadline) }
    }

    private func handle(_ event: ConnectionEvent) {
        switch event {
        case .settingsAcknowledged:
            peerLimits.handshakeDone()
        case .ping:
            let hasCalls = session.openStreams > 0
            // Frames that went out since the last ping forgive earlier pings.
            peerLimits.sent(session.takeSentSomething())
            if !peerLimits.allowsPing(at: loop.now, hasCalls: hasCalls) {
                refuse(.enhanceYourCalm, "too_many_pings")
            }
        case .pingAcknowledged where life.isAnnouncing:
            drain()
        case .settings:
            if !peerLimits.allowsSettings(at: loop.now) {
                refuse(.enhanceYourCalm, "too_many_settings")
            }
        case .pingAcknowledged, .goAway:
            break
        }
    }

    /// Ends the connection because of what the peer did.
    private func refuse(_ code: ErrorCode, _ reason: StaticString) {
        guard !life.isClosed else { return }
        complain(reason)
        session.refuseNewStreams(code, debugData: reason)
        close()
    }

    private func fail(_ error: SessionError) {
        loop.logger.debug("connection failed", metadata: ["error": "\(error)"])
        guard error == .badPreface else { return close() }
        complain("not_http2")
        session.terminate(.protocolError)
        part()
    }

    /// Ends the connection of a client that speaks neither HTTP/2 nor HTTP/1.1.
    func dropStranger() {
        guard let context, !life.isClosed else { return }
        complain("not_http2")
        // A first read is short.
        if context.channel.isActive { socket?.drop() }
        lost()
        context.close(promise: nil)
    }

    /// A call was refused since there is too much to do.
    ///
    /// A client that is refused tends to come again at once, with many calls. Read one by one as
    /// they come, each would take a wake-up and a write. These cost more than the refusal itself,
    /// and that time is missing for other calls. So the next read waits until a few have come, and
    /// connections that wait are read together.
    func refusedCall() {
        if nextRead == .usual { nextRead = .delayed }
    }

    /// Ends the turn, though not all is done; another one follows.
    func waitForTurn() {
        turn.end()
        guard waiting == .nothing, !life.isClosed else { return }
        loop.continueLater(self)
        waiting = .turn
    }

    /// Goes on where the last turn ended.
    func nextTurn() {
        loop.bulk.turnBegins()
        let isReadDue = waiting == .turnAndRead
        waiting = .nothing
        turn = TimeSlice()
        guard let context, !life.isClosed else { return }
        // The client has gone: no call needs the bytes that the system still has of it.
        guard context.pipeline.syncOperations.isPeerThere else { return close() }
        runCalls()
        take()
        process()
        markDirty()
        // Waits again if the turn is over once more.
        if isReadDue { read(context: context) }
    }

    // MARK: - Whose it is

    /// Counts the connection as one of `usage`'s; see ``RecentCallers``.
    func show(_ usage: Usage, within bounds: Usage.Bounds) -> Usage.Bound? {
        life.isClosed ? nil : shown.show(usage, within: bounds)
    }

    // MARK: - What it holds

    /// Ends streams, the largest first, until the connection holds no more than `level`.
    ///
    /// Calls whose answer has not begun get a status, the others a reset.
    func comeDown(to level: Int) {
        guard !life.isClosed else { return }
        // The header blocks that it knows are a convenience, of clients that do no harm too.
        session.forgetHeads()
        guard session.heldBytes > level else { return }
        complain("too_large_share_of_memory")
        // Nothing can be told to who reads nothing, and what waits for it would stay.
        guard isWritable else { return close() }
        var left = session.heldBytes
        for stream in session.streamsBySize() {
            guard left > level else { break }
            left -= stream.pointee.heldBytes
            let slot = stream.pointee.context
            if stream.pointee.isHeld, slot >= 0, loop.call(in: slot).starve() { continue }
            session.abandon(stream)
        }
        markDirty()
    }

    // MARK: - Out

    func markDirty() {
        loop.markDirty(self)
    }

    /// Writes what the session has to send, as long as the socket takes it.
    func flush() {
        guard let context, !life.isClosed, !isFlushing, isProtocolKnown else { return }
        isFlushing = true
        defer { isFlushing = false }
        repeat {
            write(context)
            // Asks how far the client has read, once it was sent the first `GOAWAY`. Not sooner:
            // nghttp2 sends pings before everything else.
            if isWritable, life.takePing() { session.ping(0) }
            // Sending may have closed streams, and made room for more on others.
            process()
        } while !life.isClosed && isWritable && session.wantsToSend
        session.settleLoans()
        guard !life.isClosed, session.isFinished else { return }
        if life.isDraining { part() } else { close() }
    }

    /// Writes as much as the socket takes, and runs no calls.
    ///
    /// It writes nothing before the client has shown that it speaks HTTP/2.
    func write(_ context: ChannelHandlerContext) {
        guard isProtocolKnown else { return }
        var isLast = false
        while isWritable, !isLast {
            var buffer = loop.gathered
            // Otherwise the copy would make the buffer shared, and clearing it take new memory.
            loop.gathered = ByteBuffer()
            buffer.clear()
            isLast = gather(into: &buffer)
            if buffer.readableBytes > 0 { send(&buffer, context) }
            loop.gathered = buffer
            if life.isClosed { return }
        }
    }

    /// - Returns: Whether the session has nothing more to send.
    private func gather(into buffer: inout ByteBuffer) -> Bool {
        do throws(SessionError) {
            while buffer.readableBytes < CallLimits.writeBatchBytes {
                guard let bytes = try fill(&buffer) else { return true }
                // It did not fit, so the buffer has to grow.
                buffer.writeBytes(bytes)
            }
            return false
        } catch {
            loop.logger.debug("connection failed", metadata: ["error": "\(error)"])
            // The gathered bytes are still written; nothing follows.
            session.connectionLost()
            return true
        }
    }

    /// Copies frames to the free room of the buffer: a write of each frame would cost more than
    /// most frames do.
    ///
    /// - Returns: The frame that did not fit; nil if there are no more.
    private func fill(_ buffer: inout ByteBuffer) throws(SessionError) -> UnsafeRawBufferPointer? {
        // A closure of the package would lose the error's type.
        var failure: SessionError?
        var tooLarge: UnsafeRawBufferPointer?
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 0) { room in
            var count = 0
            do throws(SessionError) {
                while let bytes = try session.nextOutput() {
                    guard bytes.count <= room.count - count else {
                        tooLarge = bytes
                        return count
                    }
                    UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: bytes)
                    count += bytes.count
                }
            } catch {
                failure = error
            }
            return count
        }
        if let failure { throw failure }
        return tooLarge
    }

    /// Writes the bytes to the socket; SwiftNIO keeps what the socket does not take now.
    private func send(_ buffer: inout ByteBuffer, _ context: ChannelHandlerContext) {
        loop.meter.count(.sentBytes, buffer.readableBytes)
        guard let socket else {
            return context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
        }
        // Bytes that SwiftNIO still has go first.
        if queuedWrites == 0, context.channel.isActive {
            buffer.moveReaderIndex(forwardBy: buffer.withUnsafeReadableBytes(socket.write))
        }
        guard buffer.readableBytes > 0 else { return }
        queuedWrites += 1
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in self.queuedWrites -= 1 }
        context.writeAndFlush(wrapOutboundOut(buffer), promise: written)
    }

    // MARK: - The end

    /// Sends what waits, and closes the socket once the client has taken it.
    ///
    /// A socket that is closed while it has bytes to read makes the peer's system forget what it
    /// has not read: the last answers, and up to which call there are any. So only our half is
    /// closed, and what comes is dropped until the client has closed its own, for a short time.
    func part() {
        guard let context, !life.isClosed else { return }
        guard isWritable else { return close() }
        write(context)
        lost()
        let channel = context.channel
        let time = TimeAmount.seconds(CallLimits.closeSeconds)
        let cutOff = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in cutOff.cancel() }
        context.close(mode: .output, promise: nil)
    }

    /// Sends what waits, closes the socket and ends the calls.
    func close() {
        guard let context, !life.isClosed else { return }
        if isWritable { write(context) }
        if let violation = session.violation { complain(violation) }
        lost()
        context.close(promise: nil)
    }

    /// Ends the calls of a connection that is gone.
    private func lost() {
        guard !life.isClosed else { return }
        life.close()
        certificateTimer?.cancel()
        session.connectionLost()
        while let (stream, events) = session.nextReady() { handle(stream, events) }
        shown.end()
        loop.remove(self)
        context = nil
        http1 = nil
        rest = ByteBuffer()
        onClose()
    }

    /// Looks for what only time can tell.
    func sweep() {
        guard !life.isClosed else { return }
        switch peerLimits.verdict(at: loop.now, session.walk) {
        case .fine: break
        case .ping:
            session.ping(1)
            markDirty()
        case .slowHandshake:
            session.terminate(.settingsTimeout, for: "slow_handshake")
            close()
        case .slowHead:
            session.terminate(.enhanceYourCalm, for: "slow_head")
            close()
        case .slowFrame:
            session.terminate(.enhanceYourCalm, for: "slow_frame")
            close()
        case .stalled:
            complain("unread_socket")
            close()
        case .silent:
            // A client that lost its network has done nothing wrong.
            close()
        }
        guard !life.isClosed else { return }
        http1?.sweep(at: loop.now)
        guard !life.isClosed else { return }
        let looks = Int(CallLimits.streamStalledSeconds / CallLimits.sweepSeconds)
        if session.resetStalled(after: looks, taking: CallLimits.streamStalledBytes) > 0 {
            complain("unread_stream")
            markDirty()
        }
        endWarning()
        endIdleness()
        endLife()
    }
}
