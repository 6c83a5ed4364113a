import Glibc
import RelationRuntime
import Synchronization

/// The signal that asks the server to read its settings again; it never ends the process.
///
/// A thread of its own reads: a file may be a pipe into which nothing is written, or stand on a
/// file system that hangs. Signals that ask for a stop are heard all the same.
final class ReloadSignal: Sendable {
    private let thread = WorkThread("reload")
    /// Whether the work of a signal waits for that of an earlier one: it does what a further signal
    /// asks for, too.
    private let isWaiting = Atomic(false)

    init(_ body: @escaping @Sendable () -> Void) throws {
        // The thread begins with the process: a process that may have no more threads later would
        // end at its first signal.
        thread.run {}
        try Signals.watch([SIGHUP]) { [self] _ in
            guard !isWaiting.exchange(true, ordering: .relaxed) else { return }
            thread.run {
                self.isWaiting.store(false, ordering: .relaxed)
                body()
            }
        }
    }

    func end() {
        Signals.ignore([SIGHUP])
    }
}
