import HTTP2
import NIOCore
import NIOHTTP1

/// Serves a client of HTTP/1.1: it speaks HTTP/2 with the connection behind it, in the client's
/// name.
///
/// So there is one path for a call, and what holds for a connection of HTTP/2 holds here too: its
/// windows, its bounds, and its end. The front has one request at a time, which ``HTTP1Gate`` sees
/// to.
///
/// - Important: It belongs to its loop.
final class HTTP1Front: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = HTTPServerResponsePart

    /// A request with its answer.
    private struct Exchange {
        let stream: StreamPointer
        /// Whether the client ends the connection after the answer.
        var isLast: Bool
        var isRequestEnded = false
        var areHeadersSent = false
    }

    private enum Phase {
        case open
        /// Nothing more is answered; the socket closes soon.
        case leaving
        case closed
    }

    private let loop: ServerLoop
    private let session: Session
    private unowned let connection: ServerConnection
    private let gate: HTTP1Gate
    private var context: ChannelHandlerContext?
    private var exchange: Exchange?
    private var phase = Phase.open
    private var block = HeaderBlock()
    /// Whether the server has said that it takes no further request.
    private var isDraining = false
    private var isPumping = false
    private var isPumpSet = false
    /// Whether a read waits until the server has taken what was read.
    private var isReadHeld = false

    init(_ connection: ServerConnection, _ gate: HTTP1Gate) throws(SessionError) {
        self.connection = connection
        self.gate = gate
        loop = connection.loop
        session = try Session(role: .client, pool: loop.streams)
    }

    deinit {
        block.free()
    }

    // MARK: - The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        pumpSoon()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        lost()
    }

    func channelInactive(context: ChannelHandlerContext) {
        lost()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard phase == .open else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body(let bytes): send(bytes)
        case .end: endRequest()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        pump()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, let stream = exchange?.stream {
            session.payBack(stream)
            pumpSoon()
        }
        context.fireChannelWritabilityChanged()
    }

    func read(context: ChannelHandlerContext) {
        if let stream = exchange?.stream, stream.waitingBytes >= CallLimits.highWaterBytes {
            isReadHeld = true
        } else {
            context.read()
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let fault = error as? HTTP1Fault else { return context.fireErrorCaught(error) }
        guard !fault.isCutOff else {
            if phase == .open { connection.logViolation("cut_off_http1_request", fault.why) }
            return
        }
        refuse(fault.status, fault.why)
    }

    // MARK: - Requests

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard head.version == .http1_1 else {
            return refuse(.httpVersionNotSupported, "the version is not HTTP/1.1 or HTTP/2")
        }
        block.reset(keeping: SessionLimits.pooledBufferBytes)
        guard block.append(head, isEncrypted: loop.configuration.tls != nil) else {
            return refuse(
                .requestHeaderFieldsTooLarge,
                "the fields take more than \(SessionLimits.headerListBytes) bytes")
        }
        do throws(SessionError) {
            let stream = try session.open(nil, block)
            exchange = Exchange(stream: stream, isLast: !head.isKeepAlive)
        } catch {
            refuse(.serviceUnavailable, "the connection is at its end")
        }
    }

    private func send(_ bytes: ByteBuffer) {
        guard let stream = exchange?.stream else { return }
        bytes.withUnsafeReadableBytes { stream.pointee.output.append($0) }
        session.resume(stream)
    }

    private func endRequest() {
        guard let stream = exchange?.stream else { return }
        exchange?.isRequestEnded = true
        session.finish(stream)
    }

    /// Refuses a request that never became one of HTTP/2, and ends the connection.
    private func refuse(_ status: HTTPResponseStatus, _ why: String) {
        guard phase == .open, let context else { return }
        connection.logViolation("bad_http1_request", why)
        // A half-sent answer cannot be taken back.
        guard exchange?.areHeadersSent != true else { return close() }
        var head = HTTPResponseHead(version: .http1_1, status: status)
        head.headers.add(name: "content-type", value: "text/plain")
        head.headers.add(name: "content-length", value: "\(why.utf8.count + 1)")
        head.headers.add(name: "connection", value: "close")
        addUsualFields(&head)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let text = ByteBuffer(string: why + "\n")
        context.write(wrapOutboundOut(.body(.byteBuffer(text))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        leave()
    }

    // MARK: - To the server

    /// Hands the connection what waits for it, and what follows from its answers.
    private func pump() {
        isPumpSet = false
        guard !isPumping, let context, phase != .closed else { return }
        isPumping = true
        defer { isPumping = false }
        while phase != .closed, let bytes = gather() {
            context.fireChannelRead(wrapInboundOut(bytes))
            context.fireChannelReadComplete()
        }
        releaseRead()
    }

    /// Pumps when the present work of the loop is done.
    private func pumpSoon() {
        guard !isPumping, !isPumpSet, let context else { return }
        isPumpSet = true
        context.eventLoop.assumeIsolated().execute { self.pump() }
    }

    private func gather() -> ByteBuffer? {
        var buffer: ByteBuffer?
        do throws(SessionError) {
            while let bytes = try session.nextOutput() {
                if buffer == nil { buffer = ByteBuffer() }
                buffer?.writeBytes(bytes)
                if (buffer?.readableBytes ?? 0) >= CallLimits.bytesPerSlice { break }
            }
        } catch {
            close()
            return nil
        }
        return buffer
    }

    /// Reads on, once the server has taken what was read.
    private func releaseRead() {
        guard isReadHeld, let context else { return }
        if let stream = exchange?.stream, stream.waitingBytes >= CallLimits.lowWaterBytes { return }
        isReadHeld = false
        context.read()
    }

    // MARK: - From the server

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        let buffer = unwrapOutboundIn(data)
        var failure: SessionError?
        buffer.withUnsafeReadableBytes { bytes in
            do throws(SessionError) { try session.receive(bytes) } catch { failure = error }
        }
        promise?.succeed()
        guard failure == nil else { return close() }
        process(context)
        if session.wantsToSend { pumpSoon() }
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
    }

    private func process(_ context: ChannelHandlerContext) {
        while let (stream, events) = session.nextReady() {
            guard phase == .open, stream == exchange?.stream else {
                session.release(stream)
                continue
            }
            answer(stream, events, context)
        }
        for event in session.takeEvents() {
            if case .goAway = event { isDraining = true }
        }
    }

    private func answer(
        _ stream: StreamPointer, _ events: StreamEvents, _ context: ChannelHandlerContext
    ) {
        if events.contains(.headers) { sendHeaders(of: stream, context) }
        let body = stream.pointee.input.bytes
        if exchange?.areHeadersSent == true, body.count > 0 {
            let part = ByteBuffer(bytes: body)
            session.drop(body.count, of: stream)
            context.write(wrapOutboundOut(.body(.byteBuffer(part))), promise: nil)
            if context.channel.isWritable { session.payBack(stream) }
        }
        if events.contains(.end), exchange?.areHeadersSent == true {
            return endAnswer(stream, context)
        }
        if events.contains(.closed) { cutOff(stream) }
    }

    private func sendHeaders(of stream: StreamPointer, _ context: ChannelHandlerContext) {
        var head = HTTPResponseHead(version: .http1_1, status: .ok)
        var fields = stream.pointee.headers.makeIterator()
        while let field = fields.next() {
            let value = String(decoding: field.value, as: UTF8.self)
            if field.name.isEqual(to: ":status") {
                head.status = HTTPResponseStatus(statusCode: Int(value) ?? 500)
            } else {
                head.headers.add(name: String(decoding: field.name, as: UTF8.self), value: value)
            }
        }
        if stream.isRemoteEnded, stream.pointee.input.isEmpty, head.status != .noContent {
            head.headers.replaceOrAdd(name: "content-length", value: "0")
        }
        addUsualFields(&head)
        // An answer to half a request leaves the rest of it in the way of the next one.
        let isLast = exchange?.isLast == true || exchange?.isRequestEnded == false || isDraining
        if isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
        exchange?.isLast = isLast
        exchange?.areHeadersSent = true
        context.write(wrapOutboundOut(.head(head)), promise: nil)
    }

    /// Adds what every answer says: when it was made, and that it is for this client, now.
    private func addUsualFields(_ head: inout HTTPResponseHead) {
        head.headers.replaceOrAdd(name: "date", value: loop.date.text)
        head.headers.replaceOrAdd(name: "cache-control", value: "no-store")
    }

    private func endAnswer(_ stream: StreamPointer, _ context: ChannelHandlerContext) {
        let isLast = exchange?.isLast ?? true
        exchange = nil
        session.release(stream)
        // No byte after this request is looked at.
        if isLast { phase = .leaving }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        if isLast { connection.endWithFront() }
    }

    /// The server has reset the stream, so that the answer has no end.
    private func cutOff(_ stream: StreamPointer) {
        let isBegun = exchange?.areHeadersSent ?? false
        let code = stream.pointee.closeCode
        exchange = nil
        session.release(stream)
        guard !isBegun else { return close() }
        switch code {
        case .protocolError: refuse(.badRequest, "the request is malformed")
        case .refusedStream: refuse(.serviceUnavailable, "too many calls are open")
        case .enhanceYourCalm: refuse(.tooManyRequests, "the connection holds too much memory")
        default: refuse(.internalServerError, "the server has given up the request")
        }
    }

    // MARK: - The end

    /// Ends the connection once the client has read the last answer: a socket that is closed with
    /// bytes to read would take it away.
    private func leave() {
        guard phase == .open else { return }
        phase = .leaving
        connection.endWithFront()
    }

    private func close() {
        guard let context, phase != .closed else { return }
        phase = .closed
        context.close(promise: nil)
    }

    private func lost() {
        guard context != nil else { return }
        phase = .closed
        context = nil
        session.connectionLost()
        while let (stream, _) = session.nextReady() { session.release(stream) }
        exchange = nil
    }

    /// Looks for what only time can show; called now and then.
    func sweep(at now: NIODeadline) {
        guard phase == .open else { return }
        switch gate.verdict(at: now) {
        case .fine: break
        case .slow: refuse(.requestTimeout, "the request takes too long to arrive")
        case .idle: leave()
        }
    }
}

extension HTTP1Front {
    /// Puts the front with its gate before `connection` in the pipeline.
    static func insert(
        before connection: ServerConnection, _ pipeline: ChannelPipeline.SynchronousOperations
    ) throws -> HTTP1Front {
        let gate = HTTP1Gate(
            headBytes: SessionLimits.headerListBytes, at: connection.loop.eventLoop.now)
        let front = try HTTP1Front(connection, gate)
        let handlers: [any ChannelHandler] = [HTTPResponseEncoder(), gate, front]
        try pipeline.addHandlers(handlers, position: .before(connection))
        return front
    }
}
