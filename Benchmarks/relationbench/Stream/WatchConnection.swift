/// One connection with many streams of changes, which it opens together and then listens to.
final class WatchConnection: PolledConnection {
    private unowned let crowd: WatchCrowd
    private let link: FrameLink
    /// The index of its first listener in the crowd; stream 1 belongs to that listener, 3 to the
    /// next one, and so on.
    private let first: Int
    private let count: Int
    /// The beginnings of messages that have not come to their end.
    private var parts: [Int: [UInt8]] = [:]

    /// Why the connection cannot be used any more.
    private(set) var loss: FloodError?
    /// Whether it reads its input; otherwise the server's bytes fill its socket.
    var isReading = true

    /// Connects, and asks for the streams with `requests`.
    init(
        to port: UInt16, _ requests: [RequestBody], head: RequestHead, first: Int,
        in crowd: WatchCrowd
    ) throws(FloodError) {
        self.crowd = crowd
        self.first = first
        count = requests.count
        link = try FrameLink(to: port)
        precondition(
            requests.reduce(0) { $0 + $1.windowBytes } <= FloodLimits.initialWindowBytes,
            "the requests of a connection are sent before its window grows")
        for (index, request) in requests.enumerated() {
            link.append(
                index == 0 ? head.first : head.later, request, on: UInt32(index * 2 + 1))
        }
    }

    var hasOutput: Bool { link.hasOutput }

    var pollDescriptor: Int32 { loss == nil && (isReading || hasOutput) ? link.descriptor : -1 }

    func advance(at now: UInt64) {
        guard loss == nil else { return }
        do throws(FloodError) {
            if isReading {
                try link.receive { (event) throws(FloodError) in try take(event, at: now) }
            }
            try link.flush()
        } catch {
            loss = error
            crowd.fail(error.message)
        }
    }
}

// MARK: - What comes

extension WatchConnection {
    private func take(_ event: FrameLink.Event, at now: UInt64) throws(FloodError) {
        switch event {
        case .data(let stream, let data, let isEnd):
            try takeData(data, on: stream, at: now)
            if isEnd { throw FloodError("the stream of \(try name(of: stream)) ended") }
        case .head(let stream, let httpStatus, let grpcStatus, let isEnd):
            guard !isEnd, httpStatus ?? 200 == 200, grpcStatus == nil else {
                throw FloodError(
                    "the stream of \(try name(of: stream)) ended: HTTP \(httpStatus ?? 200), "
                        + "gRPC \(grpcStatus ?? 0)")
            }
        case .reset(let stream, _):
            throw FloodError("the stream of \(try name(of: stream)) was reset")
        case .goAway: throw FloodError("the server said goodbye")
        case .settings, .window: break
        }
    }

    /// The index in the crowd of the listener that has that stream.
    private func listener(of stream: UInt32) throws(FloodError) -> Int {
        let index = Int(stream >> 1)
        guard stream & 1 == 1, index < count else {
            throw FloodError("stream \(stream) was not opened")
        }
        return first + index
    }

    private func name(of stream: UInt32) throws(FloodError) -> String {
        crowd.listeners[try listener(of: stream)].user
    }

    private func takeData(
        _ data: Range<Int>, on stream: UInt32, at now: UInt64
    ) throws(FloodError) {
        let listener = try listener(of: stream)
        if var part = parts.removeValue(forKey: listener) {
            part += link.bytes[data]
            let rest = try takeMessages(part, part.indices, listener, at: now)
            if !rest.isEmpty { parts[listener] = Array(part[rest]) }
        } else {
            let rest = try takeMessages(link.bytes, data, listener, at: now)
            if !rest.isEmpty { parts[listener] = Array(link.bytes[rest]) }
        }
    }

    /// - Returns: The rest: the beginning of a message.
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
}
