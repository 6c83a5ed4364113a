/// How a call is made again after an error, by gRPC's rules.
///
/// A call is made again after these errors:
/// - Something between client and server ended it: a reset, a lost connection, an answer that is
///   not gRPC, or an end without a status. Proxies do this in many forms.
/// - The server cannot be reached or is stopping (UNAVAILABLE), its store failed while it wrote
///   (reason `OUTCOME_UNKNOWN`), or another write came first (reason `CONFLICT`).
/// - The server asks to try later (RESOURCE_EXHAUSTED with a time), for example for the reasons
///   `THROTTLED` and `OVERLOADED`. The client waits at least as long as the server asks.
/// - No server has seen the call.
///
/// Nothing is done twice. A read may always be repeated. A write is repeated under its request id,
/// and the server does a request id once. The client makes an id for a write that has none. A
/// stream is not repeated.
///
/// No wait goes beyond the call's timeout: if it would, the call fails at once with the last error.
public struct RetryPolicy: Sendable, Equatable {
    /// The highest value of ``maxAttempts``.
    public static let mostAttempts = 100
    /// The highest value of ``longestWait``.
    public static let mostWait = Duration.seconds(86_400)
    /// The highest value of ``multiplier``.
    public static let highestMultiplier = 10.0

    /// How often a call is made at most, the first time included: 1 to ``mostAttempts``.
    public var maxAttempts = 5
    /// The wait before the second attempt.
    public var firstWait = Duration.milliseconds(100)
    /// The longest wait before an attempt, at most ``mostWait``; only the server may ask for a
    /// longer one.
    public var longestWait = Duration.seconds(2)
    /// The factor of each wait over the one before it: 1 to ``highestMultiplier``.
    public var multiplier = 2.0
    /// The part of a wait by which it may be shorter or longer: 0 to 1.
    ///
    /// Chance decides, so that clients that lost the same server do not all come back at once. A
    /// wait that the server asked for may only be longer.
    public var jitter = 0.2
    /// The bound on the retries of all calls together; nil means that there is none.
    public var budget: RetryBudget? = RetryBudget()

    /// Creates the policy that a client has by default.
    public init() {}

    /// The wait before the next attempt, without jitter, after so many attempts.
    func wait(after attempts: Int) -> Duration {
        var wait = firstWait
        for _ in 1..<max(1, attempts) where wait < longestWait { wait = wait * multiplier }
        return min(wait, longestWait)
    }

    var problem: String? {
        if !(1...Self.mostAttempts).contains(maxAttempts) {
            return "maxAttempts: must be 1 to \(Self.mostAttempts)"
        }
        if firstWait <= .zero { return "firstWait: must be longer than 0" }
        if longestWait < firstWait { return "longestWait: must not be shorter than firstWait" }
        if longestWait > Self.mostWait { return "longestWait: must be at most \(Self.mostWait)" }
        if !(1...Self.highestMultiplier).contains(multiplier) {
            return "multiplier: must be 1 to \(Self.highestMultiplier)"
        }
        if !(0...1).contains(jitter) { return "jitter: must be 0 to 1" }
        return budget?.problem.map { "budget.\($0)" }
    }
}

/// A bound on the retries of all calls of a client, so that they do not keep down a server that has
/// too much to do.
///
/// It is gRPC's `retryThrottling`. The client begins with ``tokens``. An attempt that fails in a
/// way that allows another one takes a token, and a call that succeeds gives ``ratio`` of a token
/// back.
/// No call is made again while half of the tokens or fewer are left.
public struct RetryBudget: Sendable, Equatable {
    /// The highest number of tokens.
    public static let mostTokens = 1_000
    /// The highest ratio.
    public static let highestRatio = 1_000.0

    /// The tokens that the client begins with, and the most that it has: 1 to ``mostTokens``.
    ///
    /// Half of them is how many attempts may fail at once, for example when a server with many
    /// open calls is killed.
    public var tokens: Int
    /// The part of a token that each success gives back: 0.001 to ``highestRatio``.
    public var ratio: Double

    /// Creates a budget.
    public init(tokens: Int = 100, ratio: Double = 0.1) {
        self.tokens = tokens
        self.ratio = ratio
    }

    var problem: String? {
        if !(1...Self.mostTokens).contains(tokens) {
            return "tokens: must be 1 to \(Self.mostTokens)"
        }
        if !(0.001...Self.highestRatio).contains(ratio) {
            return "ratio: must be 0.001 to \(Self.highestRatio)"
        }
        return nil
    }
}
