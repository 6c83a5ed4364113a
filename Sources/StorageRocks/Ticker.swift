internal import Glibc
internal import Storage
internal import Synchronization

/// A thread that does a small task now and then, until it is stopped or has no owner any more.
///
/// It waits at a pipe to which nothing is ever written. Closing the other end ends the wait early.
final class Ticker: Sendable {
    private struct Running {
        let end: Int32
        let thread: JoinedThread
    }

    /// Nil after it is stopped.
    private let running: Mutex<Running?>

    /// - Throws: ``StorageError`` with the code `failed` if the system has no descriptor or thread
    ///   left.
    init(
        name: StaticString, every milliseconds: Int32, _ body: @escaping @Sendable () -> Void
    ) throws(StorageError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw JoinedThread.failure(errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let start = ends[0]
        let loop: @Sendable () -> Void = {
            var waiting = pollfd(fd: start, events: Int16(POLLIN), revents: 0)
            while true {
                let found = poll(&waiting, 1, milliseconds)
                // A signal may have ended the wait; it starts over.
                if found == 0 { body() }
                if found > 0 { break }
            }
            Glibc.close(start)
        }
        do throws(StorageError) {
            running = Mutex(Running(end: ends[1], thread: try JoinedThread(name, loop)))
        } catch {
            for end in ends { Glibc.close(end) }
            throw error
        }
    }

    deinit {
        stop()
    }

    /// Waits for the running task to end; none runs afterwards.
    ///
    /// The task itself must not call this.
    func stop() {
        let stopped = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let stopped else { return }
        Glibc.close(stopped.end)
        stopped.thread.join()
    }
}
