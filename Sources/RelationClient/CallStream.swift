public import Protobuf
internal import RPC
internal import Synchronization

/// A call in which both sides send as many messages as they like: send, end the requests, and read
/// on.
///
/// ```swift
/// let stream = client.stream(AccountMethods.importAccounts)
/// let sender = Task {
///     for row in rows { try await stream.send(.with { $0.row = row }) }
///     stream.finishSending()
/// }
/// for try await answer in stream { print(answer) }
/// try await sender.value
/// ```
///
/// Sending waits while the server accepts nothing, so answers must be read at the same time. One
/// task reads, and one task sends.
///
/// The call ends when the server ends it, and by ``cancel()``. It also ends when a task that reads
/// or sends is cancelled, and when the last reference to this object is gone. So no call is left
/// open. The object keeps its client.
public final class CallStream<Request: Message, Response: Message>: AsyncSequence, Sendable,
    CustomReflectable
{
    /// An answer of the server.
    public typealias Element = Response

    private enum Call {
        case begun(any StreamWay)
        case beginning(StreamBeginning)
    }

    private let call: Call
    /// The client lives as long as its calls: its end would end them.
    private let client: Client
    /// Whether the rows that are sent may change profiles.
    private let isImport: Bool
    private let requests: Coder<Request>
    private let responses: Coder<Response>
    private let isReading = Atomic(false)
    private let isSending = Atomic(false)
    private let hasFinished = Atomic(false)

    /// A call that has begun.
    init(_ stream: any StreamWay, _ method: Method<Request, Response>, _ client: Client) {
        call = .begun(stream)
        self.client = client
        isImport = method.access == .write
        requests = method.requestCoder
        responses = method.responseCoder
    }

    /// A call whose beginning takes time, for example because a credential must be fetched first.
    ///
    /// An error of `begin` is the error of the call.
    init(
        _ method: Method<Request, Response>, _ client: Client,
        _ begin: @escaping @Sendable () async throws -> any StreamWay
    ) {
        call = .beginning(StreamBeginning(client.clock.tasks, begin))
        self.client = client
        isImport = method.access == .write
        requests = method.requestCoder
        responses = method.responseCoder
    }

    deinit {
        // A stream that has begun ends with its last reference.
        if case .beginning(let beginning) = call { beginning.cancel() }
        if isImport { client.endKept() }
    }

    /// Sends a request, and waits while the server accepts nothing.
    ///
    /// - Throws: ``CallError`` if the call has ended, with FAILED_PRECONDITION if the requests have
    ///   ended or another task is sending; `CancellationError` if the task is cancelled.
    public func send(_ request: Request) async throws {
        try beginSending()
        defer { isSending.store(false, ordering: .releasing) }
        let bytes = try Client.bytes(of: request, requests)
        do {
            try await begun().send(bytes)
        } catch {
            throw Self.callError(error)
        }
    }

    /// Sends some requests, one after another, and waits while the server accepts nothing.
    ///
    /// It is the same as to send each of them, and takes a fraction of the time: use it for the
    /// rows of an import, some hundred at a time. All of them are in memory until they are sent.
    ///
    /// - Throws: The errors of ``send(_:)``. Requests before one that is too long may have been
    ///   sent.
    public func send(contentsOf requests: [Request]) async throws {
        try beginSending()
        defer { isSending.store(false, ordering: .releasing) }
        var messages: [[UInt8]] = []
        for request in requests { messages.append(try Client.bytes(of: request, self.requests)) }
        do {
            try await begun().send(contentsOf: messages)
        } catch {
            throw Self.callError(error)
        }
    }

    /// Begins to send, unless that is not allowed now.
    private func beginSending() throws(CallError) {
        guard !hasFinished.load(ordering: .acquiring) else {
            throw Self.misuse("finishSending() has ended the requests of this call")
        }
        guard !isSending.exchange(true, ordering: .acquiring) else {
            throw Self.misuse("another task is sending on this call: let one task send")
        }
    }

    /// A mirror without parts, since some of them are secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Ends the requests; answers may still come.
    public func finishSending() {
        hasFinished.store(true, ordering: .releasing)
        switch call {
        case .begun(let stream): stream.finishSending()
        case .beginning(let beginning): beginning.finishSending()
        }
    }

    /// The next answer, or nil when the server has ended the call with success.
    ///
    /// - Throws: ``CallError`` if the call failed, with FAILED_PRECONDITION if another task is
    ///   reading; `CancellationError` if the task is cancelled.
    public func next() async throws -> Response? {
        guard !isReading.exchange(true, ordering: .acquiring) else {
            throw Self.misuse("another task is reading this call: let one task read")
        }
        defer {
            isReading.store(false, ordering: .releasing)
            // An answer reports rows that are done, and after the end no other one will.
            if isImport { client.endKept() }
        }
        let bytes: [UInt8]?
        do {
            bytes = try await begun().next()
        } catch {
            throw Self.callError(error)
        }
        return if let bytes { try Client.message(bytes, responses) } else { nil }
    }

    /// Ends the call at once; the server takes no more of it.
    public func cancel() {
        switch call {
        case .begun(let stream): stream.cancel()
        case .beginning(let beginning): beginning.cancel()
        }
    }

    /// The reader of the answers.
    ///
    /// There is one list of answers: two readers would each get a part of them.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }

    /// A reader of the answers.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let stream: CallStream

        init(_ stream: CallStream) {
            self.stream = stream
        }

        /// The next answer, or nil when the server has ended the call with success.
        ///
        /// - Throws: The same errors as ``CallStream/next()``.
        public mutating func next() async throws -> Response? {
            try await stream.next()
        }
    }

    private func begun() async throws -> any StreamWay {
        switch call {
        case .begun(let stream): stream
        case .beginning(let beginning): try await beginning.stream()
        }
    }

    private static func misuse(_ words: String) -> CallError {
        var error = RPCError(.failedPrecondition, words)
        error.origin = .caller
        return CallError(error)
    }

    /// The error as a caller sees it.
    private static func callError(_ error: any Error) -> any Error {
        if Task.isCancelled { return CancellationError() }
        return switch error {
        case let error as RPCError: CallError(error)
        case is CancellationError: CallError(RPCError(.cancelled, "the caller cancelled the call"))
        default: error
        }
    }
}

/// The beginning of a call that takes time.
private final class StreamBeginning: Sendable {
    private struct State {
        /// The stream, once there is one.
        var stream: (any StreamWay)?
        /// Whether the requests were ended before there was a stream.
        var hasFinished = false
    }

    private final class Box: Sendable {
        let state = Mutex(State())
    }

    private let box: Box
    private let task: Task<any StreamWay, any Error>

    init(
        _ tasks: (any TaskExecutor)?,
        _ begin: @escaping @Sendable () async throws -> any StreamWay
    ) {
        let box = Box()
        self.box = box
        task = Task(executorPreference: tasks) {
            let stream = try await begin()
            let hasFinished = box.state.withLock { state in
                state.stream = stream
                return state.hasFinished
            }
            if hasFinished { stream.finishSending() }
            // It may have been cancelled when `begin` no longer checked.
            if Task.isCancelled { stream.cancel() }
            return stream
        }
    }

    func stream() async throws -> any StreamWay {
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            cancel()
        }
    }

    func finishSending() {
        let stream = box.state.withLock { state in
            state.hasFinished = true
            return state.stream
        }
        stream?.finishSending()
    }

    func cancel() {
        task.cancel()
        box.state.withLock { $0.stream }?.cancel()
    }
}
