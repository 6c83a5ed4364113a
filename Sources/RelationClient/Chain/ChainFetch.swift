internal import Synchronization

/// A chain as a request brought it.
struct FetchedChain: Sendable {
    let rows: ChainRows
    /// Whether all rows were read, and no earlier ones went on by events.
    let isWhole: Bool
}

/// The requests for one chain that are under way, and the callers that wait for them.
///
/// They run in a task of their own. So a caller that is cancelled takes nothing from the others,
/// and the chain is kept for the next one.
final class ChainFetch: Sendable {
    typealias Outcome = Result<FetchedChain, any Error>

    private struct State {
        var outcome: Outcome?
        var waiters: [Int: CheckedContinuation<FetchedChain, any Error>] = [:]
        var nextWaiter = 0
    }

    let user: String
    /// When it was begun, from which the age of the chain counts.
    let began: Duration
    /// The cache's version at which it was begun: it knows all that happened before.
    let version: UInt64
    /// The rows from which it goes on; nil if all rows are to be read.
    let base: ChainRows?
    /// When all rows of `base` were read.
    let loaded: Duration
    /// The sequence that the chain must have at least.
    let needed: Int64
    private let state = Mutex(State())

    init(
        _ user: String, began: Duration, version: UInt64, base: ChainRows?, loaded: Duration,
        needed: Int64
    ) {
        self.user = user
        self.began = began
        self.version = version
        self.base = base
        self.loaded = loaded
        self.needed = needed
    }

    /// Hands the outcome to all callers.
    func finish(_ outcome: Outcome) {
        let waiters = state.withLock { state in
            state.outcome = outcome
            defer { state.waiters = [:] }
            // They go on in the order in which they came.
            return state.waiters.sorted { $0.key < $1.key }
        }
        for (_, waiter) in waiters { waiter.resume(with: outcome) }
    }

    /// Waits for the outcome.
    ///
    /// - Throws: The error of a request; `CancellationError` if the caller is cancelled.
    func chain() async throws -> FetchedChain {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state -> Outcome? in
                    if let outcome = state.outcome { return outcome }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters[number] = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.resume(throwing: CancellationError())
        }
    }
}
