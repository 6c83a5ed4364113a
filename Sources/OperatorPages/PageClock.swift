import NIOCore

/// Bounds how long a connection may be in each phase of its life.
///
/// It stands before all other handlers, also those of TLS, and belongs to its loop.
final class PageClock: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The state of a connection; the lower its number, the sooner it makes room for others.
    enum Phase: Int {
        /// Waits for a request.
        case idle
        /// A part of a request has come.
        case request
        /// A part of a call's request has come.
        case sending
        /// A client reads an answer.
        case answer
        /// A call is under way, whose bounds are those of the server that takes it.
        case call
    }

    private let times: PageTimes
    private let places: ConnectionSlots
    private(set) var phase = Phase.request
    /// When the phase began.
    private(set) var since = NIODeadline.now()
    /// Bytes of an answer that has not left.
    private(set) var answerBytes = 0
    /// Bytes of a call's request that have come since the time began that it has.
    private var progress = 0
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(_ times: PageTimes, _ places: ConnectionSlots) {
        self.times = times
        self.places = places
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // A client that connects has something to ask.
        begin(.request)
        places.take(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        places.leave(self)
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        places.leave(self)
        context.fireChannelInactive()
    }

    /// A request begins to come.
    func requestBegins() {
        if phase == .idle { begin(.request) }
    }

    /// The head of a call has come, which has a place among calls.
    func callBegins() {
        progress = 0
        begin(.sending)
    }

    /// So many more bytes of a call's request have come.
    func callBrings(_ count: Int) {
        progress += count
        guard phase == .sending, progress >= PageLimits.progressBytes else { return }
        callBegins()
    }

    /// The request of a call is complete.
    func callIsSent() {
        if phase == .sending { begin(.call) }
    }

    func answerBegins(_ count: Int) {
        answerBytes = count
        begin(.answer)
        places.makeRoomForAnswer(of: self)
    }

    func answerWritten() {
        answerBytes = 0
        begin(.idle)
    }

    /// Ends the connection at once, for the sake of others.
    func makeRoom() {
        places.leave(self)
        // TLS stands behind this handler, and does not wait for the client.
        context?.close(promise: nil)
    }

    private func begin(_ phase: Phase) {
        let wasCall = self.phase == .call
        self.phase = phase
        timer?.cancel()
        // It needs a place among the others again.
        if wasCall, phase != .call, context?.channel.isActive == true { places.take(self) }
        guard let loop = context?.eventLoop else { return }
        since = loop.now
        guard phase != .call else { return }
        let milliseconds: Int64 =
            switch phase {
            case .idle: times.idleMilliseconds
            case .request, .sending: times.requestMilliseconds
            case .answer, .call: times.answerMilliseconds
            }
        timer = loop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) {
            self.makeRoom()
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
