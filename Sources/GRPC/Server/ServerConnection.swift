import GRPCWire
import HTTP2
import Logging
import NIOCore
import NIOSSL
import RPC

/// One client's connection: bytes from the socket to the session, calls from the session to their
/// handlers, and answers back.
///
/// The last handler in its channel's pipeline, and the only one but for TLS. A wake-up feeds all
/// that was read, runs what that led to, and writes once. ``ConnectionStateMachine`` has its states
/// and says what follows an event; this class does it.
///
/// ``ServerCall`` says why properties are `@exclusivity(unchecked)`.
final class ServerConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let session: Session

    /// The number by which its loop finds it.
    let number: Int

    let loop: ServerLoop
    private let onClose: @Sendable () -> Void
    @exclusivity(unchecked) private(set) var context: ChannelHandlerContext?

    @exclusivity(unchecked) var state: ConnectionStateMachine

    /// Looks whether the client's certificate has ended.
    @exclusivity(unchecked) var certificateTimer: Scheduled<Void>?

    /// The socket, if nothing stands between it and this handler.
    @exclusivity(unchecked) var socket: DirectSocket?
    /// Writes that SwiftNIO has, because the socket did not take them at once.
    @exclusivity(unchecked) private(set) var queuedWrites = 0

    /// The bytes that were read and not yet taken, because the time slice was over.
    @exclusivity(unchecked) var rest = ByteBuffer()
    @exclusivity(unchecked) var slice = TimeSlice()

    /// The front that speaks HTTP/1.1 with the client; nil if the client speaks HTTP/2.
    @exclusivity(unchecked) var http1: HTTP1Front?

    /// In the loop's list of connections to flush.
    @exclusivity(unchecked) var isDirty = false

    /// Bytes of messages of all calls that are half received, or that work is done for.
    @exclusivity(unchecked) var assembling = 0

    /// Open calls that need no credential.
    @exclusivity(unchecked) var unauthenticatedCalls = 0

    /// The SHA-256 of the client's certificate, if it has shown one.
    ///
    /// Allocated by ``noteCertificate(_:_:by:)`` after the handshake, and freed with the
    /// connection.
    @exclusivity(unchecked) var peerCertificate: UnsafeRawBufferPointer?

    /// The callers whose calls came on the connection last.
    @exclusivity(unchecked) private var shown = RecentCallers()

    /// Whether the call that came last was one of `usage`'s.
    func isLastShown(_ usage: ObjectIdentifier) -> Bool { shown.isLast(usage) }

    @exclusivity(unchecked) private var peer = PeerAddress(nil)
    var block: AddressBlock? { peer.block }
    /// The address of the client for which the process made the connection itself.
    private let originalPeer: String?
    var peerAddress: String { originalPeer ?? peer.text }
    /// Whether a call has been counted of the request for which the process made the connection.
    @exclusivity(unchecked) private(set) var isRequestCounted = false

    /// Notes that a call was counted; only calls for a request of another connection share it.
    func callIsCounted() {
        if originalPeer != nil { isRequestCounted = true }
    }

    /// The room of an open call that has ended, for the next one of the request for which the
    /// process made the connection: a request that has begun finds room until its end.
    @exclusivity(unchecked) private var keptRoom: Usage?

    /// Keeps the room of a call that has ended.
    ///
    /// - Returns: Whether it does; only connections that the process made keep one.
    func keepRoom(of usage: Usage) -> Bool {
        guard originalPeer != nil, keptRoom == nil, !state.isClosed else { return false }
        keptRoom = usage
        return true
    }

    /// Hands the room that was kept to a call of the same caller.
    func acquireKeptRoom(of usage: Usage) -> Bool {
        guard let keptRoom, keptRoom === usage else { return false }
        self.keptRoom = nil
        return true
    }

    /// `onClose` is called once, on the loop, when the connection is gone.
    init(
        loop: ServerLoop, for originalPeer: String? = nil, onClose: @escaping @Sendable () -> Void
    ) throws(SessionError) {
        self.loop = loop
        self.originalPeer = originalPeer
        self.onClose = onClose
        number = loop.nextConnectionNumber()
        session = try Session(
            role: .server, settings: loop.configuration.settings, pool: loop.streams,
            cachingHeadersBut: RequestHeaders.openNames)
        state = ConnectionStateMachine(
            now: loop.eventLoop.now, ageSeconds: loop.configuration.connectionAgeSeconds)
    }

    deinit {
        peerCertificate?.deallocate()
    }

    var closeFuture: EventLoopFuture<Void>? { context?.channel.closeFuture }

    // MARK: - The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        peer = PeerAddress(context.channel.remoteAddress)
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
        var buffer = unwrapInboundIn(data)
        guard state.received(buffer.readableBytes, at: loop.now) else { return }
        loop.meter.count(.receivedBytes, buffer.readableBytes)
        if rest.readableBytes > 0 {
            // A request of HTTP/1.1 may wait in it for the answer to the one before.
            if http1 != nil { rest.discardReadBytes() }
            rest.writeBuffer(&buffer)
        } else {
            rest = buffer
        }
        receive()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        loop.wake()
        process()
        markDirty()
        loop.flush()
    }

    func read(context: ChannelHandlerContext) {
        if let http1, http1.holdsReads { return http1.isReadHeld = true }
        switch state.read() {
        case .inSlice: break
        case .now: context.read()
        case .later:
            let channel = context.channel
            let later = context.eventLoop.assumeIsolated()
            later.scheduleTask(deadline: loop.nextRefusedRead) { channel.read() }
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard state.writable(context.channel.isWritable, at: loop.eventLoop.now) else { return }
        loop.wake()
        markDirty()
        loop.flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        loop.wake()
        http1?.inputEnded(rest.readableBytes)
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
            logViolation("failed_tls_handshake", why)
        }
        context.close(promise: nil)
    }

    /// Logs what the client did wrong.
    ///
    /// Later violations of the same connection are not logged.
    ///
    /// - Parameter why: Details that the protocol violation's name does not give.
    func logViolation(_ violation: StaticString, _ why: String? = nil) {
        guard state.logViolation() else { return }
        loop.violations.count(violation)
        var metadata: Logger.Metadata = ["peer": "\(peerAddress)", "violation": "\(violation)"]
        if let why { metadata["why"] = "\(why)" }
        loop.violationLog.log(
            .notice, "a client violates the protocol", at: loop.eventLoop.now, metadata)
    }

    // MARK: - In

    /// Hands to the session what was read, in pieces, as long as the time slice goes on.
    func receive() {
        if !state.isProtocolKnown, !choosesHTTP2(), http1 == nil { return }
        if let http1 {
            if state.takesBytes { http1.receive(&rest) }
            return
        }
        while state.takesBytes, !slice.isOver, rest.readableBytes > 0 {
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
                loop.logger.debug("connection failed", metadata: ["error": "\(error)"])
                return perform(state.failed(error))
            }
            rest.moveReaderIndex(forwardBy: count)
            if rest.readableBytes > 0 { _ = slice.step(CallLimits.stepsPerLook, loop.eventLoop) }
        }
        state.noteFrame(at: session.walk, loop.now)
    }

    /// Runs the calls that have something to do, as long as the time slice goes on.
    private func runCalls() {
        while state.runsCalls, session.hasReady, slice.step(1, loop.eventLoop),
            let (stream, events) = session.nextReady()
        {
            handle(stream, events)
            if state.hasLeft { return close() }
        }
    }

    /// Runs what the received bytes led to.
    private func process() {
        runCalls()
        if !state.isClosed, session.hasReady || isCutShort {
            if state.sliceEnds() { loop.continueLater(self) }
        } else {
            slice = TimeSlice()
            releaseBuffer()
        }
        for event in session.takeEvents() { handle(event) }
        perform(
            state.processed(
                resets: session.takeResets(), at: loop.now, hasSent: session.takeSentSomething()))
    }

    /// Whether bytes were left because the time slice was over.
    private var isCutShort: Bool {
        if let http1 { return http1.isCutShort }
        return state.isProtocolKnown && rest.readableBytes > 0
    }

    /// Gives the buffer back whose bytes were all taken, for another connection to read into.
    private func releaseBuffer() {
        guard rest.capacity > 0, rest.readableBytes == 0 else { return }
        loop.received.release(rest)
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
        if events.contains(.headers) {
            guard let begun = begin(stream) else { return }
            call = begun
        } else {
            call = loop.call(in: slot)
        }
        let generation = call.generation
        if events.contains(.data) || events.contains(.end) { call.receive(self) }
        guard call.generation == generation, call.isOpen else { return }
        if events.contains(.writable) { call.becameWritable() }
        guard events.contains(.headers), call.generation == generation, call.isOpen else { return }
        if call.isForUnauthenticated {
            call.acquireUnauthenticated(self)
            guard call.generation == generation, call.isOpen else { return }
        }
        // Only now: most calls are answered by here and need no timer.
        if let deadline = call.deadline { loop.watch(call, deadline) }
    }

    private func handle(_ event: ConnectionEvent) {
        switch event {
        case .settingsAcknowledged: state.settingsAcknowledged()
        case .ping:
            perform(
                state.pinged(
                    at: loop.now, hasCalls: session.openStreams > 0,
                    hasSent: session.takeSentSomething()))
        case .pingAcknowledged: perform(state.pingAcknowledged())
        case .settings: perform(state.settingsChanged(at: loop.now))
        case .goAway: break
        }
    }

    /// Ends the connection of a client that speaks neither HTTP/2 nor HTTP/1.1.
    func dropUnauthenticated() {
        guard let context, !state.isClosed else { return }
        logViolation(ConnectionStateMachine.Violation.notHTTP2.name)
        // A first read is short.
        if context.channel.isActive { socket?.drop() }
        lost()
        context.close(promise: nil)
    }

    /// Ends the time slice, though not all is done; another one follows.
    func waitForSlice() {
        slice.end()
        if state.sliceEnds() { loop.continueLater(self) }
    }

    /// Goes on where the last time slice ended.
    func nextSlice() {
        loop.bulk.sliceBegins()
        let isReadDue = state.sliceBegins()
        slice = TimeSlice()
        guard let context, !state.isClosed else { return }
        // The client has gone: no call needs the bytes that the system still has of it.
        guard context.pipeline.syncOperations.isPeerThere else { return close() }
        runCalls()
        receive()
        process()
        markDirty()
        // Waits again if the time slice is over once more.
        if isReadDue { read(context: context) }
    }

    // MARK: - Its callers

    /// Counts the connection as one of `usage`'s; see ``RecentCallers``.
    func show(_ usage: Usage, within bounds: Usage.Bounds) -> Usage.Bound? {
        state.isClosed ? nil : shown.show(usage, within: bounds)
    }

    // MARK: - What it holds

    /// Ends streams, the largest first, until the connection holds no more than `level`.
    ///
    /// Calls whose answer has not begun get a status, the others a reset.
    func shrink(to level: Int) {
        guard !state.isClosed else { return }
        // Cached header blocks only save time, so they are the first to go.
        session.forgetHeaders()
        guard session.heldBytes > level else { return }
        logViolation("too_large_share_of_memory")
        // Nothing can be sent to a client that reads nothing, and what waits for it would stay.
        guard state.isWritable else { return close() }
        var left = session.heldBytes
        for stream in session.streamsBySize() {
            guard left > level else { break }
            left -= stream.pointee.heldBytes
            let slot = stream.pointee.context
            if stream.pointee.isHeld, slot >= 0, loop.call(in: slot).failForMemory() { continue }
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
        guard let context, state.flushBegins() else { return }
        defer { state.flushEnds() }
        repeat {
            write(context)
            if state.takePing() { askBeforeEnd() }
            if let http1 { continueHTTP1(http1) }
            // Sending may have closed streams, and made room for more on others.
            process()
        } while !state.isClosed && state.isWritable && wantsToSend
        session.settleLoans()
        if !state.isClosed, session.isFinished { perform(state.finished()) }
        if let http1 { releaseRead(http1, context) }
    }

    private var wantsToSend: Bool { http1?.wantsToSend ?? session.wantsToSend }

    /// Asks how far the client has read, before new calls are refused.
    ///
    /// A client of HTTP/1.1 has sent nothing that it expects an answer to but its present request.
    private func askBeforeEnd() {
        if http1 == nil { session.ping(0) } else { perform(state.pingAcknowledged()) }
    }

    /// Writes as much as the socket takes, and runs no calls.
    ///
    /// It writes nothing before the client has shown that it speaks HTTP/2.
    func write(_ context: ChannelHandlerContext) {
        guard state.isProtocolKnown else { return }
        var isLast = false
        while state.isWritable, !isLast {
            var buffer = loop.gathered
            // Otherwise the copy would make the buffer shared, and clearing it take new memory.
            loop.gathered = ByteBuffer()
            buffer.clear()
            isLast = gather(into: &buffer)
            if buffer.readableBytes > 0 { send(&buffer, context) }
            loop.gathered = buffer
            if state.isClosed { return }
        }
    }

    /// - Returns: Whether the session has nothing more to send.
    private func gather(into buffer: inout ByteBuffer) -> Bool {
        if let http1 { return http1.gather(into: &buffer) }
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
            // The next request of HTTP/1.1 waits until the answer has left.
            guard http1 != nil else {
                return context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
            }
            return queue(buffer, context)
        }
        // Bytes that SwiftNIO still has go first.
        if queuedWrites == 0, context.channel.isActive {
            buffer.moveReaderIndex(forwardBy: buffer.withUnsafeReadableBytes(socket.write))
        }
        guard buffer.readableBytes > 0 else { return }
        queue(buffer, context)
    }

    private func queue(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        queuedWrites += 1
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in
            self.queuedWrites -= 1
            if self.http1 != nil { self.answerLeft() }
        }
        context.writeAndFlush(wrapOutboundOut(buffer), promise: written)
    }

    /// Goes on with a client of HTTP/1.1 when bytes have left that the socket did not take at once.
    private func answerLeft() {
        guard queuedWrites == 0, !state.isFlushing else { return }
        loop.wake()
        markDirty()
        loop.flush()
    }

    // MARK: - The end

    /// Ends the calls of a connection that is gone.
    func lost() {
        guard state.close() else { return }
        certificateTimer?.cancel()
        http1?.lost()
        session.connectionLost()
        while let (stream, events) = session.nextReady() { handle(stream, events) }
        shown.end()
        keptRoom?.releaseCall()
        keptRoom = nil
        loop.remove(self)
        context = nil
        http1 = nil
        rest = ByteBuffer()
        onClose()
    }
}

/// Where a client is, as it was when it was accepted: the system forgets it when the client has
/// gone.
private struct PeerAddress {
    private let address: SocketAddress?

    /// The addresses with which it shares what is bounded by address.
    let block: AddressBlock?

    private(set) lazy var text = address?.readable ?? "unknown"

    init(_ address: SocketAddress?) {
        self.address = address
        block = AddressBlock(address)
    }
}
