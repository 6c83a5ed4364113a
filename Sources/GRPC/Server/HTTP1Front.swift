import GRPCWire
import HTTP2
import NIOCore
import NIOHTTP1

/// Speaks HTTP/1.1 with the client of a connection: it opens a stream of the session for each
/// request, and writes what the stream answers.
///
/// So there is one path for a call, and what holds for a connection of HTTP/2 holds here too: its
/// windows, its bounds, and its end. The front has one request at a time. It reads nothing of the
/// next request, and nothing more from the socket, before the answer to the last one has left. So a
/// client that does not read its answers holds one of them at most.
///
/// - Important: It belongs to its loop. Why properties are `@exclusivity(unchecked)` is said at
///   ``ServerCall``.
final class HTTP1Front {
    /// A request with its answer.
    private struct Exchange {
        let stream: StreamPointer
        /// Whether the client ends the connection after the answer.
        var isLast: Bool
        var hasBody = false
        var isRequestEnded = false
        var areHeadersSent = false
        var isChunked = false
    }

    private enum Phase {
        /// A request comes, or the next one is waited for.
        case reading
        /// The request is complete, and its answer has not left.
        case answering
        /// Nothing more is read, and nothing more is answered.
        case leaving
        /// The answer cannot be completed, nor be taken back.
        case cut
    }

    private unowned let connection: ServerConnection
    private let loop: ServerLoop
    private let session: Session
    @exclusivity(unchecked) private var reader = HTTP1Reader(
        headBytes: SessionLimits.headerListBytes)
    @exclusivity(unchecked) private var exchange: Exchange?
    @exclusivity(unchecked) private var phase = Phase.reading
    @exclusivity(unchecked) private var block = HeaderBlock()
    /// Bytes that go out before the answer: a word to go on, or a refusal.
    @exclusivity(unchecked) private var words: [UInt8] = []
    /// Whether the connection takes no further request.
    @exclusivity(unchecked) var isDraining = false
    /// Whether bytes were left because the time slice was over.
    @exclusivity(unchecked) private(set) var isCutShort = false
    /// Whether a read waits until the last answer has left, or more of a body was taken.
    @exclusivity(unchecked) var isReadHeld = false
    /// When the part that is waited for began to come, or the last one came, or an answer left.
    @exclusivity(unchecked) private var since: NIODeadline
    @exclusivity(unchecked) private var isInsideLines = false

    init(_ connection: ServerConnection) {
        self.connection = connection
        loop = connection.loop
        session = connection.session
        since = loop.eventLoop.now
        session.unframe(alsoOpen: [Self.length])
    }

    deinit {
        block.free()
    }

    /// The field whose value differs in each request, though it says nothing of the call.
    private static let length: StaticString = "content-length"

    // MARK: - Requests

    /// Takes requests as far as they have come, up to the end of one that has no answer yet.
    func receive(_ rest: inout ByteBuffer) {
        isCutShort = false
        guard phase == .reading else {
            // Nothing is asked for while an answer is on its way. More comes only if the client has
            // ended its side, and then it reads no answer to what follows.
            if rest.readableBytes > CallLimits.http1WaitingBytes {
                if exchange == nil { phase = .leaving } else { exchange?.isLast = true }
            }
            if phase != .answering || exchange?.isLast == true { rest = ByteBuffer() }
            return
        }
        var used = 0
        rest.withUnsafeReadableBytes { receive($0, &used) }
        rest.moveReaderIndex(forwardBy: used)
        guard phase == .reading else { return }
        let wasInside = isInsideLines
        isInsideLines = reader.isInsideLines(rest.readableBytes)
        if isInsideLines, !wasInside { since = loop.now }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer, _ used: inout Int) {
        while phase == .reading {
            guard connection.slice.step(1, loop.eventLoop) else { return isCutShort = true }
            if reader.isFresh, begin(asBefore: bytes, &used) { continue }
            do throws(HTTP1Error) {
                guard let step = try reader.advance(bytes, &used) else { return }
                handle(step, bytes)
            } catch {
                refuse(error.status, error.why)
            }
        }
    }

    private func handle(_ step: HTTP1Reader.Step, _ bytes: UnsafeRawBufferPointer) {
        since = loop.now
        isInsideLines = false
        switch step {
        case .head: begin(bytes)
        case .body(let range):
            guard let stream = exchange?.stream else { return }
            session.arrive(UnsafeRawBufferPointer(rebasing: bytes[range]), on: stream)
        case .end:
            phase = .answering
            guard let stream = exchange?.stream else { return }
            exchange?.isRequestEnded = true
            session.endRequest(of: stream, hasBody: exchange?.hasBody == true)
        }
    }

    /// Begins a request whose header section came before.
    private func begin(asBefore bytes: UnsafeRawBufferPointer, _ used: inout Int) -> Bool {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
        guard let request = session.accept(writtenIn: rest, length: Self.length) else {
            return false
        }
        since = loop.now
        isInsideLines = false
        used += request.headerBytes
        reader.skipHead(request.bodyBytes)
        exchange = Exchange(
            stream: request.stream, isLast: request.note, hasBody: request.bodyBytes > 0)
        return true
    }

    private func begin(_ bytes: UnsafeRawBufferPointer) {
        let head = reader.head
        guard head.isHTTP11 else {
            return refuse(.httpVersionNotSupported, "the version is not HTTP/1.1 or HTTP/2")
        }
        block.reset(keeping: SessionLimits.pooledBufferBytes)
        guard head.write(to: &block, isEncrypted: loop.configuration.tls != nil) else {
            return refuse(
                .requestHeaderFieldsTooLarge,
                "the fields take more than \(SessionLimits.headerListBytes) bytes")
        }
        guard Session.allows(head.method, head.target, head.host) else {
            return refuse(.badRequest, "the request is malformed")
        }
        guard let stream = session.accept(block) else {
            return refuse(.serviceUnavailable, "too many calls are open")
        }
        exchange = Exchange(stream: stream, isLast: head.isLast, hasBody: head.hasBody)
        if head.asksWhetherToSend {
            words += HTTP1Answer.continueBytes
            connection.markDirty()
        } else if let range = reader.headRange, !head.hasChunks {
            let length = reader.lengthRange.map {
                $0.lowerBound - range.lowerBound..<$0.upperBound - range.lowerBound
            }
            session.remember(
                UnsafeRawBufferPointer(rebasing: bytes[range]), length: length, note: head.isLast,
                of: stream)
        }
    }

    /// Refuses a request, and ends the connection.
    private func refuse(_ status: HTTPResponseStatus, _ why: String) {
        guard phase == .reading || phase == .answering else { return }
        connection.logViolation("bad_http1_request", why)
        connection.markDirty()
        // A half-sent answer cannot be taken back.
        guard exchange?.areHeadersSent != true else { return phase = .cut }
        words += HTTP1Answer.refusal(status, why, at: loop.date.text)
        phase = .leaving
    }

    // MARK: - Reads

    /// Whether nothing more is to be read from the socket now.
    var holdsReads: Bool {
        if phase == .answering { return true }
        guard phase == .reading, let stream = exchange?.stream else { return false }
        return !session.hasWindow(stream)
    }

    /// The client has gone; so many of its bytes were not taken.
    func inputEnded(_ waiting: Int) {
        guard phase == .reading, !reader.isBetweenRequests || waiting > 0 else { return }
        let part = reader.isAtHead ? "the header section of a request" : "the body of a request"
        connection.logViolation("cut_off_http1_request", HTTP1Error.cutOff(in: part).why)
    }

    // MARK: - Answers

    /// Whether ``gather(into:)`` has something.
    var wantsToSend: Bool {
        guard words.isEmpty else { return true }
        guard phase == .reading || phase == .answering, let exchange else { return false }
        let stream = exchange.stream
        if session.cutOffCode(of: stream) != nil { return true }
        guard exchange.areHeadersSent else { return session.answer(of: stream) != nil }
        return stream.waitingBytes > 0 || session.isAnswered(stream)
    }

    /// Adds what is to be written now, up to about ``CallLimits/writeBatchBytes``.
    ///
    /// - Returns: Whether there is nothing more.
    func gather(into buffer: inout ByteBuffer) -> Bool {
        let isDone = gatherAnswer(into: &buffer)
        if !words.isEmpty {
            buffer.writeBytes(words)
            words.removeAll()
        }
        return isDone
    }

    private func gatherAnswer(into buffer: inout ByteBuffer) -> Bool {
        guard phase == .reading || phase == .answering, let stream = exchange?.stream else {
            return true
        }
        if let code = session.cutOffCode(of: stream) {
            refuse(code)
            return true
        }
        guard exchange?.areHeadersSent == true || addHead(of: stream, to: &buffer) else {
            return true
        }
        let isChunked = exchange?.isChunked == true
        while buffer.readableBytes < CallLimits.writeBatchBytes, stream.waitingBytes > 0 {
            let waiting = session.nextBytes(of: stream)
            let part = UnsafeRawBufferPointer(
                rebasing: waiting.prefix(CallLimits.writeBatchBytes))
            if isChunked { HTTP1Answer.beginChunk(part.count, &buffer) }
            buffer.writeBytes(part)
            if isChunked { HTTP1Answer.endChunk(&buffer) }
            session.sent(part.count, of: stream)
        }
        guard session.isAnswered(stream) else { return stream.waitingBytes == 0 }
        if isChunked { HTTP1Answer.endChunks(&buffer) }
        endAnswer(stream)
        return true
    }

    /// Adds the head of the answer, if there is one.
    ///
    /// - Returns: Whether its body may follow.
    private func addHead(of stream: StreamPointer, to buffer: inout ByteBuffer) -> Bool {
        guard let fields = session.answer(of: stream) else { return false }
        // An interim word goes first.
        if !words.isEmpty {
            buffer.writeBytes(words)
            words.removeAll()
        }
        // An answer to half a request leaves the rest of it in the way of the next one.
        let isLast = exchange?.isLast == true || exchange?.isRequestEnded == false || isDraining
        let answer = HTTP1Answer(
            fields: fields, isEmpty: session.isAnswered(stream), isLast: isLast,
            date: loop.date.text)
        guard let isChunked = answer.write(to: &buffer) else {
            refuse(.internalServerError, "the server has given up the request")
            return false
        }
        exchange?.isLast = isLast
        exchange?.areHeadersSent = true
        exchange?.isChunked = isChunked
        return true
    }

    private func endAnswer(_ stream: StreamPointer) {
        // No byte after the last request is looked at.
        phase = exchange?.isLast == true ? .leaving : .answering
        exchange = nil
        session.end(stream)
    }

    /// The server has given up the request, so that its answer has no end.
    private func refuse(_ code: ErrorCode) {
        switch code {
        case .enhanceYourCalm: refuse(.tooManyRequests, "the connection holds too much memory")
        default: refuse(.internalServerError, "the server has given up the request")
        }
    }

    /// The step that follows a write.
    enum Next {
        case nothing
        /// The next request may be taken.
        case read
        /// The connection ends once the client has read the last answer: a socket that is closed
        /// with bytes to read would take it away.
        case part
        case close
    }

    /// Goes on after a write.
    ///
    /// - Parameter hasLeft: Whether the system has all that was written.
    func wrote(hasLeft: Bool) -> Next {
        switch phase {
        case .reading: return .nothing
        case .leaving: return .part
        case .cut: return .close
        case .answering:
            guard exchange == nil, hasLeft else { return .nothing }
            phase = .reading
            since = loop.now
            isInsideLines = false
            return .read
        }
    }

    // MARK: - The end

    /// The connection is gone, and its streams with it.
    func lost() {
        exchange = nil
        words = []
        phase = .leaving
    }

    /// The process did not run for so long: that time is not the client's.
    func forgive(_ lost: TimeAmount, at now: NIODeadline) {
        since = since.later(by: lost, until: now)
    }

    /// Looks for what only time can show; called now and then.
    func sweep(at now: NIODeadline) {
        // A stream may have been cut off whose client reads nothing.
        if wantsToSend { connection.markDirty() }
        guard phase == .reading else { return }
        if isInsideLines, now - since >= .seconds(CallLimits.headerSeconds) {
            refuse(.requestTimeout, "the request takes too long to arrive")
        } else if reader.isBetweenRequests, exchange == nil,
            now - since >= .seconds(CallLimits.http1IdleSeconds)
        {
            phase = .leaving
            connection.markDirty()
        }
    }
}
