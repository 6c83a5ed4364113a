import NIOCore
import NIOHTTP1

/// One connection of a client that reads pages: it takes one request after another, and answers
/// each.
///
/// It stands behind NIO's parser, and belongs to its loop.
final class PageConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let pages: PageTable
    private let clock: PageClock
    private let relays: CallRelays
    private var head: HTTPRequestHead?
    private var bodyBytes = 0
    /// The call that is under way.
    private var relay: CallRelay?

    init(_ pages: PageTable, _ clock: PageClock, _ relays: CallRelays) {
        self.pages = pages
        self.clock = clock
        self.relays = relays
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if case .head(let head) = part, head.method == .POST, relays.takesCalls {
            clock.callBegins()
            let relay = CallRelay(head, relays, context) { [clock] in clock.answerWritten() }
            self.relay = relay
            return relay.begin()
        }
        if let relay, !relay.isRequestEnded { return relay.send(part) }
        switch part {
        case .head(let head):
            self.head = head
            bodyBytes = 0
        case .body(let part):
            bodyBytes += part.readableBytes
            guard bodyBytes > PageLimits.bodyBytes, head != nil else { return }
            head = nil
            answer(
                PageAnswer(status: 413, "no page takes a body\n"), context, version: .http1_1,
                closes: true)
        case .end:
            guard let head else { return }
            self.head = nil
            let closes = !head.isKeepAlive
            guard head.method == .GET || head.method == .HEAD else {
                let refusal = PageAnswer(status: 405, "pages are read with GET or HEAD\n")
                return answer(refusal, context, version: head.version, closes: closes, head)
            }
            show(head, context, closes: closes)
        }
    }

    /// Answers with a page, which may come later: no further request is taken meanwhile.
    private func show(_ head: HTTPRequestHead, _ context: ChannelHandlerContext, closes: Bool) {
        let path = String(head.uri.prefix { $0 != "?" })
        let loop = context.eventLoop
        let bound = NIOLoopBound((self, context), eventLoop: loop)
        pages.answer(path) { page in
            guard !loop.inEventLoop else {
                let (connection, context) = bound.value
                return connection.answer(
                    page, context, version: head.version, closes: closes, head)
            }
            loop.execute {
                let (connection, context) = bound.value
                // The client may have gone, or its time may have ended.
                guard context.channel.isActive else { return }
                connection.answer(page, context, version: head.version, closes: closes, head)
            }
        }
    }

    private func answer(
        _ page: PageAnswer, _ context: ChannelHandlerContext, version: HTTPVersion, closes: Bool,
        _ request: HTTPRequestHead? = nil
    ) {
        var head = HTTPResponseHead(
            version: version, status: HTTPResponseStatus(statusCode: page.status))
        head.headers.add(name: "content-type", value: page.kind.rawValue)
        head.headers.add(name: "content-length", value: "\(page.content.count)")
        head.headers.add(name: "cache-control", value: "no-store")
        head.headers.add(name: "x-content-type-options", value: "nosniff")
        if let policy = page.policy {
            head.headers.add(name: "content-security-policy", value: policy)
            head.headers.add(name: "referrer-policy", value: "no-referrer")
        }
        if page.status == 405 { head.headers.add(name: "allow", value: "GET, HEAD") }
        if closes { head.headers.add(name: "connection", value: "close") }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request?.method != .HEAD {
            let body = context.channel.allocator.buffer(bytes: page.content)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        clock.answerBegins()
        let written = context.eventLoop.makePromise(of: Void.self)
        let clock = NIOLoopBound(clock, eventLoop: context.eventLoop)
        let channel = context.channel
        written.futureResult.whenComplete { _ in
            clock.value.answerWritten()
            if closes { channel.close(promise: nil) }
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        relay?.clientReads(context.channel.isWritable)
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        relay?.end()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
