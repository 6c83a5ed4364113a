import NIOCore
import NIOHTTP1

/// A request with the promise of its answer, on its way through a connection.
struct PostExchange: Sendable {
    let head: HTTPRequestHead
    let body: [UInt8]
    let answer: EventLoopPromise<PostAnswer>
}

/// Carries one request at a time over a connection, and gathers its answer.
final class PostConnection: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = PostExchange
    typealias OutboundOut = HTTPClientRequestPart

    private var answer: EventLoopPromise<PostAnswer>?
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        let exchange = unwrapOutboundIn(data)
        (answer, head, body) = (exchange.answer, nil, [])
        context.write(wrapOutboundOut(.head(exchange.head)), promise: nil)
        let bytes = context.channel.allocator.buffer(bytes: exchange.body)
        context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body(let bytes):
            body += bytes.readableBytesView
            guard body.count > MigrationLimits.answerBytes else { return }
            fail(MigrationError("an answer has more than \(MigrationLimits.answerBytes) bytes"))
            context.close(promise: nil)
        case .end:
            guard let head, let answer else { return context.close(promise: nil) }
            self.answer = nil
            let isKept = head.isKeepAlive
            answer.succeed(
                PostAnswer(status: Int(head.status.code), body: body, isKept: isKept))
            body = []
            if !isKept { context.close(promise: nil) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(MigrationError("the connection ended before the answer"))
        context.fireChannelInactive()
    }

    private func fail(_ error: any Error) {
        answer?.fail(error)
        answer = nil
    }
}
