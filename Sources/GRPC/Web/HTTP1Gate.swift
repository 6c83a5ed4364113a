import GRPCWire
package import NIOCore
package import NIOHTTP1

/// Turns the bytes of a client of HTTP/1.1 into requests, one at a time.
///
/// It reads nothing of the next request, and nothing more from the socket, before the answer to the
/// last one has left. So a client that does not read its answers holds one of them at most.
///
/// A client that is refused comes as an error, ``HTTP1Error``, after which nothing of it is read.
/// The handler behind writes the refusal as an answer, which ends the connection.
///
/// - Important: It belongs to its loop.
package final class HTTP1Gate: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    /// A judgement of a client by time alone.
    package enum Verdict {
        case fine
        /// A header section, the line before a chunk, or trailers do not come to their end.
        case slow
        /// No request has come for long.
        case idle
    }

    private enum Phase {
        /// A request comes, or the next one is waited for.
        case reading
        /// The request is complete, and its answer has not left.
        case answering
        /// Nothing more is read.
        case halted
    }

    /// Called when a request begins to come.
    package var whenBegun: (() -> Void)?

    private var reader: HTTP1Reader
    private var buffer = ByteBuffer()
    private var phase = Phase.reading
    private var isAnswerBegun = false
    /// Whether the answer ends the connection.
    private var isLast = false
    private var isTaking = false
    private var isReadHeld = false
    private var context: ChannelHandlerContext?
    /// When the part that is waited for began to come, or the last one came, or an answer left.
    private var since: NIODeadline
    private var isInsideLines = false

    package init(headBytes: Int, at now: NIODeadline) {
        reader = HTTP1Reader(headBytes: headBytes)
        since = now
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        whenBegun = nil
        buffer = ByteBuffer()
    }

    // MARK: - In

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard phase != .halted else { return }
        var bytes = unwrapInboundIn(data)
        if buffer.readableBytes > 0 {
            buffer.discardReadBytes()
            buffer.writeBuffer(&bytes)
        } else {
            buffer = bytes
        }
        // Nothing is asked for while an answer is on its way. More comes only if the client has
        // ended its side, and then it reads no answer to what follows.
        if phase == .answering, buffer.readableBytes > CallLimits.http1WaitingBytes {
            return halt()
        }
        read(context)
    }

    /// Takes requests as far as they have come, up to the end of one that has no answer yet.
    private func read(_ context: ChannelHandlerContext) {
        guard !isTaking else { return }
        isTaking = true
        defer { isTaking = false }
        while phase == .reading {
            do throws(HTTP1Error) {
                guard let part = try reader.next(&buffer) else { break }
                handle(part, context)
            } catch {
                phase = .halted
                buffer = ByteBuffer()
                return context.fireErrorCaught(error)
            }
        }
        if phase == .halted || buffer.readableBytes == 0 { buffer = ByteBuffer() }
        guard phase == .reading else { return }
        let wasInside = isInsideLines
        isInsideLines = reader.isInsideLines(buffer.readableBytes)
        guard isInsideLines, !wasInside else { return }
        since = context.eventLoop.now
        if reader.isAtHead { whenBegun?() }
    }

    private func handle(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        since = context.eventLoop.now
        isInsideLines = false
        switch part {
        case .head: whenBegun?()
        case .body: break
        case .end: phase = .answering
        }
        context.fireChannelRead(wrapInboundOut(part))
        guard case .head(let head) = part, head.version == .http1_1,
            head.headers[canonicalForm: "expect"].contains(where: { $0.lowercased() == Self.ask }),
            phase == .reading, !isAnswerBegun
        else { return }
        let interim = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(interim)), promise: nil)
    }

    private static let ask = "100-continue"

    package func channelInactive(context: ChannelHandlerContext) {
        if phase == .reading, !reader.isBetweenRequests || buffer.readableBytes > 0 {
            phase = .halted
            let part = reader.isAtHead ? "the header section of a request" : "the body of a request"
            context.fireErrorCaught(HTTP1Error.cutOff(in: part))
        }
        context.fireChannelInactive()
    }

    package func read(context: ChannelHandlerContext) {
        if phase == .answering { isReadHeld = true } else { context.read() }
    }

    // MARK: - Out

    package func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status.code < 200: break
        case .head(let head):
            isAnswerBegun = true
            isLast = !head.isKeepAlive
        case .body: break
        case .end:
            let written = promise ?? context.eventLoop.makePromise()
            written.futureResult.assumeIsolated().whenComplete { result in
                if case .success = result { self.answerLeft() } else { self.halt() }
            }
            return context.write(data, promise: written)
        }
        context.write(data, promise: promise)
    }

    package func close(
        context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
    ) {
        context.close(mode: mode, promise: promise)
        halt()
    }

    /// Goes on with the next request: the last answer is with the system.
    private func answerLeft() {
        guard let context else { return }
        isAnswerBegun = false
        since = context.eventLoop.now
        // The rest of half a request would be in the way of the next one.
        guard phase == .answering, !isLast else { return halt() }
        phase = .reading
        guard !isTaking else { return }
        if buffer.readableBytes > 0 {
            read(context)
            context.fireChannelReadComplete()
        }
        releaseRead()
    }

    /// Reads the rest of what the client sends, and drops it.
    ///
    /// A socket that is closed with bytes to read takes back the last answer.
    private func halt() {
        phase = .halted
        if !isTaking { buffer = ByteBuffer() }
        releaseRead()
    }

    private func releaseRead() {
        guard isReadHeld, phase != .answering, let context else { return }
        isReadHeld = false
        context.read()
    }

    // MARK: - Time

    /// Looks for what only time can show.
    package func verdict(at now: NIODeadline) -> Verdict {
        guard phase == .reading else { return .fine }
        if isInsideLines, now - since >= .seconds(CallLimits.headerSeconds) { return .slow }
        if reader.isBetweenRequests, now - since >= .seconds(CallLimits.http1IdleSeconds) {
            return .idle
        }
        return .fine
    }
}
