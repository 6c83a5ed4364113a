import GRPCWire
import HTTP2
import NIOCore
import RPC

/// One call of a client, from the wish to make it to its status.
///
/// `Sendable` is unchecked: everything but the constants is touched on the channel's event loop.
final class ClientCall: @unchecked Sendable {
    private enum Phase {
        /// Waits for a connection that has a stream free.
        case waiting
        case open(ClientConnection, StreamPointer)
        case ended(Status, Metadata)
    }

    /// The metadata that comes before the first answer.
    private enum InitialMetadata {
        /// It has not come, and no caller waits for it.
        case missing
        case awaited((Result<Metadata, RPCError>) -> Void)
        case here(Metadata)
    }

    let core: ClientCore
    let path: String
    let metadata: Metadata
    let deadline: Deadline?
    /// Whether the call waits for a server that cannot be reached.
    let waitsForReady: Bool
    /// Whether the call belongs to one connection, and is made on no other.
    let isPinned: Bool

    private var phase = Phase.waiting

    /// Envelopes that are to be sent when there is a stream, or sent again on another one.
    private var pending: [UInt8] = []

    /// Whether the client sends nothing more.
    private var isHalfClosed = false

    /// Whether `pending` is the whole request, and the server has not answered it, so that it can
    /// be sent again.
    private var isReplayable = true

    /// Messages that came before their reader; those before `firstMessage` were taken.
    private var messages: [[UInt8]] = []
    private var firstMessage = 0

    /// How the server packs its messages; nil if it names what is not known here.
    private var answerEncoding: MessageEncoding? = .identity

    /// How many messages came compressed.
    private(set) var compressedMessages = 0
    private var initial = InitialMetadata.missing

    private var reader: ((Result<[UInt8]?, RPCError>) -> Void)?
    private var writer: ((Result<Void, RPCError>) -> Void)?

    /// The neighbours among the calls that wait for a stream; nil if it is not among them.
    var links: WaitingCalls.Links?

    /// When the call had its stream.
    private var begun = NIODeadline.uptimeNanoseconds(0)

    /// The server's word on another attempt, if it gave one.
    private var pushback: RPCError.Pushback?
    /// Whether the server cannot have looked at the call.
    private var wasUnprocessed = false
    /// The party that says that the call has failed.
    private var origin = RPCError.Origin.status

    init(
        core: ClientCore, path: String, metadata: Metadata, deadline: Deadline?,
        waitsForReady: Bool? = nil, isPinned: Bool = false
    ) {
        self.core = core
        self.path = path
        self.metadata = metadata
        self.deadline = deadline
        self.waitsForReady = waitsForReady ?? core.configuration.waitsForServer
        self.isPinned = isPinned
    }

    /// The status of the call and the metadata that came with it, once the call has ended.
    var end: (status: Status, trailers: Metadata)? {
        if case .ended(let status, let trailers) = phase { (status, trailers) } else { nil }
    }

    // MARK: - What the caller does

    func start() {
        core.eventLoop.preconditionInEventLoop()
        guard end == nil else { return }
        if let problem = metadata.problem {
            return finish(Status(.invalidArgument, problem), .caller)
        }
        if let refusal = core.refusal(of: self) { return finish(refusal.status, refusal.origin) }
        if let deadline {
            guard deadline.time > core.eventLoop.now else { return expire() }
            core.watch(self, deadline)
        }
        core.start(self)
    }

    /// Ends the call, because its deadline has passed.
    func expire() {
        guard end == nil else { return }
        var words = "the deadline has passed"
        switch phase {
        case .open(let connection, _): connection.probe(since: begun)
        case .waiting:
            if let failure = core.failure {
                words += " while the call waited for a server: \(failure)"
            }
        case .ended: break
        }
        cancel(Status(.deadlineExceeded, words))
    }

    /// Queues a message, compressed if the channel does that and `compressed` lets it; `done` comes
    /// when there is room for another one.
    ///
    /// A message that is too long ends the call.
    func send(
        _ message: [UInt8], compressed: Bool = true,
        _ done: @escaping (Result<Void, RPCError>) -> Void
    ) {
        guard queue(message, compressed: compressed) else { return done(.failure(endError)) }
        sendQueued(done)
    }

    /// Queues messages, each as ``send(_:compressed:_:)`` does; `done` comes when there is room for
    /// others.
    func send(
        contentsOf messages: [[UInt8]], _ done: @escaping (Result<Void, RPCError>) -> Void
    ) {
        for message in messages {
            guard queue(message, compressed: true) else { return done(.failure(endError)) }
        }
        sendQueued(done)
    }

    /// - Returns: Whether the call goes on.
    private func queue(_ message: [UInt8], compressed: Bool) -> Bool {
        let limit = core.configuration.maxSentMessageBytes
        guard message.count <= limit else {
            let words = "a message of \(message.count) bytes is longer than \(limit)"
            cancel(Status(.resourceExhausted, words), .tooLong)
            return false
        }
        let envelope = envelope(message, compressed: compressed)
        switch phase {
        case .ended:
            return false
        case .waiting:
            // Bounded: who waits for `done` has the messages of one send here.
            pending += envelope
        case .open(_, let stream):
            isReplayable = false
            envelope.withUnsafeBytes { stream.pointee.output.append($0) }
        }
        return true
    }

    private func sendQueued(_ done: @escaping (Result<Void, RPCError>) -> Void) {
        switch phase {
        case .ended:
            done(.failure(endError))
        case .waiting:
            writer = done
        case .open(let connection, let stream):
            connection.session.resume(stream)
            connection.flush()
            waitForRoom(done)
        }
    }

    private func envelope(_ message: [UInt8], compressed: Bool) -> [UInt8] {
        message.withUnsafeBytes { message in
            let encoding = core.configuration.encoding
            let packed = compressed ? core.packer.pack(message, encoding) : nil
            let bytes = packed ?? message
            return [UInt8](unsafeUninitializedCapacity: Envelope.prefixBytes + bytes.count) {
                let room = UnsafeMutableRawBufferPointer($0)
                // There is room for five bytes at least.
                Envelope.write(
                    length: bytes.count, flag: packed == nil ? 0 : Envelope.compressed,
                    to: room.baseAddress!)
                UnsafeMutableRawBufferPointer(rebasing: room[Envelope.prefixBytes...])
                    .copyMemory(from: bytes)
                $1 = Envelope.prefixBytes + bytes.count
            }
        }
    }

    func finishSending() {
        guard !isHalfClosed else { return }
        isHalfClosed = true
        guard case .open(let connection, let stream) = phase else { return }
        connection.session.finish(stream)
        connection.flush()
    }

    /// Gives the next message, or nil after the last one.
    func read(_ body: @escaping (Result<[UInt8]?, RPCError>) -> Void) {
        precondition(reader == nil, "a call has one reader")
        reader = body
        deliver()
    }

    func readHeaders(_ body: @escaping (Result<Metadata, RPCError>) -> Void) {
        if case .here(let metadata) = initial { return body(.success(metadata)) }
        if let end, end.status.code != .ok { return body(.failure(endError)) }
        if end != nil { return body(.success([])) }
        initial = .awaited(body)
    }

    func cancel(
        _ status: Status = Status(.cancelled, "the caller cancelled the call"),
        _ origin: RPCError.Origin = .caller
    ) {
        if case .open(let connection, let stream) = phase {
            connection.session.reset(stream, .cancel)
            finish(status, origin)
            connection.flush()
        } else {
            finish(status, origin)
        }
    }

    // MARK: - What the connection does

    /// Whether the call still waits for a stream.
    var isWaiting: Bool {
        if case .waiting = phase { true } else { false }
    }

    /// The fields of the request beside those that every request has.
    func write(to block: inout HeaderBlock, authority: String) {
        block.append(":authority", authority)
        block.append(":path", path)
        // Pseudo-fields end here; RFC 9113, section 8.3 wants them first.
        block.append("te", "trailers")
        block.append("content-type", "application/grpc")
        block.append("user-agent", core.configuration.userAgent)
        let encoding = core.configuration.encoding
        if encoding != .identity {
            block.append("grpc-encoding", encoding.name)
            block.append("grpc-accept-encoding", MessageEncoding.accepted)
        }
        if let deadline {
            let left = deadline.time - core.eventLoop.now
            block.append("grpc-timeout", Timeout.format(left), transient: true)
        }
        metadata.write(to: &block)
    }

    func opened(_ connection: ClientConnection, _ stream: StreamPointer) {
        phase = .open(connection, stream)
        begun = core.eventLoop.now
        pending.withUnsafeBytes { stream.pointee.output.append($0) }
        if !isHalfClosed {
            // More may follow that is kept nowhere else.
            isReplayable = false
        }
        if !isReplayable { pending = [] }
        if isHalfClosed { connection.session.finish(stream) }
        guard let writer else { return }
        self.writer = nil
        waitForRoom(writer)
    }

    func received(_ events: StreamEvents) {
        guard case .open(let connection, let stream) = phase else { return }
        if events.contains(.writable), let writer {
            self.writer = nil
            writer(.success(()))
        }
        if events.contains(.headers) { receiveHeaders(stream) }
        guard case .open = phase else { return }
        if events.contains(.data) { deliver() }
        if events.contains(.end) {
            receiveEnd(connection, stream)
        } else if events.contains(.closed) {
            receiveClose(connection, stream, events)
        }
    }

    private func receiveHeaders(_ stream: StreamPointer) {
        isReplayable = false
        pending = []
        if stream.pointee.areHeadersTooLarge {
            return cancel(Status(.resourceExhausted, "the server's metadata is too large"))
        }
        // A header block that is also the end holds trailers, not initial metadata.
        let isEnd = stream.pointee.doHeadersEndStream
        if let problem = ResponseHeaders.problem(stream.pointee.headers, isEnd: isEnd) {
            return cancel(Status(problem), problem.origin)
        }
        if let name = stream.pointee.headers.value(of: "grpc-encoding") {
            answerEncoding = MessageEncoding(name)
        }
        guard !isEnd else { return }
        let metadata = Metadata(stream.pointee.headers)
        let previous = initial
        initial = .here(metadata)
        if case .awaited(let done) = previous { done(.success(metadata)) }
    }

    private func receiveEnd(_ connection: ClientConnection, _ stream: StreamPointer) {
        // Nowhere else is a status: a header block that messages may follow cannot know how the
        // call ends.
        let block =
            stream.pointee.doHeadersEndStream ? stream.pointee.headers : stream.pointee.trailers
        guard receiveRest(stream) else {
            return cancel(Status(.internalError, "a message of the server is truncated"), .way)
        }
        let status = ResponseHeaders.status(block)
        let trailers = Metadata(block)
        if status.code != .ok { pushback = RPCError.Pushback(block) }
        // The server has ended the call before we had sent all: the rest is of no use.
        if !isHalfClosed { connection.session.reset(stream, .cancel) }
        finish(status, ResponseHeaders.hasStatus(block) ? .status : .way, trailers)
    }

    private func receiveClose(
        _ connection: ClientConnection, _ stream: StreamPointer, _ events: StreamEvents
    ) {
        let code = stream.pointee.closeCode
        // A stream above the last one of the server's `GOAWAY` has this code too.
        wasUnprocessed = code == .refusedStream && stream.pointee.headers.count == 0
        if isReplayable, isHalfClosed, code == .refusedStream {
            // The server has not looked at the call, so that it may be made again, once.
            phase = .waiting
            isReplayable = false
            connection.released(stream)
            return core.start(self)
        }
        if let deadline, deadline.time <= core.eventLoop.now {
            // The caller's own time ended first, so the server's status does not count.
            return finish(Status(.deadlineExceeded, "the deadline has passed"), .caller)
        }
        if core.isClosed { return finish(.clientClosed, .closed) }
        // Whole messages that came before are reported first, whether or not their reader was
        // there.
        _ = receiveRest(stream)
        guard case .open = phase else { return }
        if connection.isLost {
            return finish(Status(.unavailable, "the connection was lost"), .way)
        }
        finish(
            Status(
                ResponseHeaders.code(reset: code), "the server reset the call (\(code.rawValue))"),
            code == .inadequateSecurity ? .setup : .way)
    }

    /// Keeps the messages that the caller has not read; false if part of another one follows.
    private func receiveRest(_ stream: StreamPointer) -> Bool {
        while case .message? = nextMessage(stream) {}
        // A message that was refused has ended the call, and taken the stream with it.
        guard case .open = phase else { return true }
        return stream.pointee.input.isEmpty
    }

    // MARK: - Messages

    private enum Taken {
        case message
        case failed
    }

    /// Moves one message from the stream to the list.
    private func nextMessage(_ stream: StreamPointer) -> Taken? {
        let bytes = stream.pointee.input.bytes
        let limit = core.configuration.maxReceivedMessageBytes
        // A message in an encoding that is not known may arrive; it is refused when it is opened.
        switch Envelope.front(of: bytes, limit: limit, answerEncoding ?? .gzip) {
        case .partial:
            return nil
        case .refused(let code, let message):
            cancel(Status(code, message), code == .resourceExhausted ? .tooLong : .way)
            return .failed
        case .message(let length):
            let end = Envelope.prefixBytes + length
            do throws(RPCError) {
                messages.append(try opened(.init(rebasing: bytes[..<end])))
            } catch {
                cancel(Status(error), error.code == .resourceExhausted ? .tooLong : .way)
                return .failed
            }
            if case .open(let connection, _) = phase { connection.session.drop(end, of: stream) }
            return .message
        }
    }

    /// The message in an envelope.
    private func opened(_ envelope: UnsafeRawBufferPointer) throws(RPCError) -> [UInt8] {
        let message = UnsafeRawBufferPointer(rebasing: envelope[Envelope.prefixBytes...])
        guard envelope[0] == Envelope.compressed else { return Array(message) }
        guard let answerEncoding else {
            throw RPCError(.internalError, "the server compresses in a way that is not known here")
        }
        let limit = core.configuration.maxReceivedMessageBytes
        compressedMessages += 1
        return Array(try core.packer.unpack(message, answerEncoding, limit: limit))
    }

    /// Hands a message to the reader, if both are there, and lets the server send more.
    private func deliver() {
        if case .open(let connection, let stream) = phase {
            if firstMessage == messages.count, reader != nil { _ = nextMessage(stream) }
            guard case .open = phase else { return }
            // While a whole message waits for its reader the window stays closed by its length; a
            // part of one must be accepted, or it would never become whole.
            let limit = core.configuration.maxReceivedMessageBytes
            let front = Envelope.front(
                of: stream.pointee.input.bytes, limit: limit, answerEncoding ?? .gzip)
            let waits = if case .message = front { true } else { false }
            connection.session.consumeWindow(
                stream, keeping: waits ? stream.pointee.input.count : 0)
            connection.flushSoon()
        }
        guard let reader else { return }
        if firstMessage < messages.count {
            self.reader = nil
            let message = messages[firstMessage]
            messages[firstMessage] = []
            firstMessage += 1
            if firstMessage == messages.count {
                messages.removeAll(keepingCapacity: firstMessage == 1)
                firstMessage = 0
            }
            reader(.success(message))
        } else if let end {
            self.reader = nil
            reader(end.status.code == .ok ? .success(nil) : .failure(endError))
        }
    }

    private func waitForRoom(_ done: @escaping (Result<Void, RPCError>) -> Void) {
        guard case .open(let connection, let stream) = phase,
            stream.pointee.output.count >= CallLimits.highWaterBytes
        else { return done(.success(())) }
        writer = done
        connection.session.notifyWhenWritable(stream, below: CallLimits.lowWaterBytes)
    }

    // MARK: - The end

    private var endError: RPCError {
        let end = end ?? (Status(.unknown, ""), [])
        guard end.status.code != .ok else {
            var error = RPCError(.cancelled, "the call has ended")
            error.origin = .caller
            return error
        }
        var error = RPCError(
            end.status.code, end.status.message, details: end.status.details,
            trailers: end.trailers)
        error.pushback = pushback
        error.wasUnprocessed = wasUnprocessed
        error.origin = origin
        return error
    }

    func finish(_ status: Status, _ origin: RPCError.Origin, _ trailers: Metadata = []) {
        guard end == nil else { return }
        let previous = phase
        if case .waiting = previous { wasUnprocessed = true }
        if links != nil { core.forget(self) }
        phase = .ended(status, trailers)
        self.origin = origin
        pending = []
        if case .open(let connection, let stream) = previous { connection.released(stream) }
        if case .awaited(let done) = initial {
            initial = .missing
            done(status.code == .ok ? .success([]) : .failure(endError))
        }
        writer?(.failure(endError))
        writer = nil
        deliver()
    }
}
