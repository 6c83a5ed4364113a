/// How ``Client/changes(_:options:)`` goes on over lost streams.
///
/// ```swift
/// var options = ChangesOptions(givesUpAfter: .seconds(600))
/// options.onReconnect = { print("lost the changes: \($0)") }
/// for try await message in client.changes(request, options: options) { print(message) }
/// ```
public struct ChangesOptions: Sendable {
    /// The time between heartbeats by default.
    ///
    /// Proxies end a stream on which nothing comes: nginx after 60 seconds by default, and haproxy
    /// often after 30.
    public static let defaultHeartbeat = Duration.seconds(25)

    /// Is called each time a stream was lost and another one will be tried.
    ///
    /// It runs in the task that reads, before the wait.
    public var onReconnect: (@Sendable (Reconnection) -> Void)?

    /// How long it goes on without a message although it tries; nil means as long as it is read.
    ///
    /// The time begins when the reading begins, or when a stream is lost, and ends with the next
    /// message of the server. Then the last error is thrown. Zero means that a lost stream is not
    /// tried again.
    public var givesUpAfter: Duration?

    /// After how much silence the server sends a message without an event: 1 to 600 seconds, exact
    /// to a second.
    ///
    /// It counts for a request without a time of its own, ``RelationAPI/WatchRequest/heartbeatMs``.
    /// A stream is lost on which nothing comes for three heartbeats, and for at least
    /// ``Changes/leastSilence``. Nil means that the server sends none. Then only
    /// ``ClientOptions/keepalive`` finds out that a server is gone without a word.
    public var heartbeat: Duration?

    /// The metadata that is sent with each stream.
    public var metadata: CallMetadata

    /// The trace that the streams belong to; nil for none.
    public var trace: TraceContext?

    /// Creates the options; those that are left out have their defaults.
    public init(
        onReconnect: (@Sendable (Reconnection) -> Void)? = nil, givesUpAfter: Duration? = nil,
        heartbeat: Duration? = defaultHeartbeat, metadata: CallMetadata = [:],
        trace: TraceContext? = nil
    ) {
        self.onReconnect = onReconnect
        self.givesUpAfter = givesUpAfter
        self.heartbeat = heartbeat
        self.metadata = metadata
        self.trace = trace
    }
}

/// A stream of changes that was lost, and the try that follows.
public struct Reconnection: Sendable, Equatable, CustomStringConvertible {
    /// Why the stream was lost, or why there was none.
    public let error: CallError
    /// The number of the try that follows, since the last message: 1 for the first.
    public let attempt: Int
    /// How often a stream has been lost or failed since the reading began, this time included.
    public let total: Int
    /// How long it waits before that try.
    public let wait: Duration

    /// Creates one, for tests of code that is notified of lost streams.
    public init(error: CallError, attempt: Int, total: Int, wait: Duration) {
        self.error = error
        self.attempt = attempt
        self.total = total
        self.wait = wait
    }

    /// The try, the wait and the error.
    public var description: String { "try \(attempt) in \(wait) after \(error)" }
}
