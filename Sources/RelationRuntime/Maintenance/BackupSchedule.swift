package import Logging
package import RelationCalls
import RelationCore
import RelationModel
package import Storage
import Synchronization

/// Makes a backup whenever the newest one is old enough, on a thread of its own.
package final class BackupSchedule: Sendable {
    private struct State {
        var making: (any BackupMaking)?
        /// When the last attempt failed; nil after one that did not.
        var failedMs: Int64?
        var isStopped = false
        var logger: Logger?
    }

    private let backups: any StoreBackups
    private let everyMs: Int64
    private let clock: ServiceClock
    private let thread = WorkThread("backups")
    private let state = Mutex(State())

    /// - Parameter minutes: The age at which the newest backup is no longer new enough.
    package init(_ backups: any StoreBackups, everyMinutes minutes: Int, clock: ServiceClock) {
        self.backups = backups
        self.clock = clock
        everyMs = Int64(minutes) * 60_000
    }

    /// Looks whether a backup is due, now and once in a while.
    package func start(logger: Logger) {
        state.withLock { $0.logger = logger }
        thread.run { [weak self] in self?.checkSchedule() }
    }

    /// Begins no further step.
    package func stop() {
        state.withLock { $0.isStopped = true }
    }

    /// Waits for the steps that were begun so far.
    package func finishSteps() {
        thread.wait()
    }

    /// Waits for the step that was under way at the stop, and removes what is not whole.
    package func close() {
        finishSteps()
        state.withLock { $0.making }?.abandon()
    }

    private func checkSchedule() {
        guard !state.withLock({ $0.isStopped }) else { return }
        work()
        thread.run(afterMilliseconds: RuntimeLimits.millisecondsBetweenBackupChecks) {
            [weak self] in
            self?.checkSchedule()
        }
    }

    /// Begins a backup if one is due; its steps follow by themselves.
    package func work() {
        let now = clock.now().milliseconds
        let isBusy = state.withLock { $0.making != nil }
        guard !isBusy, isDue(at: now) else { return }
        // A backup of an operator may be under way: that one is as good.
        let making = backups.begin(at: now, counting: BackupContent.counts(in:))
        guard let making else { return }
        state.withLock { $0.making = making }
        thread.run { [weak self] in self?.step() }
    }

    private func isDue(at now: Int64) -> Bool {
        let failed = state.withLock { $0.failedMs }
        let pause = min(everyMs, RuntimeLimits.millisecondsBetweenBackupAttempts)
        if let failed, now < failed + pause { return false }
        guard let newest = backups.gauges.newestMs else { return true }
        // A clock that was set back does not stop the backups for as long.
        return now >= newest + everyMs || now < newest
    }

    /// Does one step, and leaves the device to others for a while before the next one.
    private func step() {
        let (making, isStopped, logger) = state.withLock { ($0.making, $0.isStopped, $0.logger) }
        guard let making, !isStopped else { return }
        do throws(StorageError) {
            let now = clock.now().milliseconds
            guard let entry = try making.step(at: now).entry else {
                return thread.run(afterMilliseconds: RuntimeLimits.millisecondsBetweenBackupSteps) {
                    [weak self] in self?.step()
                }
            }
            state.withLock { ($0.making, $0.failedMs) = (nil, nil) }
            logger?.info(
                "made a backup",
                metadata: ["name": "\(entry.name)", "bytes": "\(entry.bytes)"])
        } catch {
            state.withLock { ($0.making, $0.failedMs) = (nil, clock.now().milliseconds) }
            logger?.error("a backup failed", metadata: ["cause": "\(error)"])
        }
    }
}
