internal import Synchronization

/// The answer to one request of a cache: a result for each user, in the order of the request.
struct FetchedProfiles: Sendable {
    var results: [KeptProfile] = []
    /// How long these may be kept, counted from the beginning of the request.
    var lifetime = Duration.zero
    /// How many of them the cache had already.
    var renewals = 0
}

/// One request of a cache that is under way, and the callers that wait for its answer.
///
/// It runs in a task of its own. So a caller that is cancelled takes nothing from the others. If
/// all of its callers are cancelled, the request is too.
final class ProfileFetch: Sendable {
    typealias Outcome = Result<FetchedProfiles, any Error>

    /// A user that the request asks for.
    struct Item: Sendable {
        let user: String
        /// The entry that the cache had when the request was made, if there was one.
        let known: KeptProfile?
        /// The number of the entry's slot; nil if the answer is not to be kept.
        let slot: Int?
    }

    private struct State {
        var items: [Item] = []
        /// How many answers callers still wait for.
        var claims = 0
        var outcome: Outcome?
        var waiters: [Int: CheckedContinuation<FetchedProfiles, any Error>] = [:]
        var nextWaiter = 0
        var task: Task<Void, Never>?
    }

    /// The viewer of all its users.
    let viewer: String
    /// When the request was made, from which the age of its answer counts.
    let began: Duration
    /// The cache's version at which the request was made: the answer knows all changes before it.
    let version: UInt64
    private let state = Mutex(State())

    init(viewer: String, began: Duration, version: UInt64) {
        self.viewer = viewer
        self.began = began
        self.version = version
    }

    /// The users that it asks for.
    ///
    /// The list is complete when the request begins.
    var items: [Item] { state.withLock { $0.items } }

    /// Adds a user, before the request begins.
    ///
    /// - Returns: The index of the user's result.
    func add(_ item: Item) -> Int {
        state.withLock { state in
            state.items.append(item)
            return state.items.count - 1
        }
    }

    /// Keeps the task that sends the request.
    func begin(_ task: Task<Void, Never>) {
        state.withLock { $0.task = task }
    }

    // MARK: Callers

    /// Notes that a caller will wait for one answer.
    func claim() {
        state.withLock { $0.claims += 1 }
    }

    /// Takes back a claim.
    ///
    /// - Returns: The task to cancel, if no caller waits any more and the request is under way.
    func release() -> Task<Void, Never>? {
        state.withLock { state in
            state.claims -= 1
            guard state.claims == 0, state.outcome == nil else { return nil }
            return state.task
        }
    }

    /// Hands the outcome to all callers.
    func finish(_ outcome: Outcome) {
        let waiters = state.withLock { state in
            state.outcome = outcome
            state.task = nil
            defer { state.waiters = [:] }
            // They go on in the order in which they came.
            return state.waiters.sorted { $0.key < $1.key }
        }
        for (_, waiter) in waiters { waiter.resume(with: outcome) }
    }

    /// Waits for the outcome.
    ///
    /// - Throws: The error of the request; `CancellationError` if the caller is cancelled.
    func answer() async throws -> FetchedProfiles {
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
