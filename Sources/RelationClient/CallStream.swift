internal import GRPC
public import Protobuf

/// A call in which both sides send as many messages as they like: send, end the requests, and read
/// on.
///
/// Sending waits while the server accepts nothing, so answers must be read at the same time.
public final class CallStream<Request: Message, Response: Message>: Sendable {
    private let stream: ClientStream
    private let requests: Coder<Request>
    private let responses: Coder<Response>

    init(_ stream: ClientStream, _ method: Method<Request, Response>) {
        self.stream = stream
        requests = method.requestCoder
        responses = method.responseCoder
    }

    /// Sends a request, and waits while the server accepts nothing.
    ///
    /// - Throws: ``CallError`` if the call has ended.
    public func send(_ request: Request) async throws {
        let bytes = try Client.bytes(of: request, requests)
        do throws(RPCError) {
            try await stream.send(bytes)
        } catch {
            throw CallError(error)
        }
    }

    /// Ends the requests; answers may still come.
    public func finishSending() {
        stream.finishSending()
    }

    /// The next answer, or nil when the server has ended the call with success.
    ///
    /// - Throws: ``CallError`` if the call failed.
    public func next() async throws -> Response? {
        guard let bytes = try await Client.next(stream) else { return nil }
        return try Client.message(bytes, responses)
    }

    /// Ends the call at once; the server takes no more of it.
    public func cancel() {
        stream.cancel()
    }
}
