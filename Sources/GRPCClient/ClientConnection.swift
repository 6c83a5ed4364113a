import GRPCWire
import HTTP2
import NIOCore
import RPC

/// A client's connection to its server: the last handler in its channel's pipeline, and the only
/// one besides TLS.
final class ClientConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let session: Session
    private let subchannel: Subchannel
    private let core: ClientCore
    private var context: ChannelHandlerContext?
    private var calls: [Int: ClientCall] = [:]
    private var nextCall = 0
    private var block = HeaderBlock()
    private var gathered = ByteBuffer()
    private var isWritable = true
    private var isWorking = false

    /// Whether calls were opened that have not been sent.
    private(set) var hasNewCalls = false

    /// Whether the server has sent anything.
    private var hasHeard = false

    private var lastHeard = NIODeadline.uptimeNanoseconds(0)
    private var keepalive: Scheduled<Void>?

    /// Whether the server has sent its settings.
    ///
    /// No call is sent before: a server that stops before it accepts the connection never reads
    /// what it is sent. So no call is lost with such a connection.
    private(set) var isReady = false
    private var handshake: Scheduled<Void>?

    /// Whether new calls must use another connection.
    private(set) var isDraining = false

    /// Whether the socket is gone; ``failure`` says why, if that is known.
    private(set) var isLost = false
    private(set) var failure: String?
    /// Whether the next connection would be lost in the same way.
    private(set) var isFailureLasting = false
    /// Whether the server has ended the connection without a word, not even an alert of TLS.
    private var isCutOff = false

    /// Whether the server seems to hang: a call's time was over, and nothing had come meanwhile.
    ///
    /// It ends with the next byte that comes.
    private(set) var isSuspect = false
    /// When the server was asked for a sign of life because of a doubt.
    private var doubted: NIODeadline?

    init(_ subchannel: Subchannel) throws(SessionError) {
        self.subchannel = subchannel
        core = subchannel.core
        session = try Session(role: .client, pool: core.streams)
    }

    deinit {
        block.free()
    }

    // MARK: - The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        isWritable = context.channel.isWritable
        lastHeard = core.eventLoop.now
        watchSilence()
        let time = TimeAmount.seconds(CallLimits.connectSeconds)
        handshake = core.eventLoop.assumeIsolated().scheduleTask(in: time) {
            self.failure = "the server said nothing for \(CallLimits.connectSeconds) seconds"
            self.close()
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastHeard = core.eventLoop.now
        isSuspect = false
        let buffer = unwrapInboundIn(data)
        if !hasHeard {
            hasHeard = true
            if let foreign = ForeignServer(buffer.readableBytesView) {
                failure = foreign.words
                isFailureLasting = foreign.isLasting
                return close()
            }
        }
        var failure: SessionError?
        buffer.withUnsafeReadableBytes { bytes in
            do throws(SessionError) { try session.receive(bytes) } catch { failure = error }
        }
        if failure != nil {
            flush()
            close()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flush()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        if isWritable { flush() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        lost()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        lost()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let words = PlainError(error).description
        failure = words
        // A server may refuse the client's certificate after the client's handshake has ended.
        let isAlert = words.contains("ALERT")
        isFailureLasting = !hasHeard && isAlert && !words.contains("INTERNAL_ERROR")
        isCutOff = !hasHeard && !isAlert
        close()
    }

    // MARK: - Calls

    var canOpen: Bool { isReady && !isDraining && !isLost && session.canOpenStream }

    private static let requestFields = FixedFields([
        (":method", "POST"), (":scheme", "http"),
    ])
    private static let encryptedRequestFields = FixedFields([
        (":method", "POST"), (":scheme", "https"),
    ])

    /// More than the fixed fields take in the sum by which a peer limits a header block.
    private static let fixedListBytes = 128

    func open(_ call: ClientCall) {
        block.reset(keeping: .max)
        call.write(to: &block, authority: subchannel.authority)
        let limit = min(session.peerHeaderListBytes, SessionLimits.sentHeaderBlockBytes)
        guard block.listBytes + Self.fixedListBytes <= limit else {
            let words =
                "the call's metadata takes \(block.listBytes) bytes, and the server takes "
                + "\(limit - Self.fixedListBytes)"
            return call.finish(Status(.invalidArgument, words), .caller)
        }
        let stream: StreamPointer
        do throws(SessionError) {
            let fields =
                core.configuration.tls == nil ? Self.requestFields : Self.encryptedRequestFields
            stream = try session.open(fields, block)
        } catch {
            // No stream number is left, or the session is at its end: the call needs another
            // connection.
            isDraining = true
            subchannel.drained(self)
            return core.start(call)
        }
        hasNewCalls = true
        nextCall += 1
        stream.pointee.context = nextCall
        calls[nextCall] = call
        call.opened(self, stream)
    }

    /// Takes back the stream of a call that has ended.
    func released(_ stream: StreamPointer) {
        calls[stream.pointee.context] = nil
        session.release(stream)
    }

    // MARK: - Work

    /// Runs what was received and sends what waits.
    func flush() {
        guard !isWorking, let context, !isLost else { return }
        isWorking = true
        defer { isWorking = false }
        repeat {
            process()
            if !isLost { write(context) }
            core.startWaiting()
            process()
        } while !isLost && isWritable && session.wantsToSend
        guard !isLost, session.isFinished || (isDraining && calls.isEmpty) else { return }
        // Bytes that cannot be read from the beginning are of another protocol.
        if hasHeard, !isReady { isFailureLasting = true }
        close()
    }

    /// Sends what waits, unless ``flush()`` runs now and will do so anyway.
    func flushSoon() {
        hasNewCalls = false
        if !isWorking { flush() }
    }

    private func process() {
        while let (stream, events) = session.nextReady() {
            guard let call = calls[stream.pointee.context] else {
                session.release(stream)
                continue
            }
            call.received(events)
        }
        for event in session.takeEvents() {
            switch event {
            case .settings where !isReady: ready()
            case .goAway(_, let code, let debugData):
                if code == .enhanceYourCalm, debugData == Array("too_many_pings".utf8) {
                    core.pingedTooOften()
                }
                isDraining = true
                subchannel.drained(self)
            default: break
            }
        }
    }

    private func ready() {
        isReady = true
        handshake?.cancel()
        subchannel.reached(self)
    }

    private func write(_ context: ChannelHandlerContext) {
        while isWritable, !isLost {
            var buffer = gathered
            gathered = ByteBuffer()
            buffer.clear()
            do throws(SessionError) {
                while buffer.readableBytes < CallLimits.writeBatchBytes,
                    let bytes = try session.nextOutput()
                {
                    buffer.writeBytes(bytes)
                }
            } catch {
                isDraining = true
                subchannel.drained(self)
                return close()
            }
            let isEmpty = buffer.readableBytes == 0
            if !isEmpty { context.writeAndFlush(wrapOutboundOut(buffer), promise: nil) }
            gathered = buffer
            if isEmpty { return }
        }
    }

    // MARK: - Keepalive

    /// Schedules the next check of how long the server has been silent.
    private func watchSilence() {
        guard let time = core.keepalive, !isLost else { return }
        let loop = core.eventLoop.assumeIsolated()
        keepalive = loop.scheduleTask(deadline: lastHeard + time) { self.askAfterSilence(time) }
    }

    private func askAfterSilence(_ time: TimeAmount) {
        guard core.eventLoop.now - lastHeard >= time else { return watchSilence() }
        guard !calls.isEmpty else {
            // No call waits, so silence is not an error: the time starts over.
            lastHeard = core.eventLoop.now
            return watchSilence()
        }
        session.ping(1)
        flushSoon()
        let asked = core.eventLoop.now
        let answerTime = TimeAmount.seconds(CallLimits.keepaliveAnswerSeconds)
        keepalive = core.eventLoop.assumeIsolated().scheduleTask(in: answerTime) {
            if self.lastHeard < asked { self.close() } else { self.watchSilence() }
        }
    }

    // MARK: - Doubt

    /// A call has ended by its deadline that began at `time`.
    ///
    /// If nothing has come since, the server may hang: it is asked for a sign of life, other
    /// servers have the next calls, and without an answer the connection ends. Otherwise every call
    /// of its turn would be lost until the keepalive finds out.
    func probe(since time: NIODeadline) {
        // A client that never asks for a sign of life does not do so here.
        guard isReady, !isLost, !isSuspect, lastHeard <= time, let keepalive = core.keepalive
        else { return }
        let now = core.eventLoop.now
        let pause = max(keepalive, .seconds(CallLimits.pingSecondsWithCalls))
        guard doubted.map({ now - $0 >= pause }) ?? true else { return }
        doubted = now
        isSuspect = true
        session.ping(2)
        flushSoon()
        let answerTime = TimeAmount.seconds(CallLimits.doubtAnswerSeconds)
        core.eventLoop.assumeIsolated().scheduleTask(in: answerTime) { [weak self] in
            guard let self, isSuspect, doubted == now else { return }
            failure = "the server said nothing for \(CallLimits.doubtAnswerSeconds) seconds"
            close()
        }
    }

    // MARK: - The end

    /// Why the connection was lost, in words.
    var loss: String {
        var words = "the connection to \(subchannel.endpoint) was lost"
        if let failure { words += ": \(failure)" }
        if !hasHeard, core.configuration.tls == nil {
            words += ": \(ForeignServer.silence)"
        } else if !hasHeard, failure == nil || isCutOff {
            words += ": \(TLSSetupError.silence)"
        } else if hasHeard, !isReady, failure == nil {
            words += ": the server does not speak HTTP/2"
        }
        return words
    }

    /// Takes no more calls, and ends when those that run have ended.
    func drain() {
        isDraining = true
        flushSoon()
    }

    /// Closes the socket; calls that still run end with `UNAVAILABLE`.
    func close() {
        guard let context, !isLost else { return }
        lost()
        context.close(promise: nil)
    }

    private func lost() {
        guard !isLost else { return }
        isLost = true
        context = nil
        keepalive?.cancel()
        handshake?.cancel()
        session.connectionLost()
        process()
        core.lost(self)
        if isReady { subchannel.drained(self) } else { subchannel.lostEarly(self) }
    }
}
