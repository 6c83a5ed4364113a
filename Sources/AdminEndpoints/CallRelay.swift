import NIOCore
import NIOHTTP1
import NIOPosix

/// The path of calls from the admin listener to the server of the calls.
struct CallRelays: Sendable {
    /// The scheme of this listener.
    let scheme: String
    /// Gives a socket to the server; nil if no call is taken here.
    let way: (@Sendable () -> CInt?)?

    var takesCalls: Bool { way != nil }
}

/// One call of a page's own origin on its way to the server of the calls, and its answer on the way
/// back.
///
/// The server takes it on a connection of its own, in HTTP/1.1 like any other. So it has the path,
/// the credentials and the bounds of every call. Neither side is read faster than the other takes.
///
/// It belongs to the admin loop.
final class CallRelay: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: HTTPRequestHead
    private let relays: CallRelays
    /// The slot of the client's connection.
    private let client: ChannelHandlerContext
    private let clock: AdminClock
    private var server: ChannelHandlerContext?
    /// Parts that came from the client before the server's socket was ready.
    private var waiting: [HTTPClientRequestPart] = []
    private(set) var isRequestEnded = false
    private(set) var isAnswerBegun = false
    private var isEnded = false

    init(
        _ request: HTTPRequestHead, _ relays: CallRelays, _ client: ChannelHandlerContext,
        _ clock: AdminClock
    ) {
        self.request = request
        self.relays = relays
        self.client = client
        self.clock = clock
    }

    /// Connects, and sends the request headers.
    func begin() {
        guard let socket = relays.way?() else { return refuse() }
        var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: request.uri)
        head.headers = Self.passed(request.headers)
        // A page that this listener has shown calls its own origin; others are the server's matter.
        if let host = request.headers.first(name: "host"),
            request.headers["origin"] == ["\(relays.scheme)://\(host)"]
        {
            head.headers.remove(name: "origin")
        }
        head.headers.add(name: "connection", value: "close")
        waiting.append(.head(head))
        let bound = NIOLoopBound(self, eventLoop: client.eventLoop)
        ClientBootstrap(group: client.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandlers([
                        HTTPRequestEncoder(), ByteToMessageHandler(HTTPResponseDecoder()),
                        bound.value,
                    ])
                }
            }
            .withConnectedSocket(socket)
            .whenFailure { _ in bound.value.lost() }
    }

    // MARK: From the client

    func send(_ part: HTTPServerRequestPart) {
        switch part {
        case .head: return
        case .body(let bytes): pass(.body(.byteBuffer(bytes)))
        case .end:
            isRequestEnded = true
            pass(.end(nil))
        }
    }

    /// Whether the client takes more of the answer at present.
    func clientReads(_ isReading: Bool) { setReading(server, isReading) }

    /// The client has gone.
    func end() {
        isEnded = true
        server?.close(promise: nil)
    }

    private func pass(_ part: HTTPClientRequestPart) {
        guard !isEnded else { return }
        guard let server else { return waiting.append(part) }
        server.writeAndFlush(wrapOutboundOut(part), promise: nil)
    }

    // MARK: From the server

    func channelActive(context: ChannelHandlerContext) {
        guard !isEnded else { return context.close(promise: nil) }
        server = context
        for part in waiting { context.write(wrapOutboundOut(part), promise: nil) }
        waiting = []
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnded else { return }
        switch unwrapInboundIn(data) {
        case .head(let answer):
            isAnswerBegun = true
            var head = HTTPResponseHead(version: request.version, status: answer.status)
            head.headers = Self.passed(answer.headers)
            if isLast { head.headers.add(name: "connection", value: "close") }
            write(.head(head))
        case .body(let bytes): write(.body(.byteBuffer(bytes)))
        case .end: finish()
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if !isEnded { setReading(client, context.channel.isWritable) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        server = nil
        lost()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// The server has gone before the answer's end.
    private func lost() {
        guard !isEnded else { return }
        if isAnswerBegun {
            isEnded = true
            client.close(promise: nil)
        } else {
            refuse()
        }
    }

    /// Answers that no call is taken now.
    private func refuse() {
        isAnswerBegun = true
        var head = HTTPResponseHead(version: request.version, status: .serviceUnavailable)
        let text = #"{"code":"unavailable","message":"the server takes no calls now"}"#
        head.headers.add(name: "content-type", value: AdminAnswer.Kind.json.rawValue)
        head.headers.add(name: "content-length", value: "\(text.utf8.count)")
        head.headers.add(name: "connection", value: "close")
        write(.head(head))
        write(.body(.byteBuffer(ByteBuffer(string: text))))
        isEnded = true
        writeEnd(closes: true)
    }

    private func finish() {
        isEnded = true
        server?.close(promise: nil)
        let closes = isLast
        if !closes { setReading(client, true) }
        writeEnd(closes: closes)
    }

    /// Ends the answer, which the client has a time to take.
    private func writeEnd(closes: Bool) {
        clock.answerBegins(0)
        let written = client.eventLoop.makePromise(of: Void.self)
        let channel = client.channel
        written.futureResult.assumeIsolated().whenComplete { [clock] _ in
            clock.answerWritten()
            if closes { channel.close(promise: nil) }
        }
        client.writeAndFlush(NIOAny(HTTPServerResponsePart.end(nil)), promise: written)
    }

    /// Whether the client's connection ends with the answer: half a request would be in the way,
    /// and HTTP/1.0 knows no other end of an answer whose length is not given.
    private var isLast: Bool {
        !request.isKeepAlive || !isRequestEnded || request.version != .http1_1
    }

    private func write(_ part: HTTPServerResponsePart) {
        client.writeAndFlush(NIOAny(part), promise: nil)
    }

    private func setReading(_ context: ChannelHandlerContext?, _ isReading: Bool) {
        // An error says that the channel has gone.
        _ = context?.channel.setOption(.autoRead, value: isReading)
    }

    /// The fields that are not about one connection only.
    private static func passed(_ fields: HTTPHeaders) -> HTTPHeaders {
        var passed = fields
        // The field `connection` names others that are about this connection only.
        for name in fields[canonicalForm: "connection"] { passed.remove(name: String(name)) }
        for name in [
            "connection", "expect", "keep-alive", "proxy-connection", "te", "trailer",
            "transfer-encoding", "upgrade",
        ] {
            passed.remove(name: name)
        }
        return passed
    }
}
