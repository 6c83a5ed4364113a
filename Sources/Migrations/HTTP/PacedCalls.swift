/// Makes calls within a rate, each again after an error that may pass.
actor PacedCalls {
    private var pace: CallPace
    private let begin = ContinuousClock.now
    /// The calls so far, with those that were made again.
    private(set) var count = 0
    /// The calls that were made again.
    private(set) var repeated = 0

    private let pause: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - rate: Calls a second.
    ///   - pause: Waits.
    init(
        rate: Int,
        pause: @escaping @Sendable (Duration) async throws -> Void = { duration in
            try await Task.sleep(for: duration)
        }
    ) {
        pace = CallPace(rate: rate)
        self.pause = pause
    }

    /// Waits before calls whose answer was not the last word.
    nonisolated func wait(seconds: Int) async throws {
        try await pause(.seconds(seconds))
    }

    /// The answer to a call.
    ///
    /// - Parameters:
    ///   - name: The call, in words for people.
    ///   - call: Makes the call once. It throws an ``AttemptError``, or any other error if no
    ///     answer has come.
    /// - Throws: ``MigrationError`` if the call is refused, or has no answer however often it is
    ///   made.
    func answer(
        to name: String, _ call: @Sendable () async throws -> AnswerObject
    ) async throws -> AnswerObject {
        var last = ""
        for attempt in 0..<MigrationLimits.attempts {
            if attempt > 0 {
                repeated += 1
                let wait = min(1 << (attempt - 1), MigrationLimits.longestWaitSeconds)
                try await pause(.seconds(wait))
            }
            try await takeTurn()
            do {
                return try await call()
            } catch AttemptError.refused(let words) {
                throw MigrationError("\(name) is refused: \(words)")
            } catch AttemptError.throttled(let words) {
                last = words
                pace.pause(until: ContinuousClock.now - begin + .seconds(1))
            } catch AttemptError.passing(let words) {
                last = words
            } catch {
                try Task.checkCancellation()
                last = "\(error)"
            }
        }
        throw MigrationError(
            "\(name) has no answer after \(MigrationLimits.attempts) calls: \(last)")
    }

    private func takeTurn() async throws {
        count += 1
        let now = ContinuousClock.now - begin
        let moment = pace.moment(at: now)
        if moment > now { try await pause(moment - now) }
    }
}
