internal import Glibc
internal import Storage
internal import Synchronization

/// A thread that does something now and then, until it is stopped or nobody holds this any more.
///
/// It waits at a pipe that nothing is ever written to: what ends its wait early is that the other
/// end is closed.
final class Ticker: Sendable {
    private struct Running {
        let end: Int32
        let thread: pthread_t
    }

    /// Nil once it is stopped.
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
            // As tools show it; otherwise it would go by the name of the thread that made it.
            if let file = fopen("/proc/thread-self/comm", "w") {
                fputs("\(name)", file)
                fclose(file)
            }
            var waiting = pollfd(fd: start, events: Int16(POLLIN), revents: 0)
            while true {
                let found = poll(&waiting, 1, milliseconds)
                // A signal may have ended the wait; it begins anew.
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
                // What is handed over below: this thread alone has it, and the caller gives no nil.
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

    /// Waits until what runs has run; nothing runs afterwards.
    ///
    /// Not to be called by what it runs.
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
