internal import Protobuf
internal import RelationAPI
internal import Synchronization

/// The part of a client's cache of chains that tasks share.
final class ChainStore: Sendable {
    private let entries: Mutex<ChainEntries>
    private let clock: ClientClock

    init(_ options: ChainCacheOptions, _ clock: ClientClock) {
        entries = Mutex(ChainEntries(options.bounded))
        self.clock = clock
    }

    var counts: ChainCacheCounts { entries.withLock { $0.counts } }

    /// Changes the entries, or reads them.
    func withEntries<Result>(_ body: (inout ChainEntries) -> sending Result) -> sending Result {
        entries.withLock { body(&$0) }
    }

    // MARK: Questions

    /// The chain of a user; it does not suspend if the chain is kept.
    nonisolated(nonsending) func chain(
        of user: String, isForced: Bool, from source: any ChainSource, _ options: CallOptions
    ) async throws -> RelationChain {
        let asked = clock.now
        guard !user.isEmpty else {
            // Only the server knows the user, and another credential may make it another one.
            let reader = ChainReader(source: source, user: user, options: options)
            let fetched = try await reader.chain(after: nil, needed: 0)
            return RelationChain(user, fetched.rows, age: clock.now - asked)
        }
        let fetch: ChainFetch
        switch entries.withLock({ $0.lookUp(user, isForced: isForced, now: asked) }) {
        case .chain(let chain): return chain
        case .wait(let wait, let isNew):
            fetch = wait
            if isNew { begin(fetch, source, options) }
        }
        do {
            let fetched = try await fetch.chain()
            return RelationChain(user, fetched.rows, age: clock.now - fetch.began)
        } catch let error as CallError where error.mayPass && !isForced {
            let now = clock.now
            guard let chain = entries.withLock({ $0.staleChain(of: user, now: now) }) else {
                throw error
            }
            return chain
        }
    }

    private func begin(_ fetch: ChainFetch, _ source: any ChainSource, _ options: CallOptions) {
        let reader = ChainReader(source: source, user: fetch.user, options: options)
        Task(executorPreference: clock.tasks) {
            let outcome: ChainFetch.Outcome
            do {
                outcome = .success(
                    try await reader.chain(after: fetch.base, needed: fetch.needed))
            } catch {
                outcome = .failure(error)
            }
            fetch.finish(self.entries.withLock { $0.finish(fetch, outcome) })
        }
    }

    // MARK: Streams and writes

    func addFeed(_ scope: ChainScope) -> UInt64 {
        entries.withLock { $0.addFeed(scope) }
    }

    func removeFeed(_ number: UInt64) {
        entries.withLock { $0.removeFeed(number) }
    }

    func disconnect(_ number: UInt64) {
        entries.withLock { $0.disconnect(number) }
    }

    func apply(_ message: WatchResponse, from feed: UInt64) {
        let now = clock.now
        entries.withLock { $0.apply(message, from: feed, now: now) }
    }

    /// Takes a write of the client; the answer is nil if the write failed.
    func apply(_ write: some Message, _ answer: (any WriteAnswer)?) {
        entries.withLock { $0.apply(write, answer) }
    }
}
