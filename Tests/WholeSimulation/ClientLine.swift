import HTTP2
import PeerSupport

/// A client's connection, which speaks HTTP/2 and gRPC as a client does.
final class ClientLine {
    /// One call on the connection.
    private struct Open {
        var stream: StreamPointer?
        var rest: [UInt8] = []
        let onMessage: ([UInt8]) -> Void
        let onEnd: (Int?) -> Void
        /// Whether its end was reported.
        var isOver = false
    }

    let connection: SimulatedConnection
    private let session: Session
    private let pool = StreamPool()
    private var calls: [Open] = []
    private(set) var isOver = false
    /// Called once when the connection is gone.
    var onLost: () -> Void = {}

    init(_ connection: SimulatedConnection) throws {
        self.connection = connection
        session = try Session(role: .client, pool: pool)
        connection.onBytes = { [weak self] in self?.receive($0) }
        connection.onEnd = { [weak self] in self?.end() }
        flush()
    }

    /// How many calls are open.
    var openCount: Int { calls.count { $0.stream != nil } }

    /// Begins a call.
    ///
    /// - Parameters:
    ///   - secret: The key that it shows.
    ///   - milliseconds: The time that the call has; nil for one that has no end.
    ///   - onEnd: Gets the status; nil if the call ended without one.
    /// - Returns: Its number; nil if the connection takes no call now.
    func open(
        _ path: String, _ message: [UInt8], showing secret: String, milliseconds: Int? = nil,
        onMessage: @escaping ([UInt8]) -> Void, onEnd: @escaping (Int?) -> Void
    ) -> Int? {
        guard !isOver, session.canOpenStream else { return nil }
        var fields = SessionPair.request(path)
        fields.append(("authorization", "Bearer \(secret)"))
        if let milliseconds { fields.append(("grpc-timeout", "\(milliseconds)m")) }
        var block = HeaderBlock(fields)
        defer { block.free() }
        guard let stream = try? session.open(nil, block) else { return nil }
        stream.pointee.context = calls.count
        let body = [0] + Frame.bigEndian(UInt32(message.count)) + message
        body.withUnsafeBytes { stream.pointee.output.append($0) }
        session.finish(stream)
        calls.append(Open(stream: stream, onMessage: onMessage, onEnd: onEnd))
        flush()
        return calls.count - 1
    }

    /// Gives a call up.
    func cancel(_ number: Int) {
        guard !isOver, let stream = calls[number].stream else { return }
        session.reset(stream, .cancel)
        flush()
    }

    /// Ends all calls as a proxy does that gives up: each end hears that of the other.
    func endCalls() {
        let open = calls.indices.filter { calls[$0].stream != nil && !calls[$0].isOver }
        for number in open {
            if let stream = calls[number].stream { session.reset(stream, .cancel) }
        }
        flush()
        for number in open where number < calls.count { finish(number, nil) }
    }

    /// Closes the connection, and reports nothing more.
    func disconnect() {
        isOver = true
        onLost = {}
        calls = []
        connection.disconnect()
    }

    private func end() {
        guard !isOver else { return }
        isOver = true
        let open = calls.filter { $0.stream != nil && !$0.isOver }
        calls = []
        for call in open { call.onEnd(nil) }
        onLost()
    }

    private func flush() {
        guard !isOver, let bytes = try? session.output(), !bytes.isEmpty else { return }
        connection.carryUp(bytes)
    }

    private func receive(_ bytes: [UInt8]) {
        guard !isOver else { return }
        guard (try? session.receive(bytes)) != nil else {
            connection.disconnect()
            return end()
        }
        for (stream, events) in session.allReady() {
            check(stream, events)
            if isOver { return }
        }
        flush()
    }

    private func check(_ stream: StreamPointer, _ events: StreamEvents) {
        let number = stream.pointee.context
        calls[number].rest += Array(stream.pointee.input.bytes)
        session.drop(stream.pointee.input.count, of: stream)
        session.consumeWindow(stream)
        while !isOver, let message = nextMessage(number) { calls[number].onMessage(message) }
        guard !isOver, events.contains(.closed) else { return }
        let text =
            stream.pointee.trailers.text("grpc-status")
            ?? stream.pointee.headers.text("grpc-status")
        let status = stream.isRemoteEnded ? text.flatMap { Int($0) } : nil
        session.release(stream)
        calls[number].stream = nil
        finish(number, status)
    }

    private func finish(_ number: Int, _ status: Int?) {
        guard !calls[number].isOver else { return }
        calls[number].isOver = true
        calls[number].onEnd(status)
    }

    private func nextMessage(_ number: Int) -> [UInt8]? {
        let rest = calls[number].rest
        guard rest.count >= 5 else { return nil }
        let length = Int(Frame.number(rest[1..<5]))
        guard rest.count >= 5 + length else { return nil }
        calls[number].rest.removeFirst(5 + length)
        return Array(rest[5..<(5 + length)])
    }
}
