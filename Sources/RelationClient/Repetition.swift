internal import RPC

/// The decision whether one call is made again, and when.
///
/// A client cannot know whether a server that is gone, or whose store has failed, has done the
/// call. After such an error a call is made again only if that makes no difference.
struct Repetition: Sendable {
    private let policy: RetryPolicy
    /// Whether the server may get the call twice: it reads, or the server does it once.
    private let isSafe: Bool
    /// Attempts since the call began, or since a server said when to come back.
    private var waits = 0

    init(_ policy: RetryPolicy, isSafe: Bool) {
        self.policy = policy
        self.isSafe = isSafe
    }

    /// How long to wait before the call is made again; nil if it must not be made again.
    ///
    /// - Parameter failure: The same error as its caller would see it, with the attempts so far.
    mutating func wait(
        after error: RPCError, _ failure: CallError, _ tokens: borrowing RetryTokens,
        _ chance: ClientChance
    ) -> Duration? {
        guard isRetryable(error, failure) || error.pushback == .never else { return nil }
        // A server that did not see the call has no more to do because of it.
        guard error.isUnseen || tokens.spend() else { return nil }
        guard failure.attempts < policy.maxAttempts else { return nil }
        switch error.pushback {
        case .never: return nil
        case .after(let wait):
            waits = 0
            return wait
        case nil: break
        }
        waits += 1
        let wait = jittered(policy.wait(after: waits), chance)
        guard let asked = failure.retryAfter else { return wait }
        return max(wait, asked + longer(asked, chance))
    }

    /// Whether the same call may succeed later, and may be made twice.
    private func isRetryable(_ error: RPCError, _ failure: CallError) -> Bool {
        if error.isUnseen { return true }
        switch error.origin {
        case .status: break
        // The code says little: proxies that end a call do so in many ways.
        case .way: return isSafe
        case .setup, .caller, .tooLong, .closed: return false
        }
        switch error.code {
        // A read that waited for a sequence has waited as long as the server lets it.
        case .unavailable: return isSafe && failure.knownReason != .behind
        case .unknown: return isSafe && failure.knownReason == .outcomeUnknown
        case .aborted: return isSafe && failure.knownReason == .conflict
        case .resourceExhausted: return isSafe && failure.retryAfter != nil
        default: return false
        }
    }

    /// A wait that is shorter or longer by chance.
    private func jittered(_ wait: Duration, _ chance: ClientChance) -> Duration {
        var chance = chance
        guard policy.jitter > 0 else { return wait }
        return wait * Double.random(in: (1 - policy.jitter)...(1 + policy.jitter), using: &chance)
    }

    /// By how much a wait is longer by chance.
    private func longer(_ wait: Duration, _ chance: ClientChance) -> Duration {
        var chance = chance
        return wait * Double.random(in: 0...policy.jitter, using: &chance)
    }
}

extension RPCError {
    /// Whether no server has processed the call, so that it may be made again whatever it does.
    fileprivate var isUnseen: Bool {
        wasUnprocessed && code == .unavailable && [.status, .way].contains(origin)
    }
}
