/// One connection with many streams of changes on it, which it opens at once and then listens to.
final class WatchConnection: PolledConnection {
    private unowned let crowd: WatchCrowd
    private let socket: Socket
    /// The place among the crowd's listeners of the first one here; stream 1 is its own, 3 the
    /// next one's, and so on.
    private let first: Int
    private let count: Int
    /// The beginnings of messages whose ends have not come.
    private var parts: [Int: [UInt8]] = [:]

    private var input = FrameReader()
    private var headers = AnswerHeaders()
    private var output: [UInt8] = []
    private var written = 0
    private var receivedSinceUpdate = 0

    /// Why the connection is of no more use.
    private(set) var loss: FloodError?
    /// Whether it takes what comes; otherwise the server's bytes fill its socket.
    var isReading = true

    /// Connects, and asks for the streams with `requests`.
    init(
        to port: UInt16, _ requests: [RequestBody], head: RequestHead, first: Int,
        in crowd: WatchCrowd
    ) throws(FloodError) {
        self.crowd = crowd
        self.first = first
        count = requests.count
        socket = try Socket(connectingTo: port)
        appendGreeting()
        precondition(
            requests.reduce(0) { $0 + $1.windowBytes } <= FloodLimits.initialWindowBytes,
            "the requests of a connection are sent before its window grows")
        for (place, request) in requests.enumerated() {
            let stream = UInt32(place * 2 + 1)
            let block = place == 0 ? head.first : head.later
            output.append(
                frame: FrameHead(
                    length: block.count, kind: .headers, flags: FrameFlags.endHeaders,
                    stream: stream))
            output.append(contentsOf: block)
            let start = output.count
            output.append(contentsOf: request.frames)
            for offset in request.streamOffsets {
                output.patch(bigEndian: stream, at: start + offset)
            }
        }
    }

    var hasOutput: Bool { written < output.count }

    var pollDescriptor: Int32 { loss == nil && (isReading || hasOutput) ? socket.descriptor : -1 }

    func advance(at now: UInt64) {
        guard loss == nil else { return }
        do throws(FloodError) {
            if isReading { try receive(at: now) }
            try flush()
        } catch {
            loss = error
            crowd.fail(error.message)
        }
    }

    private func appendGreeting() {
        output.append(contentsOf: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        output.append(frame: FrameHead(length: 12, kind: .settings, flags: 0, stream: 0))
        output.append(setting: SettingCode.enablePush, 0)
        output.append(setting: SettingCode.initialWindowBytes, UInt32(FloodLimits.windowBytes))
        appendWindowUpdate(FloodLimits.windowBytes - FloodLimits.initialWindowBytes)
    }

    private func appendWindowUpdate(_ bytes: Int) {
        output.append(frame: FrameHead(length: 4, kind: .windowUpdate, flags: 0, stream: 0))
        output.append(bigEndian: UInt32(bytes))
    }

    private func receive(at now: UInt64) throws(FloodError) {
        let count = try input.fill { (buffer) throws(FloodError) in
            try socket.read(into: buffer) ?? 0
        }
        guard count > 0 else { return }
        while let frame = try input.next() {
            try take(frame, at: now)
        }
    }

    private func flush() throws(FloodError) {
        guard hasOutput else { return }
        written += try socket.write(output, from: written)
        guard written == output.count else { return }
        output.removeAll(keepingCapacity: true)
        written = 0
    }
}

// MARK: - What comes

extension WatchConnection {
    private func take(_ frame: FrameReader.Frame, at now: UInt64) throws(FloodError) {
        guard frame.head.flags & FrameFlags.padded == 0 || frame.head.kind == .settings else {
            throw FloodError("the server pads a frame")
        }
        switch frame.head.kind {
        case .data: try takeData(frame, at: now)
        case .headers: try takeHeaders(frame)
        case .resetStream:
            throw FloodError("the stream of \(try name(of: frame.head.stream)) was reset")
        case .settings: takeSettings(frame)
        case .ping: takePing(frame)
        case .goAway: throw FloodError("the server said goodbye")
        case .continuation: throw FloodError("the head of an answer is in several frames")
        default: break
        }
    }

    /// The place among the crowd's listeners of the one that has that stream.
    private func listener(of stream: UInt32) throws(FloodError) -> Int {
        let place = Int(stream >> 1)
        guard stream & 1 == 1, place < count else {
            throw FloodError("stream \(stream) was not opened")
        }
        return first + place
    }

    private func name(of stream: UInt32) throws(FloodError) -> String {
        crowd.listeners[try listener(of: stream)].user
    }

    private func takeHeaders(_ frame: FrameReader.Frame) throws(FloodError) {
        guard frame.head.flags & FrameFlags.endHeaders != 0 else {
            throw FloodError("the head of an answer is in several frames")
        }
        let skipped = frame.head.flags & FrameFlags.priority != 0 ? 5 : 0
        var faults: [Int] = []
        try headers.read(input.bytes, frame.payload.dropFirst(skipped)) { meaning in
            switch meaning {
            case .httpStatus(200), .other: break
            case .httpStatus(let status), .grpcStatus(let status): faults.append(status)
            }
        }
        if frame.head.flags & FrameFlags.endStream != 0 || !faults.isEmpty {
            throw FloodError(
                "the stream of \(try name(of: frame.head.stream)) ended with \(faults)")
        }
    }

    private func takeData(_ frame: FrameReader.Frame, at now: UInt64) throws(FloodError) {
        receivedSinceUpdate += frame.head.length
        if receivedSinceUpdate >= FloodLimits.windowStepBytes {
            appendWindowUpdate(receivedSinceUpdate)
            receivedSinceUpdate = 0
        }
        let listener = try listener(of: frame.head.stream)
        if var part = parts.removeValue(forKey: listener) {
            part += input.bytes[frame.payload]
            let rest = try takeMessages(part, part.indices, listener, at: now)
            if !rest.isEmpty { parts[listener] = Array(part[rest]) }
        } else {
            let rest = try takeMessages(input.bytes, frame.payload, listener, at: now)
            if !rest.isEmpty { parts[listener] = Array(input.bytes[rest]) }
        }
    }

    /// - Returns: What is left: the beginning of a message.
    private func takeMessages(
        _ bytes: [UInt8], _ range: Range<Int>, _ listener: Int, at now: UInt64
    ) throws(FloodError) -> Range<Int> {
        var rest = range
        while rest.count >= 5 {
            guard bytes[rest.lowerBound] == 0 else { throw FloodError("a message is compressed") }
            let length = Int(bytes.uint32(at: rest.lowerBound + 1))
            guard rest.count - 5 >= length else { break }
            let start = rest.lowerBound + 5
            let message = try WatchedMessage(bytes, start..<start + length)
            try crowd.take(message, listener, at: now)
            rest = start + length..<rest.upperBound
        }
        return rest
    }

    private func takeSettings(_ frame: FrameReader.Frame) {
        guard frame.head.flags & FrameFlags.acknowledge == 0 else { return }
        output.append(
            frame: FrameHead(length: 0, kind: .settings, flags: FrameFlags.acknowledge, stream: 0))
    }

    private func takePing(_ frame: FrameReader.Frame) {
        guard frame.head.flags & FrameFlags.acknowledge == 0 else { return }
        output.append(
            frame: FrameHead(
                length: frame.payload.count, kind: .ping, flags: FrameFlags.acknowledge,
                stream: 0))
        output.append(contentsOf: input.bytes[frame.payload])
    }
}
