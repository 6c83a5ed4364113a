/// One connection to the server under test: frames in, bytes out, and the other duties of a client.
///
/// Every measurement over HTTP/2 uses it, each with its own view of the events.
final class FrameLink {
    /// The events that a measurement may need.
    enum Event {
        /// A payload in ``bytes``, valid during this event.
        case data(stream: UInt32, Range<Int>, isEnd: Bool)
        case head(stream: UInt32, httpStatus: Int?, grpcStatus: Int?, isEnd: Bool)
        case reset(stream: UInt32, code: UInt32)
        case settings([(code: UInt16, value: Int)])
        /// The number of further bytes that may be sent on the connection.
        case window(Int)
        case goAway(code: UInt32)
    }

    private let socket: Socket
    private var input = FrameReader()
    private var headers = AnswerHeaders()
    private var written = 0
    private var receivedSinceUpdate = 0

    /// A header block that has not ended yet, and whether its stream ends with it.
    private var block: [UInt8] = []
    private var blockFlags: UInt8 = 0

    /// The bytes that wait to be sent.
    var output: [UInt8] = []

    /// The bytes that were read.
    var bytes: [UInt8] { input.bytes }

    /// Connects, and queues the greeting.
    init(to port: UInt16) throws(FloodError) {
        socket = try Socket(connectingTo: port)
        output.append(contentsOf: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        output.append(frame: FrameHead(length: 12, kind: .settings, flags: 0, stream: 0))
        output.append(setting: SettingCode.enablePush, 0)
        output.append(setting: SettingCode.initialWindowBytes, UInt32(FloodLimits.windowBytes))
        appendWindowUpdate(FloodLimits.windowBytes - FloodLimits.initialWindowBytes)
    }

    var descriptor: Int32 { socket.descriptor }

    var hasOutput: Bool { written < output.count }

    /// Whether the bytes at `range` are the part of `expected` that begins at `offset`.
    func matches(_ range: Range<Int>, _ expected: [UInt8], from offset: Int) -> Bool {
        input.matches(range, expected, from: offset)
    }

    /// Queues a request: its head, and then its frames.
    func append(_ block: [UInt8], _ body: RequestBody, on stream: UInt32) {
        output.append(
            frame: FrameHead(
                length: block.count, kind: .headers, flags: FrameFlags.endHeaders, stream: stream))
        output.append(contentsOf: block)
        let start = output.count
        output.append(contentsOf: body.frames)
        for offset in body.streamOffsets {
            output.patch(bigEndian: stream, at: start + offset)
        }
    }

    /// Queues the frame that ends an unwanted stream.
    func appendReset(of stream: UInt32) {
        output.append(frame: FrameHead(length: 4, kind: .resetStream, flags: 0, stream: stream))
        output.append(bigEndian: FloodLimits.cancelCode)
    }

    private func appendWindowUpdate(_ bytes: Int) {
        output.append(frame: FrameHead(length: 4, kind: .windowUpdate, flags: 0, stream: 0))
        output.append(bigEndian: UInt32(bytes))
    }

    /// Writes as much as the socket accepts.
    func flush() throws(FloodError) {
        guard hasOutput else { return }
        written += try socket.write(output, from: written)
        guard written == output.count else { return }
        output.removeAll(keepingCapacity: true)
        written = 0
    }
}

// MARK: - What comes

extension FrameLink {
    /// Reads once, and calls `body` for all whole frames.
    ///
    /// - Throws: ``FloodError`` if the server breaks the rules of HTTP/2, and the error that `body`
    ///   throws.
    func receive(_ body: (Event) throws(FloodError) -> Void) throws(FloodError) {
        let count = try input.fill { (buffer) throws(FloodError) in
            try socket.read(into: buffer) ?? 0
        }
        guard count > 0 else { return }
        while let frame = try input.next() {
            if let event = try event(of: frame) { try body(event) }
        }
    }

    private func event(of frame: FrameReader.Frame) throws(FloodError) -> Event? {
        let (stream, flags) = (frame.head.stream, frame.head.flags)
        guard block.isEmpty || frame.head.kind == .continuation else {
            throw FloodError("the server interrupted a header block")
        }
        switch frame.head.kind {
        case .data:
            pay(frame.head.length)
            let isEnd = flags & FrameFlags.endStream != 0
            return .data(stream: stream, try unpadded(frame), isEnd: isEnd)
        case .headers, .continuation: return try head(frame)
        case .resetStream:
            return .reset(stream: stream, code: try number(frame, at: 0, of: 4))
        case .settings: return try settings(frame)
        case .ping: answer(ping: frame)
        case .windowUpdate:
            let count = try number(frame, at: 0, of: 4) & FloodLimits.lastStream
            // The window of a stream does not matter: every request fits in its first window.
            return stream == 0 ? .window(Int(count)) : nil
        case .goAway: return .goAway(code: try number(frame, at: 4, of: 8))
        default: break
        }
        return nil
    }

    /// Gives the connection's window back when much of it is used.
    private func pay(_ count: Int) {
        receivedSinceUpdate += count
        guard receivedSinceUpdate >= FloodLimits.windowStepBytes else { return }
        appendWindowUpdate(receivedSinceUpdate)
        receivedSinceUpdate = 0
    }

    /// The number at `offset` of a payload that has at least `count` bytes.
    private func number(
        _ frame: FrameReader.Frame, at offset: Int, of count: Int
    ) throws(FloodError) -> UInt32 {
        guard frame.payload.count >= count else {
            throw FloodError("the server sent a frame of \(frame.payload.count) bytes, too short")
        }
        return input.bytes.uint32(at: frame.payload.lowerBound + offset)
    }

    private func unpadded(_ frame: FrameReader.Frame) throws(FloodError) -> Range<Int> {
        guard frame.head.flags & FrameFlags.padded != 0 else { return frame.payload }
        guard let first = frame.payload.first,
            Int(input.bytes[first]) < frame.payload.count
        else { throw FloodError("the server sent a frame of padding only") }
        return frame.payload.dropFirst().dropLast(Int(input.bytes[first]))
    }

    private func head(_ frame: FrameReader.Frame) throws(FloodError) -> Event? {
        let (stream, flags) = (frame.head.stream, frame.head.flags)
        let isDone = flags & FrameFlags.endHeaders != 0
        guard frame.head.kind == .headers else {
            block += input.bytes[frame.payload]
            guard isDone else { return nil }
            let whole = block
            block = []
            return try head(whole, whole.indices, on: stream, flags: blockFlags)
        }
        var part = try unpadded(frame)
        if flags & FrameFlags.priority != 0 { part = part.dropFirst(5) }
        if isDone { return try head(input.bytes, part, on: stream, flags: flags) }
        block = Array(input.bytes[part])
        blockFlags = flags
        return nil
    }

    private func head(
        _ bytes: [UInt8], _ range: Range<Int>, on stream: UInt32, flags: UInt8
    ) throws(FloodError) -> Event {
        var httpStatus: Int?
        var grpcStatus: Int?
        try headers.read(bytes, range) { meaning in
            switch meaning {
            case .httpStatus(let status): httpStatus = status
            case .grpcStatus(let status): grpcStatus = status
            case .other: break
            }
        }
        return .head(
            stream: stream, httpStatus: httpStatus, grpcStatus: grpcStatus,
            isEnd: flags & FrameFlags.endStream != 0)
    }

    private func settings(_ frame: FrameReader.Frame) throws(FloodError) -> Event? {
        guard frame.head.flags & FrameFlags.acknowledge == 0 else { return nil }
        guard frame.payload.count % 6 == 0 else {
            throw FloodError("the server sent broken settings")
        }
        output.append(
            frame: FrameHead(length: 0, kind: .settings, flags: FrameFlags.acknowledge, stream: 0))
        let starts = stride(from: frame.payload.lowerBound, to: frame.payload.upperBound, by: 6)
        return .settings(
            starts.map { start in
                (
                    code: UInt16(input.bytes[start]) << 8 | UInt16(input.bytes[start + 1]),
                    value: Int(input.bytes.uint32(at: start + 2))
                )
            })
    }

    private func answer(ping frame: FrameReader.Frame) {
        guard frame.head.flags & FrameFlags.acknowledge == 0 else { return }
        output.append(
            frame: FrameHead(
                length: frame.payload.count, kind: .ping, flags: FrameFlags.acknowledge,
                stream: 0))
        output.append(contentsOf: input.bytes[frame.payload])
    }
}
