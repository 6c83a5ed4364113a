internal import Glibc
internal import Storage
import Support
internal import Synchronization

/// A thread that does a small task now and then, until it is stopped or has no owner any more.
///
/// It waits at a pipe to which nothing is ever written. Closing the other end ends the wait early.
final class Ticker: Sendable {
    private struct Running {
        let end: Int32
        let thread: pthread_t
    }

    /// Nil after it is stopped.
    private let running: Mutex<Running?>

    /// - Throws: ``StorageError`` with the code `failed` if the system has no descriptor or thread
    ///   left.
    init(
        name: StaticString, every milliseconds: Int32, _ body: @escaping @Sendable () -> Void
    ) throws(StorageError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Ticker.failure(errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let start = ends[0]
        let loop: @Sendable () -> Void = {
            // The name that tools show; otherwise it would be that of the thread that made this
            // one.
            ThreadName.set("\(name)", kind: "store")
            var waiting = pollfd(fd: start, events: Int16(POLLIN), revents: 0)
            while true {
                let found = poll(&waiting, 1, milliseconds)
                // A signal may have ended the wait; it starts over.
                if found == 0 { body() }
                if found > 0 { break }
            }
            Glibc.close(start)
        }
        let box = UnsafeMutablePointer<@Sendable () -> Void>.allocate(capacity: 1)
        box.initialize(to: loop)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { raw in
                // The value was handed over below: this thread alone has it, and the caller gives
                // no nil.
                let box = raw!.assumingMemoryBound(to: (@Sendable () -> Void).self)
                let loop = box.move()
                box.deallocate()
                loop()
                return nil
            }, box)
        guard code == 0 else {
            box.deinitialize(count: 1).deallocate()
            for end in ends { Glibc.close(end) }
            throw Ticker.failure(code)
        }
        running = Mutex(Running(end: ends[1], thread: thread))
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
        pthread_join(stopped.thread, nil)
    }

    private static func failure(_ code: Int32) -> StorageError {
        StorageError(.failed, "the system has no thread left: \(String(cString: strerror(code)))")
    }
}
