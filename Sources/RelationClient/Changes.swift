public import RelationAPI

/// The changes that a Watch follows, over as many streams as needed.
///
/// ```swift
/// for try await message in client.changes(WatchRequest(userID: "alice")) {
///     guard let event = message.event else { continue }
///     print(event.kind)
/// }
/// ```
///
/// It goes on with a new stream if the server ends one, because it stops or because the client read
/// too slowly, and if a connection breaks. The new stream begins with the token of the last
/// message. Keep the token together with the effects of the messages: then a later process can go
/// on from there too.
///
/// A newer server may send an event of a kind, or of a part of the state, that is not known here:
/// `event.kind.isKnown` or `event.syncType.isKnown` is false. Skip it, and keep the message's token
/// and the event's sequence.
public struct Changes: AsyncSequence, Sendable {
    /// A message of a stream.
    public typealias Element = WatchResponse

    /// How long it waits before it tries a lost stream again; doubled each time.
    public static let firstWait = Duration.milliseconds(100)
    /// The longest time that it waits before it tries a lost stream again.
    public static let longestWait = Duration.seconds(30)

    private let client: Client
    private let request: WatchRequest

    init(_ client: Client, _ request: WatchRequest) {
        self.client = client
        self.request = request
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(client, request)
    }

    /// One reader of the changes.
    public final class AsyncIterator: AsyncIteratorProtocol {
        private let client: Client
        private var request: WatchRequest
        private var stream: CallStream<WatchRequest, WatchResponse>?
        private var wait = Changes.firstWait

        init(_ client: Client, _ request: WatchRequest) {
            self.client = client
            self.request = request
        }

        deinit {
            stream?.cancel()
        }

        /// Waits for the next message.
        ///
        /// - Throws: ``CallError`` if a new stream would not help, for example for a user that does
        ///   not exist; `CancellationError`.
        public func next() async throws -> WatchResponse? {
            while true {
                do {
                    let stream = try await opened()
                    guard let answer = try await stream.next() else { return nil }
                    if !answer.resumeToken.isEmpty { request.resumeToken = answer.resumeToken }
                    wait = Changes.firstWait
                    return answer
                } catch let error as CallError where error.canGoOn {
                    stream = nil
                    if let token = error.metadata["resume_token"], !token.isEmpty {
                        request.resumeToken = token
                    }
                    try await Task.sleep(for: wait)
                    wait = Swift.min(wait * 2, Changes.longestWait)
                }
            }
        }

        private func opened() async throws -> CallStream<WatchRequest, WatchResponse> {
            if let stream { return stream }
            let stream = client.stream(ChangeMethods.watch)
            self.stream = stream
            try await stream.send(request)
            stream.finishSending()
            return stream
        }
    }
}

extension Client {
    /// Follows changes, and goes on where a stream was lost.
    public func changes(_ request: WatchRequest) -> Changes {
        Changes(self, request)
    }
}

extension CallError {
    /// Whether another stream may go on where this one ended.
    fileprivate var canGoOn: Bool {
        code == "UNAVAILABLE" || code == "ABORTED" && reason == "SLOW_READER"
    }
}
