public import CoreMetrics
internal import Synchronization

/// An interceptor that counts calls and measures how long they take.
///
/// ```swift
/// options.interceptors = [MetricsInterceptor()]
/// ```
///
/// The counter `relation_client_calls` and the timer `relation_client_call_duration` have two
/// dimensions: `method`, such as `relation.v1.FriendService/AddFriends`, and `code`, such as `OK`
/// or `UNAVAILABLE`. Both have few values, whatever users and servers do. A call counts once,
/// however often it is made again. A stream counts when it has begun.
public struct MetricsInterceptor: ClientInterceptor {
    /// The label of the counter.
    public static let callsLabel = "relation_client_calls"
    /// The label of the timer.
    public static let durationLabel = "relation_client_call_duration"

    private let meters: Meters
    private let clock: ClientClock

    /// Creates an interceptor that makes its counters and timers by `factory`.
    ///
    /// - Parameter factory: Nil means the factory of `MetricsSystem` when a call is first counted.
    public init(factory: (any MetricsFactory)? = nil) {
        self.init(factory: factory, clock: .system)
    }

    init(factory: (any MetricsFactory)?, clock: ClientClock) {
        meters = Meters(factory)
        self.clock = clock
    }

    public func intercept<Answer: Sendable>(
        _ call: CallContext, _ next: (CallContext) async throws -> Answer
    ) async throws -> Answer {
        try await clock.timing(call, next) { error, time in
            meters.count(call, error.map { StatusCode(of: $0) } ?? .ok, time)
        }
    }
}

/// The counters and timers that were made so far.
///
/// They are kept, because a factory may take long to find the one of a label.
private final class Meters: Sendable {
    private struct Key: Hashable {
        let path: String
        let code: StatusCode
    }

    private struct Meter: Sendable {
        let calls: Counter
        let duration: Timer
    }

    private let factory: (any MetricsFactory)?
    private let made = Mutex<[Key: Meter]>([:])

    init(_ factory: (any MetricsFactory)?) {
        self.factory = factory
    }

    func count(_ call: CallContext, _ code: StatusCode, _ duration: Duration) {
        let key = Key(path: call.path, code: code)
        let meter = made.withLock { made in
            if let meter = made[key] { return meter }
            let meter = make(call, code)
            made[key] = meter
            return meter
        }
        meter.calls.increment()
        meter.duration.recordNanoseconds(Int64(duration / .nanoseconds(1)))
    }

    private func make(_ call: CallContext, _ code: StatusCode) -> Meter {
        let dimensions = [("method", "\(call.service)/\(call.method)"), ("code", "\(code)")]
        let factory = factory ?? MetricsSystem.factory
        return Meter(
            calls: Counter(
                label: MetricsInterceptor.callsLabel, dimensions: dimensions, factory: factory),
            duration: Timer(
                label: MetricsInterceptor.durationLabel, dimensions: dimensions,
                factory: factory))
    }
}
