import HTTP2
import NIOCore

/// Bounds the bytes of a client of HTTP/1.1 that lead to nothing: a head, or the line before a
/// chunk, that does not end.
///
/// NIO's parser keeps such bytes, and has no bound for some of them.
final class HTTP1Guard: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let clock: HTTP1Clock
    private let refuse: () -> Void
    private var isRefused = false

    init(_ clock: HTTP1Clock, _ refuse: @escaping () -> Void) {
        self.clock = clock
        self.refuse = refuse
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
    /// When the first of them came, or the last part.
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

    /// - Parameter isBusy: Whether a request is being answered.
    func verdict(at now: NIODeadline, isBusy: Bool) -> Verdict {
        if waitingBytes > 0, now - since >= .seconds(CallLimits.headSeconds) { return .slow }
        if !isBusy, now - since >= .seconds(CallLimits.http1IdleSeconds) { return .idle }
        return .fine
    }
}
