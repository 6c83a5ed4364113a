internal import Synchronization

/// The tokens of a ``RetryBudget``, shared by all calls of a client.
struct RetryTokens: ~Copyable, Sendable {
    /// Parts of a token: a ratio has three digits, as in gRPC.
    private static let parts = 1_000

    private let most: Int
    private let gain: Int
    private let left: Atomic<Int>

    /// - Parameter budget: Nil for no bound.
    init(_ budget: RetryBudget?) {
        most = (budget?.tokens ?? 0) * Self.parts
        // A ratio is at most 1,000, so its parts fit.
        gain = Int(((budget?.ratio ?? 0) * Double(Self.parts)).rounded())
        left = Atomic(most)
    }

    /// Takes a token for an attempt that failed.
    ///
    /// - Returns: Whether the call may be made again.
    borrowing func spend() -> Bool {
        most == 0 || change(by: -Self.parts) > most / 2
    }

    /// Gives a part of a token back for a call that succeeded.
    borrowing func addForSuccess() {
        guard left.load(ordering: .relaxed) < most else { return }
        change(by: gain)
    }

    @discardableResult
    private borrowing func change(by parts: Int) -> Int {
        var old = left.load(ordering: .relaxed)
        while true {
            let new = min(most, max(0, old + parts))
            let (isDone, now) = left.compareExchange(
                expected: old, desired: new, ordering: .relaxed)
            if isDone { return new }
            old = now
        }
    }
}
