internal import RelationAPI
internal import Synchronization

/// One stream of a Watch, with the task that ends it if nothing comes.
final class ChangesStream: Sendable {
    private struct State {
        /// Whether a reader waits for a message: the one that made the stream does so at once.
        var isWaited = true
        /// Looks at the stream since a message came, or since the reader began to wait for one.
        var quietChecks = 0
        var hasMessage = false
        var isLive = false
        /// How long nothing came, if that ended the stream.
        var silence: Duration?
        /// The task that checks the stream, and how many there were.
        var guardian: Task<Void, Never>?
        var guardians = 0
    }

    /// The checks of a stream within the longest silence.
    private static let checks = 2

    let stream: CallStream<WatchRequest, WatchResponse>
    private let clock: ClientClock
    /// How long a stream may be silent that is live; nil if the server sends no heartbeats.
    private let silence: Duration?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - opening: How long the first message may take.
    ///   - silence: How long a stream may be silent that has sent all that was before.
    init(
        _ stream: CallStream<WatchRequest, WatchResponse>, clock: ClientClock,
        opening: Duration, silence: Duration?
    ) {
        self.stream = stream
        self.clock = clock
        self.silence = silence
        watch(every: opening, checks: 1)
    }

    deinit {
        close()
    }

    /// Waits for the next message.
    func next() async throws -> WatchResponse? {
        state.withLock { state in
            state.isWaited = true
            if state.hasMessage { state.quietChecks = 0 }
        }
        defer { state.withLock { $0.isWaited = false } }
        guard let message = try await stream.next() else { return nil }
        receive(message)
        return message
    }

    /// How long nothing came, if that ended the stream.
    var endedBySilence: Duration? { state.withLock { $0.silence } }

    /// Whether a message has come.
    var hasMessage: Bool { state.withLock { $0.hasMessage } }

    func close() {
        let guardian = state.withLock { state in
            defer { state.guardian = nil }
            return state.guardian
        }
        guardian?.cancel()
        stream.cancel()
    }

    private func receive(_ message: WatchResponse) {
        let (isFirst, isNowLive) = state.withLock { state in
            state.quietChecks = 0
            let isFirst = !state.hasMessage
            state.hasMessage = true
            let isNowLive = !state.isLive && message.isFirstOfLive
            if isNowLive { state.isLive = true }
            return (isFirst, isNowLive)
        }
        // Before it is live, a stream may have to wait to read.
        if isNowLive {
            watch(every: silence, checks: Self.checks)
        } else if isFirst {
            watch(every: silence.map { _ in Changes.longestOpening }, checks: Self.checks)
        }
    }

    /// Ends the stream if nothing comes for `limit` while a reader waits.
    ///
    /// It checks some times within the limit, so that a message costs no reading of a clock.
    private func watch(every limit: Duration?, checks: Int) {
        let earlier = state.withLock { state in
            state.quietChecks = 0
            state.guardians += 1
            let number = state.guardians
            defer {
                state.guardian = limit.map { limit in
                    Task(executorPreference: clock.tasks) { [weak self, clock] in
                        repeat {
                            guard (try? await clock.sleep(for: limit / checks)) != nil else {
                                return
                            }
                        } while self?.check(number, limit, checks) ?? false
                    }
                }
            }
            return state.guardian
        }
        earlier?.cancel()
    }

    /// Returns whether to check again.
    private func check(_ guardian: Int, _ limit: Duration, _ checks: Int) -> Bool {
        let isOver: Bool? = state.withLock { state in
            guard state.guardians == guardian else { return nil }
            guard state.isWaited else { return false }
            state.quietChecks += 1
            // The first of several checks may come just after the reader began to wait.
            let isOver = checks == 1 || state.quietChecks > checks
            if isOver { state.silence = limit }
            return isOver
        }
        guard let isOver else { return false }
        if isOver { stream.cancel() }
        return !isOver
    }
}

extension WatchResponse {
    /// Whether all that was before the stream has been sent with this message.
    fileprivate var isFirstOfLive: Bool {
        guard !resumeToken.isEmpty else { return false }
        return event.map { $0.kind == .syncCompleted } ?? true
    }
}
