/// Gives each call a moment of its own, so that no more than a rate go out.
package struct CallPace: Sendable {
    private let gap: Duration
    private var next: Duration = .zero

    /// - Parameter rate: Calls a second; at least 1.
    package init(rate: Int) {
        gap = .nanoseconds(1_000_000_000 / Int64(max(1, rate)))
    }

    /// The moment of the next call, not before `now`; both count from the same beginning.
    package mutating func moment(at now: Duration) -> Duration {
        let moment = max(now, next)
        next = moment + gap
        return moment
    }

    /// Keeps all calls back until a moment, after the other system refused one for its rate.
    package mutating func pause(until moment: Duration) {
        next = max(next, moment)
    }
}
