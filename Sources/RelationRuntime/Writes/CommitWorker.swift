import Synchronization

/// A thread that commits, with its counters.
///
/// The first worker of a committer takes all that waits. The others are there only where several
/// servers write to one store: each commits for one app at a time whose lock another server has.
final class CommitWorker: Sendable {
    let thread: WorkThread
    let meter = CommitMeter()
    /// When its transaction under way began; 0 if there is none.
    let busySince = Atomic<UInt64>(0)

    init(_ thread: WorkThread) {
        self.thread = thread
    }
}
