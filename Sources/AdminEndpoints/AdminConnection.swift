import GRPC
import GRPCWire
import NIOCore
import NIOHTTP1

/// One connection of a client of the admin endpoints: it takes one request after another, and
/// answers each.
///
/// It comes after the gate, which gives it a request when the answer to the last one has left, and
/// belongs to its loop.
final class AdminConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let service: AdminService
    private let clock: AdminClock
    private var head: HTTPRequestHead?
    private var bodyBytes = 0
    /// The body of a request to an endpoint that takes one.
    private var posted: [UInt8] = []
    /// The call that is under way.
    private var relay: CallRelay?

    init(_ service: AdminService, _ clock: AdminClock) {
        self.service = service
        self.clock = clock
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if case .head(let head) = part, head.method == .POST, service.relays.takesCalls,
            !isPost(head)
        {
            return begin(head, context)
        }
        if let relay, !relay.isRequestEnded { return send(part, relay) }
        switch part {
        case .head(let head):
            self.head = head
            (bodyBytes, posted) = (0, [])
        case .body(let part):
            bodyBytes += part.readableBytes
            guard bodyBytes > AdminLimits.bodyBytes else { return posted += part.readableBytesView }
            guard let head else { return }
            self.head = nil
            posted = []
            let words =
                isPost(head)
                ? "a body has at most \(AdminLimits.bodyBytes) bytes\n" : "no page takes a body\n"
            answer(AdminAnswer(status: 413, words), context, head, closes: true)
        case .end:
            guard let head else { return }
            self.head = nil
            if isPost(head) { return handle(head, context) }
            guard head.method == .GET || head.method == .HEAD else {
                let refusal = AdminAnswer(status: 405, "endpoints are read with GET or HEAD\n")
                return answer(refusal, context, head)
            }
            show(head, context)
        }
    }

    // MARK: - Calls

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard service.slots.hasRoomForCall else {
            // The rest of the request is not read.
            return answer(.tooManyCalls, context, head, closes: true)
        }
        clock.callBegins()
        let relay = CallRelay(head, service.relays, context, clock)
        self.relay = relay
        relay.begin()
    }

    private func send(_ part: HTTPServerRequestPart, _ relay: CallRelay) {
        switch part {
        case .head: break
        case .body(let bytes): clock.callBrings(bytes.readableBytes)
        case .end: clock.callIsSent()
        }
        relay.send(part)
    }

    // MARK: - Endpoints

    /// Whether the request is a POST to an endpoint that takes one.
    private func isPost(_ head: HTTPRequestHead) -> Bool {
        head.method == .POST && service.table.acceptsPost(head.path)
    }

    private func handle(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        defer { posted = [] }
        // A page of a browser may send other types to any server, without asking it before.
        guard request.headers.first(name: "content-type")?.hasPrefix("application/json") == true
        else {
            let refusal = AdminAnswer(status: 415, "the content-type is application/json\n")
            return answer(refusal, context, request)
        }
        let post = AdminPost(
            body: posted, authorization: request.headers.first(name: "authorization"))
        show(request, context, post)
    }

    /// Answers by an endpoint, which may come later: no further request is taken meanwhile.
    private func show(
        _ request: HTTPRequestHead, _ context: ChannelHandlerContext, _ post: AdminPost? = nil
    ) {
        let path = request.path
        // Programs that speak HTTP/1.0 may name no host; each browser does.
        if let host = request.headers.first(name: "host"), !service.table.isProbe(path),
            let why = service.rules.refusal(host: host)
        {
            return answer(AdminAnswer(status: 403, why + "\n"), context, request)
        }
        let loop = context.eventLoop
        let bound = NIOLoopBound((self, context), eventLoop: loop)
        service.table.answer(path, post) { answer in
            guard !loop.inEventLoop else {
                let (connection, context) = bound.value
                return connection.answer(answer, context, request)
            }
            loop.execute {
                let (connection, context) = bound.value
                // The client may have gone, or its time may have ended.
                guard context.channel.isActive else { return }
                connection.answer(answer, context, request)
            }
        }
    }

    /// - Parameter request: The request that is answered; nil if it cannot be read.
    private func answer(
        _ answer: AdminAnswer, _ context: ChannelHandlerContext, _ request: HTTPRequestHead?,
        closes: Bool = false
    ) {
        let answer = answer.accepted(by: request)
        let closes = closes || request?.isKeepAlive != true
        var head = HTTPResponseHead(
            version: request?.version ?? .http1_1,
            status: HTTPResponseStatus(statusCode: answer.status))
        head.headers.add(name: "content-type", value: answer.kind.rawValue)
        if answer.isCompressed { head.headers.add(name: "content-encoding", value: "gzip") }
        head.headers.add(name: "content-length", value: "\(answer.content.count)")
        head.headers.add(name: "date", value: service.date.text)
        head.headers.add(name: "cache-control", value: "no-store")
        head.headers.add(name: "x-content-type-options", value: "nosniff")
        head.headers.add(name: ServerInstance.header, value: ServerInstance.own)
        if let policy = answer.policy {
            head.headers.add(name: "content-security-policy", value: policy)
            head.headers.add(name: "referrer-policy", value: "no-referrer")
        }
        if answer.status == 405 { head.headers.add(name: "allow", value: "GET, HEAD") }
        if closes {
            head.headers.add(name: "connection", value: "close")
        } else if head.version == .http1_0 {
            head.headers.add(name: "connection", value: "keep-alive")
        }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let hasBody = request?.method != .HEAD
        if hasBody {
            let body = context.channel.allocator.buffer(bytes: answer.content)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        clock.answerBegins(hasBody ? answer.content.count : 0)
        let written = context.eventLoop.makePromise(of: Void.self)
        let clock = NIOLoopBound(clock, eventLoop: context.eventLoop)
        let channel = context.channel
        written.futureResult.whenComplete { _ in
            clock.value.answerWritten()
            if closes { channel.close(promise: nil) }
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }

    // MARK: - The channel

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        relay?.clientReads(context.channel.isWritable)
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        relay?.end()
        relay = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A half-sent answer cannot be taken back.
        let isAnswering = relay.map { !$0.isRequestEnded && $0.isAnswerBegun } ?? false
        guard let failure = error as? HTTP1Error, !failure.isCutOff, !isAnswering else {
            return context.close(promise: nil)
        }
        relay?.end()
        relay = nil
        head = nil
        answer(
            AdminAnswer(status: Int(failure.status.code), failure.why + "\n"), context, nil,
            closes: true)
    }
}

extension HTTPRequestHead {
    fileprivate var path: String { String(uri.prefix { $0 != "?" }) }
}

extension AdminAnswer {
    /// The answer to a call of a page, in the words of Connect.
    fileprivate static let tooManyCalls = AdminAnswer(
        status: 429, .json,
        #"{"code":"resource_exhausted","message":"too many calls of browsers are under way here"}"#)
}
