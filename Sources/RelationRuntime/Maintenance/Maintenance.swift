package import Logging
package import RelationAdmission
package import RelationCalls
package import RelationCore
package import RelationModel
import Storage
package import Support
import Synchronization

/// A holder of state in memory that ends with time, or with its app.
package protocol MaintenanceObserver: Sendable {
    /// Ends everything that is over by `now`.
    ///
    /// - Returns: Whether anything has ended.
    @discardableResult
    func expire(at now: Timestamp) -> Bool

    /// Forgets everything of an app that was removed.
    func forget(app: UInt32)
}

/// The background work: deletions, and the removal of old rows.
///
/// The store holds the list of this work, so a restart loses none of it. The work goes in steps.
/// Each step is one transaction of few rows that lets callers go first.
package final class Maintenance: Sendable {
    private struct State {
        var isStopped = false
        /// Whether the queue has been woken.
        var isAwake = false
        /// The app that was swept last; 0 before the first app of a round.
        var lastApp: UInt32 = 0
        /// For each app of many imports, the one after which the search for old ones goes on.
        var lastImports: [UInt32: ImportKey] = [:]
        /// Whether the next step sweeps even if a deletion is not finished.
        var isSweepNext = false
        /// Whether an erasure goes before deletions in the next step of a job.
        var isErasureNext = false
        var logger: Logger?
        var everySecond: @Sendable () -> Void = {}
    }

    private let committer: Committer
    private let apps: Apps
    private let exports: ExportPoints
    private let observer: any MaintenanceObserver
    private let clock: ServiceClock
    private let thread: WorkThread
    /// Waits until the committer has done what was submitted to it.
    private let wait: @Sendable (SteadySemaphore) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - thread: The thread that does the work.
    ///   - wait: Waits for the committer. It has the committer do what it was given, where the
    ///     thread of this work is that of the committer too, as in a simulation.
    package init(
        committer: Committer, apps: Apps, exports: ExportPoints, observer: any MaintenanceObserver,
        clock: ServiceClock, thread: WorkThread = WorkThread("maintenance"),
        wait: @escaping @Sendable (SteadySemaphore) -> Void = ThreadSource.system.wait
    ) {
        self.thread = thread
        self.wait = wait
        self.committer = committer
        self.exports = exports
        self.observer = observer
        self.apps = apps
        self.clock = clock
    }

    /// Continues the work that was left, and looks for more every minute.
    ///
    /// Of the servers of one store one looks for more. Each does what its own callers have asked
    /// for, and what was left when it starts.
    ///
    /// - Parameter everySecond: Other work, to be done about every second.
    package func start(
        logger: Logger, everySecond: @escaping @Sendable () -> Void = {}
    ) {
        state.withLock { state in
            state.logger = logger
            state.everySecond = everySecond
        }
        apps.audit.calls.whenHalfFull { [weak self] in
            self?.thread.run { [weak self] in self?.storeAuditedCalls() }
        }
        repeatLater()
        tickLater()
        wake()
    }

    private func repeatLater() {
        thread.run(afterMilliseconds: RuntimeLimits.secondsBetweenMaintenance * 1_000) {
            [weak self] in
            guard let self, !self.state.withLock({ $0.isStopped }) else { return }
            self.exports.forget(at: self.clock.now())
            self.storeUses()
            if self.committer.doesUpkeep {
                if self.committer.sharesStore { self.findEnds() }
                self.wake()
            }
            self.repeatLater()
        }
    }

    /// Looks once whether something of any app has ended.
    ///
    /// A server knows the ends that it wrote itself. The ends of a server that is gone are found
    /// here.
    private func findEnds() {
        for app in apps.all(after: 0) { apps.ends.lower(app.id, to: .min) }
    }

    private func tickLater() {
        thread.run(afterMilliseconds: RuntimeLimits.millisecondsBetweenEnds) { [weak self] in
            guard let self, !self.state.withLock({ $0.isStopped }) else { return }
            self.tick()
            self.state.withLock { $0.everySecond }()
            self.tickLater()
        }
    }

    /// Ends everything that is over by now: presence, subscriptions and applications.
    ///
    /// No call asks for these ends.
    package func tick() {
        observer.expire(at: clock.now())
        storeAudit()
        while let app = apps.ends.next(at: clock.now()),
            !state.withLock({ $0.isStopped })
        {
            let step = EndingStep(app, apps: apps, clock: clock)
            committer.submit(background: step)
            wait(step.done)
            guard let error = step.error else { continue }
            return note(error)
        }
    }

    /// Has the records stored of calls that no write carries.
    ///
    /// - Parameter all: Whether to store those too that are still counted together.
    private func storeAudit(all: Bool = false) {
        let rows = apps.audit.take(at: clock.now(), all: all)
        if !rows.isEmpty { committer.submit(background: AuditWork(rows, apps)) }
        storeAuditedCalls()
    }

    /// Has the records stored of the calls that no write records, on a server that records each.
    ///
    /// It comes to an end, though a record that could not be stored waits at once again.
    package func storeAuditedCalls() {
        for _ in 0...Limits.auditCalls / Limits.auditCallsPerCommit {
            let rows = apps.audit.calls.take()
            guard !rows.isEmpty else { return }
            committer.submit(background: AuditWork(rows, apps, haveSlots: true))
        }
    }

    /// Has the last uses of credentials stored, each once an hour.
    ///
    /// - Parameter all: Whether to store each time that the store lacks, since the server stops.
    package func storeUses(all: Bool = false) {
        var uses = apps.usesToStore(all: all)[...]
        while !uses.isEmpty {
            let next = uses.prefix(RuntimeLimits.credentialUsesPerCommit)
            committer.submit(background: CredentialUseWork(next, apps))
            uses = uses.dropFirst(next.count)
        }
    }

    /// Begins no further step.
    package func stop() {
        state.withLock { $0.isStopped = true }
    }

    /// Waits for the step that was under way at the stop.
    package func close() {
        thread.wait()
        storeAudit(all: true)
        storeUses(all: true)
    }

    /// Begins the work, or continues it.
    ///
    /// A transaction may call this: the work then runs after that transaction.
    package func wake() {
        let wakes = state.withLock { state in
            guard !state.isStopped, !state.isAwake else { return false }
            state.isAwake = true
            return true
        }
        if wakes { thread.run { self.run() } }
    }

    private func run() {
        state.withLock { $0.isAwake = false }
        var more = true
        while more, !state.withLock({ $0.isStopped }) {
            do throws(StorageError) {
                more = try step()
                // Work of many steps does not delay ends that are due.
                tick()
            } catch {
                note(error)
                more = false
            }
        }
    }

    /// Logs a failure; the timer brings the next attempt.
    private func note(_ error: StorageError) {
        state.withLock { $0.logger }?.error("maintenance failed", metadata: ["cause": "\(error)"])
    }

    /// Does the next step and waits until it is committed.
    ///
    /// Deletions and sweeps alternate, so that a large deletion in one app does not delay the
    /// sweeps of other apps. So do deletions and erasures.
    ///
    /// - Returns: Whether there may be more to do.
    package func step() throws(StorageError) -> Bool {
        let (lastApp, lastImports, isSweepNext, isErasureNext) = state.withLock {
            ($0.lastApp, $0.lastImports, $0.isSweepNext, $0.isErasureNext)
        }
        let step = MaintenanceStep(
            apps: apps, after: lastApp, lastImports, sweepsFirst: isSweepNext,
            erasesNext: isErasureNext, clock: clock)
        committer.submit(background: step)
        wait(step.done)
        if let error = step.error { throw error }
        state.withLock {
            $0.lastApp = step.lastApp
            $0.lastImports = step.lastImports
            $0.isSweepNext = !isSweepNext
            if let erased = step.erased { $0.isErasureNext = !erased }
        }
        if let app = step.removedApp { observer.forget(app: app) }
        return step.didSomething || step.lastApp != 0 || step.leavesJob
    }
}

/// One step on its way through the committer.
///
/// `@unchecked Sendable`: the committer's thread writes it, and its maker reads it after `done` was
/// signalled.
private final class MaintenanceStep: BackgroundWork, @unchecked Sendable {
    let done = SteadySemaphore(value: 0)
    private(set) var didSomething = false
    /// Whether it swept although a deletion is not finished.
    private(set) var leavesJob = false
    private(set) var error: StorageError?
    /// The last app that has been swept; 0 after the last app of all.
    private(set) var lastApp: UInt32
    private(set) var lastImports: [UInt32: ImportKey]
    /// The app whose last rows were removed.
    private(set) var removedApp: UInt32?
    /// Whether the job was an erasure; nil if it did none.
    private(set) var erased: Bool?
    private let apps: Apps
    private let sweepsFirst: Bool
    private let erasesNext: Bool
    private let clock: ServiceClock

    init(
        apps: Apps, after lastApp: UInt32, _ lastImports: [UInt32: ImportKey], sweepsFirst: Bool,
        erasesNext: Bool, clock: ServiceClock
    ) {
        self.apps = apps
        self.lastApp = lastApp
        self.lastImports = lastImports
        self.sweepsFirst = sweepsFirst
        self.erasesNext = erasesNext
        self.clock = clock
    }

    func run(in transaction: any WriteTransaction) throws(StorageError) {
        let next = try Jobs.next(erasesNext: erasesNext, in: transaction)
        guard let job = next, !sweepsFirst else {
            leavesJob = next != nil
            return try sweep(in: transaction)
        }
        // An app that is being deleted has no settings.
        let settings = apps.inTransaction(job.record.app)?.settings ?? .tim
        let isFinished = try JobSteps.step(
            job, settings: settings, now: clock.now(), in: transaction)
        if isFinished, job.record.userID.isEmpty {
            removedApp = job.record.app
            apps.histories.set(job.record.app, to: nil)
            lastImports[job.record.app] = nil
        }
        erased = job.erases
        didSomething = true
    }

    /// Sweeps the next few apps, up to the first one that had something to do.
    ///
    /// That app comes first in the next step.
    private func sweep(in transaction: any WriteTransaction) throws(StorageError) {
        didSomething = lastApp == 0 ? try trimAudit(of: .registry, in: transaction) : false
        guard !didSomething else { return }
        let rest = apps.all(after: lastApp)
        for app in rest.prefix(RuntimeLimits.appsPerSweep) {
            didSomething = try Sweeps.step(
                app, at: clock.now(), lastImport: &lastImports[app.id], in: transaction)
            try noteHistory(of: app, in: transaction)
            if !didSomething { didSomething = try trimAudit(of: app, in: transaction) }
            guard !didSomething else { return }
            apps.ends.set(app.id, to: try Sweeps.nextEndMs(app, in: transaction))
            lastApp = app.id
        }
        if rest.count <= RuntimeLimits.appsPerSweep { lastApp = 0 }
    }

    /// Notes how many bytes the app's history has now, if it keeps one.
    private func noteHistory(
        of app: App, in transaction: any WriteTransaction
    ) throws(StorageError) {
        let state = app.keepsHistory ? try HistoryLog.state(of: app, in: transaction) : nil
        apps.histories.set(app.id, to: state?.bytes, of: app.settings.historyBytes)
    }

    /// Removes old records of the app's audit, if this server keeps one.
    private func trimAudit(
        of app: App, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        guard apps.audit.isOn else { return false }
        return try AuditChain.trim(
            app, keeping: apps.audit.days, at: clock.now(), limit: Limits.rowsPerMaintenanceStep,
            in: transaction)
    }

    func finish(_ error: StorageError?) {
        self.error = error
        done.signal()
    }
}

/// The next subscriptions and applications of one app that have ended, on their way through the
/// committer.
///
/// `@unchecked Sendable`: the committer's thread writes it, and its maker reads it after `done` was
/// signalled.
private final class EndingStep: BackgroundWork, @unchecked Sendable {
    let done = SteadySemaphore(value: 0)
    private(set) var error: StorageError?
    private let id: UInt32
    private let apps: Apps
    private let clock: ServiceClock

    init(_ id: UInt32, apps: Apps, clock: ServiceClock) {
        self.id = id
        self.apps = apps
        self.clock = clock
    }

    func run(in transaction: any WriteTransaction) throws(StorageError) {
        guard let app = apps.inTransaction(id) else { return apps.ends.set(id, to: nil) }
        _ = try Sweeps.end(app, at: clock.now(), in: transaction)
        apps.ends.set(id, to: try Sweeps.nextEndMs(app, in: transaction))
    }

    func finish(_ error: StorageError?) {
        self.error = error
        done.signal()
    }
}
