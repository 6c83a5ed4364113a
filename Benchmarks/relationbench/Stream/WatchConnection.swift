import HTTP2

/// One connection with many streams of changes, which it opens together and then listens to.
final class WatchConnection: LinkedConnection {
    private unowned let crowd: WatchCrowd
    let link: ClientLink

    var loss: FloodError? { didSet { if let loss { crowd.fail(loss.message) } } }

    /// Connects, and asks for the streams with `requests`.
    ///
    /// - Parameter first: The index of its first listener in the crowd.
    init(
        to port: UInt16, _ requests: [[UInt8]], requestHeaders: FloodHeaders, first: Int,
        in crowd: WatchCrowd
    ) throws(FloodError) {
        self.crowd = crowd
        link = try ClientLink(to: port, requestHeaders)
        for (index, request) in requests.enumerated() {
            let stream = try link.session.open([UInt8](enveloping: request))
            stream.pointee.context = first + index
        }
    }

    func receive(_ stream: StreamPointer, _ events: StreamEvents, at now: UInt64) throws(FloodError)
    {
        let listener = stream.pointee.context
        while let length = stream.pointee.input.bytes.messageLength {
            let bytes = stream.pointee.input.bytes.dropFirst(5)
            guard bytes.count >= length else { break }
            let message = UnsafeRawBufferPointer(rebasing: bytes.prefix(length))
            try crowd.receive(try WatchedMessage(message), listener, at: now)
            link.session.drop(5 + length, of: stream)
        }
        guard !events.contains(.end), !events.contains(.closed) else {
            throw FloodError(
                "the stream of \(crowd.listeners[listener].user) ended: "
                    + "HTTP \(stream.httpStatus ?? 0), gRPC \(stream.grpcStatus ?? -1), "
                    + "code \(stream.pointee.closeCode.rawValue)")
        }
    }
}
