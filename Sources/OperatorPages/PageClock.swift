import NIOCore
import NIOHTTP1

/// Bounds how long and how large the requests of a connection may be, before they are parsed.
///
/// It stands before NIO's parser, and belongs to its loop.
final class PageClock: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        /// Waits for a request.
        case idle
        /// A part of a request has come.
        case request
        /// A client reads an answer.
        case answer
        /// A call is under way, whose bounds are those of the server that takes it.
        case call
    }

    private let times: PageTimes
    private var phase = Phase.idle
    private var timer: Scheduled<Void>?
    private var headBytes = 0
    private weak var channel: (any Channel)?
    private var isClosing = false

    init(_ times: PageTimes) {
        self.times = times
    }

    func handlerAdded(context: ChannelHandlerContext) {
        channel = context.channel
        // A client that connects has something to ask.
        begin(.request)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var rest = unwrapInboundIn(data)
        if phase == .idle { begin(.request) }
        // Piece by piece: only the parser knows where a head ends, and whether it begins a call.
        while !isClosing, phase != .call, rest.readableBytes > 0 {
            let piece = rest.readSlice(length: min(rest.readableBytes, PageLimits.pieceBytes))!
            headBytes += piece.readableBytes
            guard headBytes <= PageLimits.headBytes + PageLimits.bodyBytes else {
                return refuse(context)
            }
            context.fireChannelRead(wrapInboundOut(piece))
        }
        guard !isClosing, rest.readableBytes > 0 else { return }
        context.fireChannelRead(wrapInboundOut(rest))
    }

    private func refuse(_ context: ChannelHandlerContext) {
        isClosing = true
        let text =
            "HTTP/1.1 431 Request Header Fields Too Large\r\n"
            + "content-length: 0\r\nconnection: close\r\n\r\n"
        let written = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(
            wrapOutboundOut(ByteBuffer(string: text)), promise: written)
    }

    func callBegins() { begin(.call) }

    func answerBegins() {
        headBytes = 0
        begin(.answer)
    }

    func answerWritten() {
        headBytes = 0
        begin(.idle)
    }

    private func begin(_ phase: Phase) {
        self.phase = phase
        timer?.cancel()
        guard let channel, phase != .call else { return }
        let milliseconds: Int64 =
            switch phase {
            case .idle: times.idleMilliseconds
            case .request: times.requestMilliseconds
            case .answer, .call: times.answerMilliseconds
            }
        timer = channel.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) {
            channel.close(promise: nil)
        }
    }
}

/// The times of ``PageLimits``; a test takes shorter ones.
package struct PageTimes: Sendable {
    package var requestMilliseconds = PageLimits.requestMilliseconds
    package var answerMilliseconds = PageLimits.answerMilliseconds
    package var idleMilliseconds = PageLimits.idleMilliseconds

    package init() {}
}
