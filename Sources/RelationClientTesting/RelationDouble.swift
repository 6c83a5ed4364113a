@_exported public import RelationClient
internal import Synchronization

/// A server in the memory of a test: it answers the calls that the test gives answers for.
///
/// ```swift
/// let double = RelationDouble()
/// double.answer(FriendMethods.listFriends) { request in
///     .with { $0.friends = [.with { $0.userID = "bob" }] }
/// }
/// double.fail(FriendMethods.listFriends, times: 1, CallError(code: .unavailable, message: "away"))
/// let client = try double.client()
/// let friends = try await client.friends(of: "alice").all()
/// print(friends.map(\.userID), double.requests(of: FriendMethods.listFriends).count)
/// // ["bob"] 2
/// ```
///
/// Its clients are whole clients: with lists, streams, caches, interceptors, and calls that are
/// made again after errors that pass. They open no connection. A call without an answer fails with
/// UNIMPLEMENTED. `close()` of a client ends no call that runs.
public final class RelationDouble: Sendable {
    private struct Served: Sendable {
        var answer: (@Sendable ([UInt8]) async throws -> [UInt8])?
        var serve: (@Sendable (DoubleStream) async throws -> Void)?
        /// The errors of the next calls, before any answer; each for so many of them.
        var faults: [(error: CallError, times: Int)] = []
        var requests: [[UInt8]] = []
        var metadata: [CallMetadata] = []

        /// Takes the error of a call that begins now.
        mutating func takeFault() -> CallError? {
            guard let fault = faults.first else { return nil }
            if fault.times == 1 {
                faults.removeFirst()
            } else if fault.times < .max {
                faults[0].times -= 1
            }
            return fault.error
        }
    }

    private let served = Mutex<[String: Served]>([:])

    /// Creates a double that answers no call.
    public init() {}

    /// A client of the double.
    ///
    /// - Parameter options: Such as interceptors; the servers are not asked.
    /// - Throws: `OptionsError` if an option cannot be used.
    public func client(_ options: ClientOptions = ClientOptions()) throws(OptionsError) -> Client {
        try Client(options, double: self)
    }

    // MARK: Answers

    /// Answers the calls of a method, in place of the answer that it had.
    ///
    /// - Parameters:
    ///   - method: A call of one message each way.
    ///   - answer: Makes the answer to a request; a `CallError` that it throws is the call's.
    public func answer<Request, Response>(
        _ method: Method<Request, Response>,
        _ answer: @escaping @Sendable (Request) async throws -> Response
    ) {
        change(method.path) {
            $0.answer = { bytes in
                try await answer(Request(serializedBytes: bytes)).serializedBytes()
            }
        }
    }

    /// Serves the streams of a method, in place of the function that it had.
    ///
    /// - Parameters:
    ///   - method: A call in which one side or both send as many messages as they like.
    ///   - serve: Serves one stream, which ends when it returns; a `CallError` that it throws is
    ///     the stream's. Its task is cancelled when the caller ends the stream.
    public func serve<Request, Response>(
        _ method: Method<Request, Response>,
        _ serve: @escaping @Sendable (ServedStream<Request, Response>) async throws -> Void
    ) {
        change(method.path) {
            $0.serve = { stream in try await serve(ServedStream(stream)) }
        }
    }

    /// Lets the next calls of a method fail.
    ///
    /// Errors of several calls of this function come one after the other. A client makes calls
    /// again, as its `ClientOptions.retries` say, and each attempt takes one error.
    ///
    /// - Parameters:
    ///   - method: A call, or a stream that then does not begin.
    ///   - times: How many attempts fail; all that follow if it is not given.
    ///   - error: The error.
    public func fail<Request, Response>(
        _ method: Method<Request, Response>, times: Int = .max, _ error: CallError
    ) {
        guard times > 0 else { return }
        change(method.path) { $0.faults.append((error, times)) }
    }

    private func change(_ path: String, _ change: (inout Served) -> Void) {
        served.withLock { change(&$0[path, default: Served()]) }
    }

    // MARK: Requests

    /// The requests of a method so far, each attempt and those that failed too.
    ///
    /// A request of a write that names no `request_id` has that of the client.
    public func requests<Request, Response>(of method: Method<Request, Response>) -> [Request] {
        served.withLock { $0[method.path]?.requests ?? [] }.compactMap {
            // They were made by a client, so they are messages.
            try? Request(serializedBytes: $0)
        }
    }

    /// The metadata of the attempts and streams of a method so far.
    public func metadata<Request, Response>(
        of method: Method<Request, Response>
    ) -> [CallMetadata] {
        served.withLock { $0[method.path]?.metadata ?? [] }
    }
}

extension RelationDouble: ClientDouble {
    package func answer(
        to request: [UInt8], of path: String, metadata: CallMetadata
    ) async throws -> [UInt8] {
        let (fault, answer) = served.withLock { served in
            served[path, default: Served()].requests.append(request)
            served[path, default: Served()].metadata.append(metadata)
            return (served[path]?.takeFault(), served[path]?.answer)
        }
        if let fault { throw fault }
        guard let answer else { throw Self.hasNothing(for: path) }
        return try await answer(request)
    }

    package func serve(
        _ stream: DoubleStream, of path: String, metadata: CallMetadata
    ) async throws {
        let (fault, serve) = served.withLock { served in
            served[path, default: Served()].metadata.append(metadata)
            return (served[path]?.takeFault(), served[path]?.serve)
        }
        if let fault { throw fault }
        guard let serve else { throw Self.hasNothing(for: path) }
        try await serve(stream)
    }

    private static func hasNothing(for path: String) -> CallError {
        CallError(code: .unimplemented, message: "the double has no answer for \(path)")
    }
}

/// A stream that a double serves.
public struct ServedStream<Request: Message, Response: Message>: Sendable {
    private let stream: DoubleStream

    init(_ stream: DoubleStream) {
        self.stream = stream
    }

    /// The next request; nil when the caller has ended its requests, or the stream.
    ///
    /// - Throws: `MessageError` if the bytes that a caller sent are not request.
    public func next() async throws -> Request? {
        var requests = stream.requests.makeAsyncIterator()
        return try await requests.next().map { try Request(serializedBytes: $0) }
    }

    /// Sends an answer.
    public func send(_ answer: Response) throws {
        stream.answer(try answer.serializedBytes())
    }
}
