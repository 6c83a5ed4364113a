internal import GRPCClient
internal import RPC

/// The way of a stream's messages: a call on a connection, or a double's in memory.
protocol StreamWay: AnyObject, Sendable {
    /// Sends a message, and waits while too much is queued.
    func send(_ message: [UInt8]) async throws(RPCError)
    /// Sends messages together, in their order.
    func send(contentsOf messages: [[UInt8]]) async throws(RPCError)
    /// Ends the requests.
    func finishSending()
    /// The metadata that came before the first answer.
    func initialMetadata() async throws(RPCError) -> Metadata
    /// The next answer, or nil after the last one of a call that succeeded.
    func next() async throws(RPCError) -> [UInt8]?
    /// Ends the call at once.
    func cancel()
}

extension ClientStream: StreamWay {
    func send(_ message: [UInt8]) async throws(RPCError) {
        try await send(message, compressed: true)
    }
}
