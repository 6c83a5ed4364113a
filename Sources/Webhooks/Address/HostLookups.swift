import NIOPosix
import Synchronization

/// The lookups of names that are under way, on threads that nothing else has.
///
/// A name is looked up once at a time, for all that wait for it. The names of one site, which one
/// tenant may have made, take few of the threads; the others of that site wait.
final class HostLookups: Sendable {
    typealias Answer = Result<[IPAddress], any Error>
    /// Runs a job that blocks, on another thread.
    typealias Run = @Sendable (_ job: @escaping @Sendable () -> Void) -> Void

    private struct State {
        /// The callers that wait for each name.
        var waiting: [String: [@Sendable (Answer) -> Void]] = [:]
        /// The lookups of each site that are under way.
        var running: [String: Int] = [:]
        /// The names of each site that wait for a thread.
        var later: [String: [String]] = [:]
    }

    /// The lookups of this process.
    static let shared: HostLookups = {
        let pool = NIOThreadPool(numberOfThreads: WebhookLimits.lookupThreads)
        pool.start()
        return HostLookups(
            run: { job in pool.submit { _ in job() } },
            resolve: { name in Result { try SystemHostResolver.resolve(name) } })
    }()

    private let run: Run
    private let resolve: @Sendable (String) -> Answer
    private let state = Mutex(State())

    init(run: @escaping Run, resolve: @escaping @Sendable (String) -> Answer) {
        self.run = run
        self.resolve = resolve
    }

    /// Looks a name up, and calls back once, on any thread.
    func find(_ name: String, _ done: @escaping @Sendable (Answer) -> Void) {
        let site = Self.site(of: name)
        let begins = state.withLock { state in
            state.waiting[name, default: []].append(done)
            guard state.waiting[name]?.count == 1 else { return false }
            guard state.running[site, default: 0] < WebhookLimits.lookupsOfSite else {
                state.later[site, default: []].append(name)
                return false
            }
            state.running[site, default: 0] += 1
            return true
        }
        if begins { begin(name, site) }
    }

    private func begin(_ name: String, _ site: String) {
        run { [self] in
            let answer = resolve(name)
            let (waiting, next) = state.withLock { state in
                let waiting = state.waiting.removeValue(forKey: name) ?? []
                let next = state.later[site]?.removeFirst()
                if state.later[site]?.isEmpty == true { state.later[site] = nil }
                if next == nil {
                    let others = state.running[site, default: 1] - 1
                    state.running[site] = others == 0 ? nil : others
                }
                return (waiting, next)
            }
            if let next { begin(next, site) }
            for done in waiting { done(answer) }
        }
    }

    /// The end of a name that one owner has: two labels, or three below such as `co.uk`.
    static func site(of name: String) -> String {
        let labels = name.split(separator: ".")
        let isShared =
            labels.count > 2 && labels[labels.count - 1].utf8.count == 2
            && labels[labels.count - 2].utf8.count <= 3
        return labels.suffix(isShared ? 3 : 2).joined(separator: ".")
    }
}
