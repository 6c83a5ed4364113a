internal import RPC
public import RelationAPI

/// The changes that a Watch follows, over as many streams as needed.
///
/// ```swift
/// for try await message in client.changes(.with { $0.scope = .userID("alice") }) {
///     guard let event = message.event else { continue }
///     print(event.kind)
/// }
/// ```
///
/// It goes on with a new stream when one is lost, and calls ``ChangesOptions/onReconnect``. The new
/// stream begins with the token of the last message. So no change is missed, and no event of a log
/// comes twice. It goes on:
/// - if the server stops, or cannot be reached (UNAVAILABLE);
/// - if the server has too much to do, or the app makes too many calls (reasons `OVERLOADED` and
///   `THROTTLED`): not before the time that the server asks for;
/// - if the stream was read too slowly (reason `SLOW_READER`);
/// - if nothing comes on it (``ChangesOptions/heartbeat``);
/// - if something between client and server ended it, in whatever form: a reset, a lost connection,
///   an answer that is not gRPC, an end without a status;
/// - if a status came without a reason that is not a refusal, such as INTERNAL: proxies make those;
/// - if the credential expired, and the client has a function that provides another one.
///
/// Any other error ends it, for example of a user that does not exist. Before the first message, so
/// does an error of how client and server are set up, such as an authority that is not trusted or a
/// page of another server. ``ChangesOptions/givesUpAfter``, ``Client/close()`` and the cancellation
/// of the task end it too.
///
/// **Tokens.** Keep the token of each message together with the effects of the message, in one
/// transaction if you can. Then a later process goes on from there, by
/// ``RelationAPI/WatchRequest/resumeToken``. In the present state, with which a stream without a
/// token begins, tokens are empty until its end: a process that ends there starts over. A heartbeat
/// has a token and no event.
///
/// **RESYNC.** An event of the kind ``RelationModel/ChangeKind/resync`` says that the present state
/// follows, and that you must drop your copy first. It comes if the token is older than what the
/// server keeps, 7 days by default. It also comes if a stream was lost within the present state. A
/// text that is not a token of the app is refused, with the reason `INVALID_RESUME_TOKEN`: drop
/// your copy, and begin without a token.
///
/// A newer server may send an event of a kind, or of a part of the state, that is not known here:
/// `event.kind.isKnown` or `event.syncType.isKnown` is false. Skip it, and keep the message's token
/// and the event's sequence.
public struct Changes: AsyncSequence, Sendable {
    /// A message of a stream.
    public typealias Element = WatchResponse

    /// The longest wait before the first try of a lost stream; doubled each time.
    ///
    /// Chance makes each wait up to a half shorter, so that clients that lost the same server do
    /// not all come back at once.
    public static let firstWait = Duration.milliseconds(100)
    /// The longest wait before a try, unless the server asks for a longer one.
    public static let longestWait = Duration.seconds(30)
    /// The longest wait that a server can ask for.
    public static let longestRetryAfter = Duration.seconds(86_400)
    /// How long a stream must have lasted for the waits to start over.
    public static let settledAfter = Duration.seconds(10)
    /// How long a new stream may be silent that has not sent all that was before it.
    ///
    /// Streams of one app wait for each other, to read what was before.
    public static let longestOpening = Duration.seconds(300)
    /// The shortest silence after which a stream is lost.
    public static let leastSilence = Duration.seconds(15)
    /// A stream is lost after a silence of so many heartbeats.
    static let silentHeartbeats = 3

    private let client: Client
    private let request: WatchRequest
    private let options: ChangesOptions

    init(_ client: Client, _ request: WatchRequest, _ options: ChangesOptions) {
        self.client = client
        var request = request
        if request.heartbeatMs == 0, let heartbeat = options.heartbeat {
            request.heartbeatMs = heartbeat.wholeMilliseconds
        }
        self.request = request
        self.options = options
    }

    /// A reader that begins where the request says; several readers have streams of their own.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(client, request, options)
    }

    /// One reader of the changes.
    ///
    /// Its stream is closed when the reader is gone, and when a task is cancelled that waits in
    /// ``next()``.
    public final class AsyncIterator: AsyncIteratorProtocol, CustomReflectable {
        private let client: Client
        private let options: ChangesOptions
        private let silence: Duration?
        private let feed: ChainFeed
        private var position: ChangesPosition
        private var stream: ChangesStream?
        /// When ``stream`` was begun, by the client's clock.
        private var begun = Duration.zero
        /// Since when there is no message: since the reading began, or a stream was lost; nil while
        /// there is a stream that has sent something.
        private var outage: Duration?
        private var wait = Changes.firstWait
        private var attempts = 0
        private var reconnections = 0
        /// Whether any message has come, so that the way to the server was right once.
        private var hasHeard = false
        /// A message that comes after the one that was delivered last.
        private var held: WatchResponse?
        /// Whether a credential was refused since the last message.
        private var isRefused = false
        private var isOver = false

        init(_ client: Client, _ request: WatchRequest, _ options: ChangesOptions) {
            self.client = client
            self.options = options
            feed = ChainFeed(client.chainStore, request)
            position = ChangesPosition(request)
            let heartbeat = Duration.milliseconds(request.heartbeatMs)
            silence =
                heartbeat > .zero
                ? Swift.max(heartbeat * Changes.silentHeartbeats, Changes.leastSilence) : nil
        }

        deinit {
            stream?.close()
        }

        /// A mirror without parts, since some of them are secrets.
        public var customMirror: Mirror { Mirror(self, children: [:]) }

        /// Waits for the next message.
        ///
        /// After a `CancellationError` it may be called again, by another task: it goes on after
        /// the last message that it returned. After another error it returns nil.
        ///
        /// - Throws: ``CallError`` if a new stream would not help, or if it gives up: the last
        ///   error; `CancellationError`; an error of the client's interceptors or credential.
        public func next() async throws -> WatchResponse? {
            while !isOver {
                do {
                    try Task.checkCancellation()
                    let message = try await received()
                    position.apply(message)
                    // An answer of the client's caches is not older than what the reader knows.
                    client.profileStore.apply(message)
                    feed.apply(message)
                    client.ownWrites?.note(message, options.metadata)
                    return message
                } catch let error as CallError {
                    try await waitToRetry(after: error)
                } catch {
                    close()
                    // A reader that was cancelled may come back at any time.
                    outage = nil
                    isOver = !(error is CancellationError)
                    throw error
                }
            }
            return nil
        }

        private func received() async throws -> WatchResponse {
            if let held {
                self.held = nil
                return held
            }
            let stream = try await opened()
            let isFirst = !stream.hasMessage
            guard let message = try await stream.next() else {
                throw Self.lost("the server ended the stream of changes")
            }
            outage = nil
            attempts = 0
            isRefused = false
            hasHeard = true
            guard isFirst, let resync = position.resync(before: message) else { return message }
            held = message
            return resync
        }

        private func opened() async throws -> ChangesStream {
            if let stream { return stream }
            begun = client.clock.now
            let outage = self.outage ?? begun
            self.outage = outage
            var opening = Changes.longestOpening
            if let limit = options.givesUpAfter, limit > .zero {
                opening = Swift.min(opening, Swift.max(limit - (begun - outage), .nanoseconds(1)))
            }
            let call = CallOptions(
                waitsForReady: false, metadata: options.metadata, trace: options.trace)
            let stream = ChangesStream(
                client.stream(ChangeMethods.watch, options: call), clock: client.clock,
                opening: opening, silence: silence)
            self.stream = stream
            try await stream.stream.send(position.request)
            stream.stream.finishSending()
            return stream
        }

        private func close() {
            stream?.close()
            stream = nil
            feed.disconnect()
        }

        // MARK: Lost streams

        /// Waits until a new stream may be tried.
        ///
        /// - Throws: `error` if none may; `CancellationError`.
        private func waitToRetry(after cause: CallError) async throws {
            let now = client.clock.now
            let error = stream?.endedBySilence.map { Self.silent($0) } ?? cause
            if stream?.hasMessage ?? false, now - begun >= Changes.settledAfter {
                wait = Changes.firstWait
            }
            close()
            position.disconnect(error)
            feed.fail(error)
            let outage = self.outage ?? now
            self.outage = outage
            guard !client.isClosed else {
                isOver = true
                throw CallError.clientClosed()
            }
            guard isRetryable(error), let wait = nextWait(after: error, now - outage) else {
                isOver = true
                throw error
            }
            attempts += 1
            reconnections += 1
            options.onReconnect?(
                Reconnection(error: error, attempt: attempts, total: reconnections, wait: wait))
            do {
                try await client.clock.sleep(for: wait)
            } catch {
                self.outage = nil
                throw error
            }
        }

        /// Whether another stream may go on where this one ended.
        private func isRetryable(_ error: CallError) -> Bool {
            if error.code == .unauthenticated {
                // A new credential that is refused too is not asked for again.
                defer { isRefused = true }
                return client.providesCredential && !isRefused
            }
            // A way that was right once may be right again.
            return error.mayPass || hasHeard && error.origin == .setup
        }

        /// The wait before the next try; nil if it gives up.
        private func nextWait(after error: CallError, _ outage: Duration) -> Duration? {
            let asked = Swift.min(error.retryAfter ?? .zero, Changes.longestRetryAfter)
            var chance = client.chance
            var next = wait * Double.random(in: 0.5...1, using: &chance)
            wait = Swift.min(wait * 2, Changes.longestWait)
            guard let limit = options.givesUpAfter else { return Swift.max(next, asked) }
            // Towards the end it tries more often: after a wait as long as all that is left there
            // would be no other try.
            let left = limit - outage
            next = Swift.max(asked, Swift.min(next, left / 2))
            return left >= Changes.firstWait && next < left ? next : nil
        }

        private static func silent(_ time: Duration) -> CallError {
            lost("nothing came on the stream of changes for \(time)")
        }

        private static func lost(_ words: String) -> CallError {
            var error = RPCError(.unavailable, words)
            error.origin = .way
            return CallError(error)
        }
    }
}

extension Client {
    /// Follows changes, and goes on where a stream was lost.
    ///
    /// - Parameters:
    ///   - request: The users to follow, the kinds of events, and the token to go on from.
    ///   - options: When to give up, and who is notified of lost streams.
    public func changes(
        _ request: WatchRequest, options: ChangesOptions = ChangesOptions()
    ) -> Changes {
        Changes(self, request, options)
    }
}

extension Duration {
    /// The milliseconds, rounded towards zero; the server refuses what is too long for it.
    fileprivate var wholeMilliseconds: Int64 {
        Int64(clamping: attoseconds / 1_000_000_000_000_000)
    }
}
