internal import Storage
import Support
internal import Synchronization

/// Looks at a recovery while it runs, from a thread of its own, because the engine's call returns
/// only at its end.
final class RecoveryWatch: Sendable {
    private let progress: Mutex<RecoveryProgress>
    private let log: EngineLog
    private let tell: @Sendable (RecoveryNote) -> Void

    private init(_ log: EngineLog, _ tell: @escaping @Sendable (RecoveryNote) -> Void) {
        progress = Mutex(RecoveryProgress(log.bytes, at: RecoveryWatch.now))
        self.log = log
        self.tell = tell
    }

    /// Runs `open`; if there is a log in `folder` to read back, it reports the progress to `tell`.
    static func telling<Result>(
        _ tell: (@Sendable (RecoveryNote) -> Void)?, of folder: String,
        _ open: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let log = EngineLog(in: folder)
        guard let tell, log.bytes > 0 else { return try open() }
        let watch = RecoveryWatch(log, tell)
        let ticker = try Ticker(name: "recovery", every: Limits.recoveryLookMilliseconds) {
            watch.look()
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

    private func look() {
        let reached = log.reached
        if let note = progress.withLock({ $0.look(at: RecoveryWatch.now, reached: reached) }) {
            tell(note)
        }
    }

    private func end() {
        if let note = progress.withLock({ $0.end(at: RecoveryWatch.now) }) { tell(note) }
    }

    /// Milliseconds that only rise.
    private static var now: Int64 { SystemClock.monotonic.milliseconds }
}
