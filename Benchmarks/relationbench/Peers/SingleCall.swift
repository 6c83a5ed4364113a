/// One call on a connection of its own, whose answer is wanted.
final class SingleCall: PolledConnection {
    private let link: FrameLink
    private var received: [UInt8] = []
    private var status: Int?
    private var isDone = false
    private var loss: FloodError?

    private init(
        _ port: UInt16, _ path: String, _ metadata: [(name: String, value: String)],
        _ message: [UInt8]
    ) throws(FloodError) {
        link = try FrameLink(to: port)
        let head = RequestHead(path: path, authority: "127.0.0.1:\(port)", metadata: metadata)
        link.append(head.first, RequestBody(.init(message: message, answer: nil)), on: 1)
    }

    /// The message that the server answers.
    ///
    /// - Throws: ``FloodError`` if the call does not end with status 0 and one plain message.
    static func answer(
        _ port: UInt16, _ path: String, _ metadata: [(name: String, value: String)],
        _ message: [UInt8]
    ) throws(FloodError) -> [UInt8] {
        let call = try SingleCall(port, path, metadata, message)
        let end = FloodRun.now() + UInt64(PeerLimits.callSeconds * 1e9)
        while !call.isDone {
            if let loss = call.loss { throw loss }
            guard FloodRun.now() < end else { throw FloodError("\(path): no answer in time") }
            try FloodRun.wait(for: [call], until: end)
        }
        guard call.status == 0 else {
            throw FloodError("\(path): grpc-status \(call.status.map(String.init) ?? "missing")")
        }
        let bytes = call.received
        guard bytes.count >= 5, bytes[0] == 0, Int(bytes.uint32(at: 1)) == bytes.count - 5 else {
            throw FloodError("\(path): \(bytes.count) bytes that are not one plain message")
        }
        return Array(bytes.dropFirst(5))
    }

    var hasOutput: Bool { link.hasOutput }

    var pollDescriptor: Int32 { loss == nil ? link.descriptor : -1 }

    func advance(at now: UInt64) {
        do throws(FloodError) {
            try link.receive { (event) throws(FloodError) in
                switch event {
                case .data(1, let data, let isEnd):
                    received += link.bytes[data]
                    isDone = isDone || isEnd
                case .head(1, _, let grpcStatus, let isEnd):
                    status = grpcStatus ?? status
                    isDone = isDone || isEnd
                case .reset(1, let code): throw FloodError("a stream reset with code \(code)")
                default: break
                }
            }
            try link.flush()
        } catch {
            loss = error
        }
    }
}
