import Glibc
import Support
import Synchronization

/// Signals, read by a thread of its own.
///
/// The handler writes one byte to a pipe and does nothing else, because no more is allowed in a
/// handler. The signal sources of Dispatch need its pool of threads, and these threads end the
/// process if no file can be opened.
enum Signals {
    /// The writing end of the pipe; -1 before there is one.
    private static let pipeEnd = Atomic<Int32>(-1)

    private static let watchers = Mutex<[Int32: @Sendable () -> Void]>([:])

    /// Calls `body` for each of these signals, one after another.
    ///
    /// The signals have no other effect from now on.
    ///
    /// - Throws: ``FatalError`` if the system has no pipe or no thread.
    static func watch(_ numbers: [Int32], _ body: @escaping @Sendable (Int32) -> Void) throws {
        try begin()
        for number in numbers {
            watchers.withLock { $0[number] = { body(number) } }
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { number in
                // A handler may only do safe things: load an atomic, and write. A full pipe needs
                // no further byte. The code that the handler interrupts finds its `errno`
                // unchanged.
                let before = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(Signals.pipeEnd.load(ordering: .relaxed), &byte, 1)
                errno = before
            }
            // Calls that the signal interrupts are continued.
            action.sa_flags = SA_RESTART
            sigaction(number, &action, nil)
        }
    }

    /// Removes the effect of these signals.
    static func ignore(_ numbers: [Int32]) {
        for number in numbers { signal(number, SIG_IGN) }
    }

    /// On the first call, makes the pipe and the thread that reads it.
    private static func begin() throws {
        guard pipeEnd.load(ordering: .relaxed) < 0 else { return }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw FatalError("the system has no pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A handler must not wait.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        pipeEnd.store(ends[1], ordering: .relaxed)
        let readEnd = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        readEnd.initialize(to: ends[0])
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { raw in
                // The value was handed over below, and the caller does not touch it again.
                let readEnd = raw!.assumingMemoryBound(to: Int32.self)
                Signals.serve(readEnd.move())
                readEnd.deallocate()
                return nil
            }, readEnd)
        guard code == 0 else {
            throw FatalError("the system has no thread: \(String(cString: strerror(code)))")
        }
        pthread_detach(thread)
    }

    private static func serve(_ readEnd: Int32) {
        ThreadName.set("signals")
        var byte: UInt8 = 0
        while true {
            let count = read(readEnd, &byte, 1)
            guard count == 1 else {
                if count < 0, errno == EINTR { continue }
                return
            }
            watchers.withLock { $0[Int32(byte)] }?()
        }
    }
}
