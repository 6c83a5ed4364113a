import HTTP2

/// The client's side of a connection without its socket: HTTP/2's own session, and the bytes that
/// it has to send.
///
/// Properties that every call touches are `@exclusivity(unchecked)`, as those of ``Session`` are: a
/// load must take less time than the server.
final class ClientSession {
    /// The one field that the session writes out itself; the others are in ``FloodHeaders``.
    private static let method = FixedFields([(":method", "POST")])

    private let session: Session
    private let requestHeaders: FloodHeaders
    @exclusivity(unchecked) private var isFirst = true

    /// The bytes that wait to be sent.
    @exclusivity(unchecked) var output: [UInt8] = []
    /// Whether the server's settings have come.
    private(set) var isGreeted = false
    /// The code with which the server said that it accepts no more calls; nil before.
    @exclusivity(unchecked) private(set) var goAway: ErrorCode?

    init(_ requestHeaders: FloodHeaders) throws(FloodError) {
        self.requestHeaders = requestHeaders
        var settings = Settings()
        settings.streamWindowBytes = FloodLimits.windowBytes
        settings.wideWindowBytes = FloodLimits.windowBytes
        settings.connectionWindowBytes = FloodLimits.windowBytes
        session = try asFlood { () throws(SessionError) in
            try Session(role: .client, settings: settings, pool: StreamPool())
        }
        try collect()
    }

    /// The calls that the server lets be open at once.
    var allowedStreams: Int { Int(session.peerStreamLimit) }

    /// Begins a call that sends `body`, and nothing after it.
    ///
    /// - Parameters:
    ///   - field: The compressed form of a further field of the request.
    ///   - fields: That of all its fields but the method, in place of those of ``FloodHeaders``.
    func open(
        _ body: [UInt8], _ field: [UInt8] = [], instead fields: [UInt8]? = nil
    ) throws(FloodError) -> StreamPointer {
        let stream = try asFlood { () throws(SessionError) in try session.open(Self.method, nil) }
        body.withUnsafeBytes { stream.pointee.output.append($0) }
        session.finish(stream)
        // One by one: else the headers of all calls would go out before the first body.
        try collect(field, fields)
        return stream
    }

    /// Ends a call that is no longer wanted.
    func reset(_ stream: StreamPointer) throws(FloodError) {
        session.reset(stream, .cancel)
        session.release(stream)
        try collect()
    }

    /// Forgets a call; the pointer must not be used again.
    func release(_ stream: StreamPointer) { session.release(stream) }

    /// Drops the first `count` bytes that came on a stream, after they were read.
    func drop(_ count: Int, of stream: StreamPointer) {
        session.drop(count, of: stream)
        session.consumeWindow(stream)
    }

    /// The next stream on which something came, and what.
    func nextReady() -> (stream: StreamPointer, events: StreamEvents)? { session.nextReady() }

    /// Takes bytes that the server sent.
    ///
    /// - Throws: ``FloodError`` if the server breaks the rules of HTTP/2.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(FloodError) {
        _ = try asFlood { () throws(SessionError) in try session.receive(bytes) }
        try collect()
        for event in session.takeEvents() {
            switch event {
            case .settings: isGreeted = true
            case .goAway(_, let code, _): goAway = code
            case .settingsAcknowledged, .ping, .pingAcknowledged: break
            }
        }
        guard !session.isFinished || goAway != nil else {
            throw FloodError("the server breaks the rules of HTTP/2")
        }
    }

    /// Queues the frames that the session has to send.
    private func collect(
        _ field: [UInt8] = [], _ fields: [UInt8]? = nil
    ) throws(FloodError) {
        while let frame = try asFlood({ () throws(SessionError) in try session.nextOutput() }) {
            if frame.count > Self.frameHeaderBytes, frame[3] == Self.headers {
                append(completed: frame, field, fields)
            } else {
                output.append(contentsOf: frame)
            }
        }
    }

    /// The bytes before a frame's payload, and the type of a frame with headers (RFC 9113).
    private static let frameHeaderBytes = 9
    private static let headers: UInt8 = 1

    /// Queues a request's headers: those of the session, followed by the fields made beforehand.
    private func append(
        completed frame: UnsafeRawBufferPointer, _ field: [UInt8], _ fields: [UInt8]?
    ) {
        let block = fields ?? (isFirst ? requestHeaders.first : requestHeaders.later)
        isFirst = false
        let length = frame.count - Self.frameHeaderBytes + block.count + field.count
        output.append(UInt8(truncatingIfNeeded: length >> 16))
        output.append(UInt8(truncatingIfNeeded: length >> 8))
        output.append(UInt8(truncatingIfNeeded: length))
        output.append(contentsOf: UnsafeRawBufferPointer(rebasing: frame[3...]))
        output.append(contentsOf: block)
        output.append(contentsOf: field)
    }
}

extension StreamPointer {
    /// The status of the answer, and of its end; -1 for one that is not a number.
    var httpStatus: Int? { pointee.headers.number(":status") }
    var grpcStatus: Int? {
        pointee.trailers.number("grpc-status") ?? pointee.headers.number("grpc-status")
    }

    /// The one message of an answer that came whole; nil for other bytes.
    var message: UnsafeRawBufferPointer? {
        let bytes = pointee.input.bytes
        guard let length = bytes.messageLength, bytes.count == length + 5 else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[5...])
    }
}

extension UnsafeRawBufferPointer {
    /// The length of the plain message that begins here; nil if its five bytes of envelope are not
    /// here, or not those of a plain message.
    var messageLength: Int? {
        guard count >= 5, self[0] == 0 else { return nil }
        return Int(UInt32(bigEndian: loadUnaligned(fromByteOffset: 1, as: UInt32.self)))
    }
}

extension [UInt8] {
    /// A message in gRPC's frame: a byte that means "not compressed", and four bytes of length.
    init(enveloping message: [UInt8]) {
        self = [0]
        Swift.withUnsafeBytes(of: UInt32(message.count).bigEndian) { append(contentsOf: $0) }
        append(contentsOf: message)
    }
}

extension HeaderBlock {
    /// A field that is a number; -1 if it is there and is not a number.
    fileprivate func number(_ name: StaticString) -> Int? {
        guard let value = value(of: name) else { return nil }
        let zero = UInt8(ascii: "0")
        guard (1...3).contains(value.count), value.allSatisfy({ (zero...zero + 9).contains($0) })
        else { return -1 }
        return value.reduce(0) { $0 * 10 + Int($1 - zero) }
    }
}

/// Returns the result of `body`; its error becomes one of a flood.
private func asFlood<Result>(
    _ body: () throws(SessionError) -> Result
) throws(FloodError) -> Result {
    do throws(SessionError) {
        return try body()
    } catch { throw FloodError("HTTP/2 cannot go on: \(error)") }
}
