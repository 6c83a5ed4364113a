internal import Storage
import Support
internal import Synchronization

/// Looks at a recovery while it runs, from a thread of its own, because the engine's call returns
/// only at its end.
final class RecoveryWatch: Sendable {
    private let progress: Mutex<RecoveryProgress>
    private let log: EngineLog
    private let report: @Sendable (RecoveryNote) -> Void

    private init(_ log: EngineLog, _ report: @escaping @Sendable (RecoveryNote) -> Void) {
        progress = Mutex(RecoveryProgress(log.bytes, at: RecoveryWatch.now))
        self.log = log
        self.report = report
    }

    /// Runs `open`; if there is a log in `folder` to read back, it reports the progress to
    /// `report`.
    static func reporting<Result>(
        _ report: (@Sendable (RecoveryNote) -> Void)?, of folder: String,
        _ open: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let log = EngineLog(in: folder)
        guard let report, log.bytes > 0 else { return try open() }
        let watch = RecoveryWatch(log, report)
        let ticker = try Ticker(name: "recovery", every: Limits.recoveryPollMilliseconds) {
            watch.poll()
        }
        // The end is reported last, and not at all if the opening failed.
        let result: Result
        do {
            defer { ticker.stop() }
            result = try open()
        }
        watch.end()
        return result
    }

    private func poll() {
        let reached = log.reached
        if let note = progress.withLock({ $0.note(at: RecoveryWatch.now, reached: reached) }) {
            report(note)
        }
    }

    private func end() {
        if let note = progress.withLock({ $0.end(at: RecoveryWatch.now) }) { report(note) }
    }

    /// Milliseconds that only rise.
    private static var now: Int64 { SystemClock.monotonic.milliseconds }
}
