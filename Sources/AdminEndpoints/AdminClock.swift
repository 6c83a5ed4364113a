import NIOCore

/// Bounds how long a connection may be in each phase of its life.
///
/// It stands before all other handlers, also those of TLS, and belongs to its loop.
final class AdminClock: ChannelInboundHandler {
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

    private let times: AdminTimes
    private let slots: ConnectionSlots
    private(set) var phase = Phase.request
    /// When the phase began.
    private(set) var since = NIODeadline.now()
    /// Bytes of an answer that has not left.
    private(set) var answerBytes = 0
    /// Bytes of a call's request that have come since the time began that it has.
    private var progress = 0
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(_ times: AdminTimes, _ slots: ConnectionSlots) {
        self.times = times
        self.slots = slots
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // A client that connects has something to ask.
        begin(.request)
        slots.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        slots.remove(self)
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        slots.remove(self)
        context.fireChannelInactive()
    }

    /// A request begins to come.
    func requestBegins() {
        if phase == .idle { begin(.request) }
    }

    /// The headers of a call have come, which has a slot among calls.
    func callBegins() {
        progress = 0
        begin(.sending)
    }

    /// So many more bytes of a call's request have come.
    func callBrings(_ count: Int) {
        progress += count
        guard phase == .sending, progress >= AdminLimits.progressBytes else { return }
        callBegins()
    }

    /// The request of a call is complete.
    func callIsSent() {
        if phase == .sending { begin(.call) }
    }

    func answerBegins(_ count: Int) {
        answerBytes = count
        begin(.answer)
        slots.makeRoomForAnswer(of: self)
    }

    func answerWritten() {
        answerBytes = 0
        begin(.idle)
    }

    /// Ends the connection at once, for the sake of others.
    func makeRoom() {
        slots.remove(self)
        // TLS comes after this handler, and does not wait for the client.
        context?.close(promise: nil)
    }

    private func begin(_ phase: Phase) {
        let wasCall = self.phase == .call
        self.phase = phase
        timer?.cancel()
        // It needs a slot among the others again.
        if wasCall, phase != .call, context?.channel.isActive == true { slots.add(self) }
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

/// The times of ``AdminLimits``; a test takes shorter ones.
package struct AdminTimes: Sendable {
    package var requestMilliseconds = AdminLimits.requestMilliseconds
    package var answerMilliseconds = AdminLimits.answerMilliseconds
    package var idleMilliseconds = AdminLimits.idleMilliseconds

    package init() {}
}
