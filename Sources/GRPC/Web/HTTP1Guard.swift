import HTTP2
import NIOCore
import NIOHTTP1

/// Bounds the bytes of a client of HTTP/1.1 that lead to nothing: a head, or the line before a
/// chunk, that does not end.
///
/// NIO's parser keeps such bytes, and has no bound for some of them. The guard stands before all
/// other handlers, so it also writes the refusals to which no request belongs.
final class HTTP1Guard: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let clock: HTTP1Clock
    private let refuse: () -> Void
    private var isRefused = false
    private var context: ChannelHandlerContext?

    /// - Parameter refuse: Refuses a client whose bytes exceed the bound.
    init(_ clock: HTTP1Clock, _ refuse: @escaping () -> Void) {
        self.clock = clock
        self.refuse = refuse
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        let count = unwrapInboundIn(data).readableBytes
        clock.read(count, at: context.eventLoop.now)
        context.fireChannelRead(data)
        guard clock.waitingBytes > SessionLimits.headerListBytes else { return }
        isRefused = true
        refuse()
    }

    /// Writes the last answer of the connection.
    func write(_ status: HTTPResponseStatus, _ why: String) {
        let text = """
            HTTP/1.1 \(status.code) \(status.reasonPhrase)\r
            content-type: text/plain\r
            content-length: \(why.utf8.count + 1)\r
            connection: close\r
            \r
            \(why)

            """
        context?.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }
}

/// When the parts of requests arrive on a connection of HTTP/1.1.
final class HTTP1Clock {
    enum Verdict {
        case fine
        /// The head of a request, or the line before a chunk, does not come to its end.
        case slow
        /// No request has come for long.
        case idle
    }

    /// Bytes since the last part of a request was complete.
    private(set) var waitingBytes = 0
    /// When the first of them came, the last part, or the end of the last answer.
    private var since: NIODeadline

    init(at now: NIODeadline) {
        since = now
    }

    func read(_ count: Int, at now: NIODeadline) {
        if waitingBytes == 0 { since = now }
        waitingBytes += count
    }

    /// A part of a request is complete.
    func took(at now: NIODeadline) {
        waitingBytes = 0
        since = now
    }

    /// An answer has ended.
    func answered(at now: NIODeadline) {
        since = now
    }

    /// - Parameter isBusy: Whether a request is being answered.
    func verdict(at now: NIODeadline, isBusy: Bool) -> Verdict {
        if waitingBytes > 0, now - since >= .seconds(CallLimits.headSeconds) { return .slow }
        if !isBusy, now - since >= .seconds(CallLimits.http1IdleSeconds) { return .idle }
        return .fine
    }
}
