import HTTP2

/// One call on a connection of its own, whose answer is wanted.
final class SingleCall: LinkedConnection {
    let link: ClientLink
    private var answer: [UInt8]?
    var loss: FloodError?

    private init(_ port: UInt16, _ head: RequestHead, _ message: [UInt8]) throws(FloodError) {
        link = try ClientLink(to: port, head)
        _ = try link.session.open([UInt8](enveloping: message))
    }

    /// The message that the server answers.
    ///
    /// - Throws: ``FloodError`` if the call does not end with status 0 and one plain message.
    static func answer(
        _ port: UInt16, _ path: String, _ metadata: [(name: String, value: String)],
        _ message: [UInt8]
    ) throws(FloodError) -> [UInt8] {
        let head = RequestHead(path: path, authority: "127.0.0.1:\(port)", metadata: metadata)
        let call = try SingleCall(port, head, message)
        let end = FloodRun.now() + UInt64(PeerLimits.callSeconds * 1e9)
        while true {
            if let loss = call.loss { throw FloodError("\(path): \(loss.message)") }
            if let answer = call.answer { return answer }
            guard FloodRun.now() < end else { throw FloodError("\(path): no answer in time") }
            try FloodRun.wait(for: [call], until: end)
        }
    }

    func take(
        _ stream: StreamPointer, _ events: StreamEvents, at now: UInt64
    ) throws(FloodError) {
        guard events.contains(.closed) else { return }
        guard stream.grpcStatus == 0, let message = stream.message else {
            throw FloodError(
                "grpc-status \(stream.grpcStatus.map(String.init) ?? "missing"), and "
                    + "\(stream.pointee.input.count) bytes that should be one plain message")
        }
        answer = Array(message)
    }
}
