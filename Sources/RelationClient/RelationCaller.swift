public import Protobuf

/// The calls of a client, for code that names no client: ``Client`` makes them.
///
/// A test that wants all of a client, with its lists, streams and caches, takes the client of a
/// double instead, from the product `RelationClientTesting`.
public protocol RelationCaller: Sendable {
    /// Makes a call of one message each way.
    func call<Request, Response>(
        _ method: Method<Request, Response>, _ request: Request, options: CallOptions
    ) async throws -> Response

    /// Begins a call in which both sides send as many messages as they like.
    func stream<Request, Response>(
        _ method: Method<Request, Response>, options: CallOptions
    ) -> CallStream<Request, Response>
}

extension RelationCaller {
    /// Makes a call of one message each way, with the settings of the client.
    public func call<Request, Response>(
        _ method: Method<Request, Response>, _ request: Request
    ) async throws -> Response {
        try await call(method, request, options: CallOptions())
    }

    /// Begins a call in which both sides send as many messages as they like, with the settings of
    /// the client.
    public func stream<Request, Response>(
        _ method: Method<Request, Response>
    ) -> CallStream<Request, Response> {
        stream(method, options: CallOptions())
    }
}

extension Client: RelationCaller {}
