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

    public func send(_ request: Request) async throws {
        let bytes = try Client.bytes(of: request, requests)
        do throws(RPCError) {
            try await stream.send(bytes)
        } catch {
            throw CallError(error)
        }
    }

    public func finishSending() {
        stream.finishSending()
    }

    /// The next answer, or nil when the server has ended the call with success.
    public func next() async throws -> Answer<Response>? {
        guard let bytes = try await Client.next(stream) else { return nil }
        return try Answer(bytes, responses)
    }

    public func cancel() {
        stream.cancel()
    }
}
