import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS
import Support

/// A connection to a receiver: it has one request at a time, and belongs to the sender's loop.
final class WebhookConnection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    let origin: WebhookOrigin
    private let pool: WebhookPool
    private(set) var channel: (any Channel)?
    /// The request that is under way, or for which the connection is made.
    var exchange: WebhookExchange?
    /// Whether requests may be written: the connection is there, and encrypted if it must be.
    private(set) var isReady = false
    /// Whether it has left the pool.
    var isGone = false
    /// Whether the request has gone out on it.
    private var hasSent = false
    private var isWritten = false
    /// The request that is answered, with its answer, until all that was read is looked at.
    private var answered: (WebhookExchange, Result<WebhookAnswer, WebhookFailure>)?
    /// How many answers have come on it.
    private var answers = 0
    /// When the last request went out on it.
    private var sent = NIODeadline.uptimeNanoseconds(0)
    /// Since when it is idle.
    var idleSince = NIODeadline.uptimeNanoseconds(0)
    var idleTimer: Scheduled<Void>?
    private var head: HTTPResponseHead?
    private var kept: [UInt8] = []
    private var bodyBytes = 0
    /// All bytes since the request went out, as they came.
    private var rawBytes = 0
    private var tlsFailure: WebhookFailure.TLSFailure?

    init(_ origin: WebhookOrigin, _ pool: WebhookPool) {
        self.origin = origin
        self.pool = pool
    }

    // MARK: - Opening

    func channelActive(context: ChannelHandlerContext) {
        channel = context.channel
        if !origin.isTLS { ready() }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent {
            if origin.address == nil, !hasExpectedName(context) {
                tlsFailure = .otherName
                return context.close(promise: nil)
            }
            ready()
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Whether the receiver's certificate has the name of the host.
    ///
    /// TLS has checked the chain, and would also take a certificate for the IP address. With that
    /// one, false name servers could lead to a receiver of their own.
    private func hasExpectedName(_ context: ChannelHandlerContext) -> Bool {
        let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
        return certificate.map { WebhookTLS.names($0, hold: origin.host) } ?? false
    }

    private func ready() {
        guard !isReady, !isGone else { return }
        isReady = true
        pool.isReady(self)
    }

    // MARK: - Sending

    func send(_ exchange: WebhookExchange) {
        guard let channel else { return pool.ended(self, tlsFailure) }
        self.exchange = exchange
        exchange.connection = self
        exchange.phase = .answering
        idleTimer?.cancel()
        (head, kept, bodyBytes, rawBytes) = (nil, [], 0, 0)
        (hasSent, isWritten) = (true, false)
        sent = .now()
        pool.sends(exchange.body.count)
        channel.write(HTTPClientRequestPart.head(exchange.head), promise: nil)
        let body = channel.allocator.buffer(bytes: exchange.body)
        channel.write(HTTPClientRequestPart.body(.byteBuffer(body)), promise: nil)
        let written = channel.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { [weak self, weak exchange] in
            if let self, self.exchange === exchange { self.isWritten = true }
        }
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: written)
    }

    // MARK: - Receiving

    /// Counts bytes as they come, before they are read as HTTP.
    func counts(_ bytes: Int) {
        rawBytes += bytes
    }

    /// Looks at the bounds of an answer, after bytes were read as HTTP.
    func checkBounds() {
        guard let exchange, hasSent else { return }
        if head == nil {
            guard rawBytes > WebhookLimits.answerHeaderBytes else { return }
            fail(exchange, .badAnswer)
        } else if rawBytes > WebhookLimits.answerHeaderBytes + 2 * WebhookLimits.readBodyBytes {
            // Chunks of one byte each, or endless trailers.
            answer(exchange, isCut: true)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let exchange, hasSent else { return close() }
        switch unwrapInboundIn(data) {
        case .head(let head):
            let bytes = head.headers.reduce(head.status.reasonPhrase.utf8.count) {
                $0 + $1.name.utf8.count + $1.value.utf8.count + 4
            }
            guard bytes <= WebhookLimits.answerHeaderBytes, head.status.code >= 200,
                head.version.major == 1
            else { return fail(exchange, .badAnswer) }
            self.head = head
        case .body(let buffer):
            bodyBytes += buffer.readableBytes
            kept += buffer.readableBytesView.prefix(exchange.keepsBody - kept.count)
            let isTooLong = bodyBytes > WebhookLimits.readBodyBytes
            if isTooLong { answer(exchange, isCut: true) }
        case .end: answer(exchange, isCut: bodyBytes > kept.count, isEnd: true)
        }
    }

    /// Gives the caller the answer, as far as it has come.
    private func answer(_ exchange: WebhookExchange, isCut: Bool, isEnd: Bool = false) {
        guard let head else { return fail(exchange, .badAnswer) }
        self.exchange = nil
        answers += 1
        hasSent = false
        let result = Self.result(head, kept, isCut: isCut)
        kept = []
        if isEnd, isWritten, head.isKeepAlive {
            answered = (exchange, result)
        } else {
            close()
            pool.finish(exchange, result)
        }
    }

    /// Bytes that came with an answer, after its end, belong to no other answer: so the next
    /// request waits until all that was read has been looked at.
    func channelReadComplete(context: ChannelHandlerContext) {
        finishAnswered()
        context.fireChannelReadComplete()
    }

    private func finishAnswered() {
        guard let (exchange, result) = answered else { return }
        answered = nil
        if !isGone { pool.isFree(self) }
        pool.finish(exchange, result)
    }

    private static func result(
        _ head: HTTPResponseHead, _ body: [UInt8], isCut: Bool
    ) -> Result<WebhookAnswer, WebhookFailure> {
        let status = Int(head.status.code)
        if [301, 302, 303, 307, 308].contains(status) {
            return .failure(.redirected(status: status))
        }
        var answer = WebhookAnswer(status: status)
        answer.retryAfter = head.headers.first(name: "retry-after").flatMap {
            RetryAfter.duration($0, nowMilliseconds: SystemClock.wall.milliseconds)
        }
        answer.body = body
        answer.isCut = isCut
        return .success(answer)
    }

    private func fail(_ exchange: WebhookExchange, _ failure: WebhookFailure) {
        self.exchange = nil
        close()
        pool.finish(exchange, .failure(failure))
    }

    /// The time of the request has ended: an answer whose beginning has come counts all the same.
    func expire(_ exchange: WebhookExchange) {
        if answered?.0 === exchange { return finishAnswered() }
        if hasSent, head != nil {
            answer(exchange, isCut: true)
        } else {
            if hasSent, answers > 0, rawBytes == 0 { pool.closeIdle(origin, since: sent) }
            fail(exchange, .timedOut(exchange.phase))
        }
    }

    // MARK: - Ending

    /// Ends the connection, which takes no further request.
    func close() {
        pool.remove(self)
        channel?.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        tlsFailure = tlsFailure ?? WebhookFailure.TLSFailure(error)
        // A connection that ends within an answer is no other error than one that ends before it:
        // a status that has come counts.
        if let exchange, hasSent, tlsFailure == nil, let broken = error as? HTTPParserError,
            broken != .invalidEOFState
        {
            return fail(exchange, .badAnswer)
        }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
        context.fireChannelInactive()
    }

    /// The connection is over, or was never made.
    private func ended() {
        guard let exchange, hasSent else {
            pool.ended(self, tlsFailure)
            return finishAnswered()
        }
        pool.remove(self)
        if head != nil { return answer(exchange, isCut: true) }
        self.exchange = nil
        if let tlsFailure {
            pool.finish(exchange, .failure(.notSecured(tlsFailure)))
        } else if answers > 0, rawBytes == 0, !exchange.isRepeated {
            // The receiver has closed a connection that was kept, and has not seen the request.
            pool.repeats(exchange)
        } else {
            pool.finish(exchange, .failure(.cutOff))
        }
    }
}

/// Counts the bytes of a connection, before the handlers of HTTP.
final class AnswerMeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: WebhookConnection

    init(_ connection: WebhookConnection) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.counts(unwrapInboundIn(data).readableBytes)
        context.fireChannelRead(data)
        connection.checkBounds()
    }
}
