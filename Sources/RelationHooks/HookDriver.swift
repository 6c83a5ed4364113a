import Dispatch
package import Logging
package import RelationAdmission
package import RelationCalls
package import RelationChanges
package import RelationCore
package import RelationRuntime
package import Storage
import Support
import Synchronization

/// Delivers the events of hooks: one thread for all of them.
package final class HookDriver: Sendable {
    private struct State {
        var loop: HookLoop?
        var counts = HookCounts()
        var isStopped = false
        var logger: Logger?
        var isFailing = false
        /// Logins and logouts that the thread has not looked at yet.
        var steps: [PresenceStep] = []
        var droppedSteps: UInt64 = 0
    }

    private let thread: WorkThread
    private let state = Mutex(State())

    /// - Parameters:
    ///   - steady: A time in milliseconds that never goes back, and counts a suspended machine too:
    ///     others may have taken its hooks.
    ///   - holder: A name that no other server of the store has, and no earlier life of this one.
    ///   - seed: The seed of the chance in pauses.
    ///   - thread: Delivers for all hooks.
    package init(
        store: any Store, apps: Apps, clock: ServiceClock,
        steady: @escaping @Sendable () -> Int64 = { SystemClock.boot.milliseconds },
        holder: String, seed: UInt64, thread: WorkThread = WorkThread("hooks"),
        send: @escaping HookSend
    ) {
        self.thread = thread
        let post: @Sendable (@escaping @Sendable (HookLoop) -> Void) -> Void = {
            [weak self] body in
            self?.run(body)
        }
        let loop = HookLoop(
            store: store, apps: apps, clock: clock, steady: steady, holder: holder, seed: seed,
            sharesStore: store.peers != nil, servers: { store.peers?.processCount ?? 1 },
            send: send, post: post)
        state.withLock { $0.loop = loop }
    }

    /// Begins, and goes on until ``stop()``.
    package func start(logger: Logger) {
        state.withLock { $0.logger = logger }
        again()
    }

    private func again() {
        thread.run(afterMilliseconds: HookLimits.tickMilliseconds) { [weak self] in
            guard let self, !self.state.withLock({ $0.isStopped }) else { return }
            self.pass()
            self.again()
        }
    }

    /// Does all that is due now, on the calling thread, which is the driver's or a test's.
    package func pass() {
        guard let loop = state.withLock({ $0.loop }) else { return }
        var failure: StorageError?
        do throws(StorageError) { try loop.pass() } catch { failure = error }
        let counts = loop.counts
        let logger = state.withLock { state -> Logger? in
            let failed = state.counts.failedPasses + (failure == nil ? 0 : 1)
            state.counts = counts
            state.counts.failedPasses = failed
            state.counts.droppedStates += state.droppedSteps
            defer { state.isFailing = failure != nil }
            // The next pass tries again, and only the first of several failures is news.
            return failure != nil && !state.isFailing ? state.logger : nil
        }
        guard let failure else { return }
        logger?.error("hooks wait for the store", metadata: ["cause": "\(failure.message)"])
    }

    private func run(_ body: @escaping @Sendable (HookLoop) -> Void) {
        thread.run { [weak self] in
            guard let self, let loop = self.state.withLock({ $0.loop }) else { return }
            body(loop)
        }
    }

    /// Stores a question without an answer among the failures of its hook, with the next pass.
    package func note(_ app: UInt32, _ hook: HookID, _ failure: HookFailureRecord) {
        run { $0.note(app, hook, failure) }
    }

    /// The observer of presence for the driver, in apps with a hook that is notified of it.
    package func observer(of apps: Apps) -> PresenceObserver {
        PresenceObserver(
            wants: { app in
                apps[app]?.settings.hooks.contains { $0.isToldStates } ?? false
            },
            notify: { [weak self] steps in self?.deliver(steps) })
    }

    /// Takes logins and logouts; those of too many users at once are dropped.
    package func deliver(_ steps: [PresenceStep]) {
        let isFirst = state.withLock { state in
            let isFirst = state.steps.isEmpty
            let room = max(0, HookLimits.unreadStates - state.steps.count)
            state.droppedSteps += UInt64(max(0, steps.count - room))
            state.steps += steps.prefix(room)
            return isFirst
        }
        guard isFirst else { return }
        thread.run { [weak self] in
            guard let self else { return }
            let (loop, steps) = self.state.withLock { state in
                defer { state.steps = [] }
                return (state.loop, state.steps)
            }
            loop?.deliver(steps)
        }
    }

    /// How the delivery stands.
    package func reading() -> HookCounts { state.withLock { $0.counts } }

    /// Hands out nothing more, waits a little for what is under way, and stores how far all hooks
    /// have come.
    package func stop() {
        state.withLock { $0.isStopped = true }
        let deadline = DispatchTime.now() + .milliseconds(HookLimits.stopMilliseconds)
        run { $0.beginStop() }
        let isIdle = Atomic(false)
        repeat {
            run { isIdle.store($0.isIdle, ordering: .relaxed) }
            thread.wait()
            if !isIdle.load(ordering: .relaxed) {
                _ = SteadySemaphore(value: 0).wait(nanoseconds: 20_000_000)
            }
        } while !isIdle.load(ordering: .relaxed) && DispatchTime.now() < deadline
        // Events whose confirmation could not be stored come again.
        run { try? $0.finish() }
        thread.wait()
        state.withLock { $0.loop = nil }
    }
}
