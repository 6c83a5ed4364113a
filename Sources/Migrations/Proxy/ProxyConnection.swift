import NIOCore
import NIOHTTP1

/// A connection of a client of a proxy: one request after the other.
final class ProxyConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let proxy: TIMProxy
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var bodyBytes = 0
    /// Ends the connection of a client whose body does not come to its end.
    private var timer: Scheduled<Void>?
    private var isAnswering = false
    private var isTakenIn = false
    private var isOpen = true

    init(_ proxy: TIMProxy) {
        self.proxy = proxy
    }

    /// Adds a connection behind what reads and writes HTTP, with its bound of idle time.
    static func add(
        to pipeline: ChannelPipeline.SynchronousOperations, _ proxy: TIMProxy
    ) throws {
        try pipeline.addHandler(
            IdleStateHandler(allTimeout: .seconds(MigrationLimits.idleSeconds)))
        try pipeline.addHandler(ProxyConnection(proxy))
    }

    func channelActive(context: ChannelHandlerContext) {
        isTakenIn = proxy.enter()
        guard isTakenIn else { return context.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOpen = false
        timer?.cancel()
        // A request that was given up still waits for the old system, which may do what it asks.
        if !isAnswering { remove() }
        context.fireChannelInactive()
    }

    private func remove() {
        if isTakenIn { proxy.remove() }
        isTakenIn = false
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            (self.head, body, bodyBytes) = (head, [], 0)
            timer = context.eventLoop.assumeIsolated().scheduleTask(
                in: .seconds(MigrationLimits.bodySeconds)
            ) { context.close(promise: nil) }
        case .body(let bytes):
            bodyBytes += bytes.readableBytes
            if !isTooLong { return body += bytes.readableBytesView }
            body = []
            if bodyBytes > MigrationLimits.proxiedBytes + MigrationLimits.droppedBytes {
                context.close(promise: nil)
            }
        case .end:
            timer?.cancel()
            guard let head else { return context.close(promise: nil) }
            self.head = nil
            answer(head, context)
        }
    }

    private var isTooLong: Bool { bodyBytes > MigrationLimits.proxiedBytes }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard head.method == .POST else { return write(.methodNotAllowed, [], head, context) }
        guard !isTooLong else { return write(.payloadTooLarge, [], head, context) }
        isAnswering = true
        let call = ProxiedCall(target: head.uri, body: body)
        body = []
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let (proxy, loop) = (proxy, context.eventLoop)
        Task {
            let answer = await proxy.answer(call)
            loop.execute {
                let (connection, context) = bound.value
                connection.isAnswering = false
                guard connection.isOpen else { return connection.remove() }
                let status = answer.map { HTTPResponseStatus(statusCode: $0.status) }
                connection.write(status ?? .badGateway, answer?.body ?? [], head, context)
            }
        }
    }

    private func write(
        _ status: HTTPResponseStatus, _ body: [UInt8], _ request: HTTPRequestHead,
        _ context: ChannelHandlerContext
    ) {
        let isKept = request.isKeepAlive && status != .payloadTooLarge
        var head = HTTPResponseHead(version: .http1_1, status: status)
        head.headers = [
            "content-type": "application/json", "content-length": "\(body.count)",
            "connection": isKept ? "keep-alive" : "close",
        ]
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let bytes = context.channel.allocator.buffer(bytes: body)
        context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
        let done = context.eventLoop.makePromise(of: Void.self)
        if !isKept {
            let channel = context.channel
            done.futureResult.whenComplete { _ in channel.close(promise: nil) }
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: done)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A request that waits for the old system has the time of its answer.
        if event is IdleStateHandler.IdleStateEvent {
            if !isAnswering { context.close(promise: nil) }
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
