internal import RPC

/// The clock by which a client waits: the system's, or that of a test.
struct ClientClock: Sendable {
    /// Whether the clock goes by itself, like that of deadlines.
    let isSystem: Bool
    /// The clock itself, for parts that read it in their own way.
    let base: any Clock<Duration>
    /// Where the client's own tasks run; nil for the threads of the process.
    let tasks: (any TaskExecutor)?
    /// The clock of deadlines, if it is not the system's.
    private let nanoseconds: (@Sendable () -> UInt64)?
    private let read: @Sendable () -> Duration
    private let rest: @Sendable (Duration) async throws -> Void

    /// The longest sleep: ten years.
    static let longestSleep = Duration.seconds(315_360_000)

    static let system = ClientClock(ContinuousClock())

    /// - Parameters:
    ///   - tasks: Where the client's own tasks run; nil for the threads of the process.
    ///   - nanoseconds: The clock of deadlines and event loops; nil for the system's.
    init(
        _ clock: some Clock<Duration>, tasks: (any TaskExecutor)? = nil,
        nanoseconds: (@Sendable () -> UInt64)? = nil
    ) {
        (self.tasks, self.nanoseconds) = (tasks, nanoseconds)
        let start = clock.now
        base = clock
        isSystem = clock is ContinuousClock
        read = { start.duration(to: clock.now) }
        rest = { try await clock.sleep(for: $0) }
    }

    /// The time since the clock was made.
    var now: Duration { read() }

    /// The moment by which a call must be answered that may take so long.
    func deadline(after time: Duration) -> Deadline {
        guard let nanoseconds else { return .after(time) }
        let (seconds, attoseconds) = min(max(time, .zero), Self.longestSleep).components
        // The nanoseconds of ten years fit, beside those of centuries.
        let left = UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
        return Deadline(nanoseconds: nanoseconds() + left)
    }

    /// - Throws: `CancellationError` if the task is cancelled.
    func sleep(for duration: Duration) async throws {
        // The system's clock does not take the longest durations.
        try await rest(min(duration, Self.longestSleep))
    }
}

extension ClientClock {
    /// Makes `call`, and calls `end` with how it ended and how long it took.
    ///
    /// - Parameter end: Gets the error with which the call failed; nil if it succeeded.
    func timing<Answer: Sendable>(
        _ call: CallContext, _ next: (CallContext) async throws -> Answer,
        end: (_ error: (any Error)?, _ time: Duration) -> Void
    ) async throws -> Answer {
        let start = now
        do {
            let answer = try await next(call)
            end(nil, now - start)
            return answer
        } catch {
            end(error, now - start)
            throw error
        }
    }
}

/// The source of chance in a client: request ids and jitter.
struct ClientChance: RandomNumberGenerator, Sendable {
    private let draw: @Sendable () -> UInt64

    static let system = ClientChance {
        var system = SystemRandomNumberGenerator()
        return system.next()
    }

    init(_ draw: @escaping @Sendable () -> UInt64) {
        self.draw = draw
    }

    func next() -> UInt64 { draw() }
}
