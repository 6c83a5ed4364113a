import Glibc
import RelationRuntime
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

/// The signals that ask the server to stop, as a value to wait for.
struct StopSignals: Sendable {
    private let stream: AsyncStream<String>
    private let came = Came()

    /// Whether any has come.
    private final class Came: Sendable {
        let isTrue = Atomic(false)
    }

    init() throws {
        let came = came
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        self.stream = stream
        try Signals.watch([SIGTERM, SIGINT]) { number in
            came.isTrue.store(true, ordering: .relaxed)
            continuation.yield(number == SIGTERM ? "SIGTERM" : "SIGINT")
        }
    }

    /// Whether one of these signals has come; a task need not wait for it.
    var hasCome: Bool { came.isTrue.load(ordering: .relaxed) }

    /// The next of these signals that comes; nil if a task that waited for one was cancelled.
    func next() async -> String? {
        for await name in stream { return name }
        return nil
    }
}
