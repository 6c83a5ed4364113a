import Synchronization

/// A clock that stands still until a test advances it.
///
/// A test waits until the code sleeps, by ``sleepers(_:)``, and then advances the clock. So it
/// depends on no real time.
final class FakeClock: Clock, Sendable {
    /// The time since the clock was made.
    struct Instant: InstantProtocol {
        var time = Swift.Duration.zero

        func advanced(by duration: Swift.Duration) -> Instant { Instant(time: time + duration) }

        func duration(to other: Instant) -> Swift.Duration { other.time - time }

        static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    private struct Sleeper {
        let end: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Waiter {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant()
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var next = 0
        var waiters: [Waiter] = []
        var slept: [Swift.Duration] = []

        mutating func remove(where isOver: (Sleeper) -> Bool) -> [Sleeper] {
            let keys = sleepers.filter { isOver($0.value) }.keys
            return keys.compactMap { sleepers.removeValue(forKey: $0) }.sorted { $0.end < $1.end }
        }
    }

    private let state = Mutex(State())
    private let longestSkipped: Swift.Duration?

    /// - Parameters:
    ///   - skipsSleeps: Whether the clock jumps to the end of each sleep by itself.
    ///   - longest: The longest sleep that it skips.
    init(skipsSleeps: Bool = false, upTo longest: Swift.Duration = .seconds(Int64.max)) {
        longestSkipped = skipsSleeps ? longest : nil
    }

    var now: Instant { state.withLock { $0.now } }

    let minimumResolution = Swift.Duration.nanoseconds(1)

    /// The lengths of all sleeps that were asked for, in their order.
    var sleeps: [Swift.Duration] { state.withLock { $0.slept } }

    /// How many tasks sleep now.
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// How long the clock must be advanced until the next task wakes; nil if no task sleeps.
    var nextWaking: Swift.Duration? {
        state.withLock { state in
            state.sleepers.values.map { state.now.duration(to: $0.end) }.min()
        }
    }

    /// Advances the clock, and wakes the tasks whose time has come.
    func advance(by duration: Swift.Duration) {
        let woken = state.withLock { state in
            let now = state.now.advanced(by: duration)
            state.now = now
            return state.remove { $0.end <= now }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Advances the clock to the end of the shortest sleep.
    ///
    /// - Returns: How far; nil if no task sleeps.
    @discardableResult
    func advanceToNext() -> Swift.Duration? {
        guard let step = nextWaking else { return nil }
        advance(by: step)
        return step
    }

    /// Returns once at least `count` tasks sleep.
    func sleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.waiters.append(Waiter(count: count, continuation: continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func sleep(until deadline: Instant, tolerance: Swift.Duration? = nil) async throws {
        let key = state.withLock { state in
            let time = state.now.duration(to: deadline)
            state.slept.append(time)
            if let longestSkipped, time <= longestSkipped { state.now = max(state.now, deadline) }
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                begin(key, Sleeper(end: deadline, continuation: continuation))
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                guard let sleeper = state.sleepers.removeValue(forKey: key) else {
                    state.cancelled.insert(key)
                    return Sleeper?.none
                }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func begin(_ key: Int, _ sleeper: Sleeper) {
        var result: Result<Void, any Error>?
        let waiters = state.withLock { state -> [Waiter] in
            if state.cancelled.remove(key) != nil {
                result = .failure(CancellationError())
                return []
            }
            if sleeper.end <= state.now {
                result = .success(())
                return []
            }
            state.sleepers[key] = sleeper
            let count = state.sleepers.count
            defer { state.waiters.removeAll { $0.count <= count } }
            return state.waiters.filter { $0.count <= count }
        }
        if let result { sleeper.continuation.resume(with: result) }
        for waiter in waiters { waiter.continuation.resume() }
    }
}
