import NIOPosix
import Synchronization

/// The lookups of names that are under way, on threads that nothing else has.
///
/// A name is looked up once at a time, for all that wait for it. The names of one tenant take few
/// of the threads, whatever they are called: the others of that tenant wait, and those of other
/// tenants find a thread.
final class HostLookups: Sendable {
    typealias Answer = Result<[IPAddress], any Error>
    typealias Done = @Sendable (Answer) -> Void
    /// Runs a job that blocks, on another thread.
    typealias Run = @Sendable (_ job: @escaping @Sendable () -> Void) -> Void

    /// As many names of the tenant wait as may.
    struct TooManyNames: Error {}

    private enum Step {
        case begins, waits, isFull
    }

    private struct State {
        /// The callers that wait for each name that a thread looks up.
        var running: [String: [Done]] = [:]
        /// The lookups of each tenant that are under way.
        var threads: [UInt32: Int] = [:]
        /// The names of each tenant that wait for a thread, in their order.
        var later: [UInt32: [(name: String, waiting: [Done])]] = [:]

        mutating func add(_ name: String, _ tenant: UInt32, _ done: @escaping Done) -> Step {
            guard running[name] == nil else {
                running[name]?.append(done)
                return .waits
            }
            guard threads[tenant, default: 0] >= WebhookLimits.lookupsOfTenant else {
                threads[tenant, default: 0] += 1
                running[name] = [done]
                return .begins
            }
            if let index = later[tenant]?.firstIndex(where: { $0.name == name }) {
                later[tenant]?[index].waiting.append(done)
                return .waits
            }
            guard later[tenant]?.count ?? 0 < WebhookLimits.waitingLookupsOfTenant else {
                return .isFull
            }
            later[tenant, default: []].append((name, [done]))
            return .waits
        }

        /// Ends a lookup.
        ///
        /// - Returns: The callers that wait for it, and the name that the tenant looks up next.
        mutating func end(_ name: String, _ tenant: UInt32) -> (waiting: [Done], next: String?) {
            let waiting = running.removeValue(forKey: name) ?? []
            while let next = later[tenant]?.first {
                later[tenant]?.removeFirst()
                if later[tenant]?.isEmpty == true { later[tenant] = nil }
                guard running[next.name] == nil else {
                    // Another tenant has it looked up by now.
                    running[next.name]? += next.waiting
                    continue
                }
                running[next.name] = next.waiting
                return (waiting, next.name)
            }
            let others = threads[tenant, default: 1] - 1
            threads[tenant] = others == 0 ? nil : others
            return (waiting, nil)
        }
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

    /// Looks a name up for a tenant, and calls back once, on any thread.
    func find(_ name: String, for tenant: UInt32, _ done: @escaping Done) {
        switch state.withLock({ $0.add(name, tenant, done) }) {
        case .begins: begin(name, tenant)
        case .waits: break
        case .isFull: done(.failure(TooManyNames()))
        }
    }

    private func begin(_ name: String, _ tenant: UInt32) {
        run { [self] in
            let answer = resolve(name)
            let (waiting, next) = state.withLock { $0.end(name, tenant) }
            if let next { begin(next, tenant) }
            for done in waiting { done(answer) }
        }
    }
}
