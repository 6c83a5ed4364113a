internal import Glibc
internal import Synchronization

/// The latest moment at which an ending process ends.
///
/// It needs no thread, so it comes even if every thread waits.
package enum ExitDeadline {
    private static let status = Atomic<Int32>(0)

    /// Ends the process with `status` after `seconds`, unless it has ended before.
    ///
    /// Nothing is written to disk first: data that was not confirmed as durable may be lost.
    package static func end(after seconds: UInt32, status: Int32) {
        self.status.store(status, ordering: .sequentiallyConsistent)
        _ = Journal.isRead
        signal(SIGALRM) { _ in
            // This runs between any two instructions: it takes no memory and no lock, and calls
            // only functions on the list of signal-safety(7). All threads may be waiting for
            // standard error.
            let text: StaticString =
                Journal.isRead
                ? "<2>The process did not end by itself in time, and is ended.\n"
                : "The process did not end by itself in time, and is ended.\n"
            var output = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            if poll(&output, 1, 0) == 1 {
                _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
            }
            _exit(ExitDeadline.status.load(ordering: .sequentiallyConsistent))
        }
        alarm(seconds)
    }
}
