internal import CBacktrace
internal import Glibc
internal import Synchronization

/// The signals that end a process that cannot go on: after a trap of Swift, an assertion of a
/// library, or an access to memory that is not there.
///
/// The runtime's own handlers start another program, which reads the whole process. That takes
/// seconds in which the process holds its port and answers no client. If the signal came from
/// outside, the process did not end at all. With the handlers here, it shuts its sockets, writes
/// where it stood, and ends by the signal itself. So its exit status names the signal, and a core
/// can be kept.
///
/// A handler runs between any two instructions of its thread. So it takes no memory and no lock of
/// ours, uses only values that ``handle()`` has made, and calls only functions that
/// signal-safety(7) lists. The one exception is the walk along the stack, which takes a lock of the
/// loader; an alarm bounds it.
package enum FatalSignals {
    /// The signals that usually end the process with a core.
    ///
    /// Signals that report a limit are left out: they have no handler, and the system ends the
    /// process by them at once.
    private static let numbers = [
        SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS,
    ]

    /// The signal that ends the process; 0 while none does.
    private static let ending = Atomic<Int32>(0)
    private static let descriptors = Atomic<Int32>(0)
    private static let inherited = InheritedDescriptors()
    private static let trace = Trace()
    private static let text = CrashText()
    private static let bothWays = Int32(SHUT_RDWR)

    /// Ends the process promptly from now on, whichever of these signals it gets.
    ///
    /// Call it before there are other threads, in each program once.
    package static func handle() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        // The hard limit, because the process may raise its own limit later.
        let most = Int32(clamping: min(limit.rlim_max, rlim_t(Limits.descriptors)))
        descriptors.store(most, ordering: .sequentiallyConsistent)
        inherited.note(below: most)
        // This loads the code that the walk needs, which takes memory the first time. So do our own
        // constants.
        trace.capture()
        text.prepare()
        _ = ending.load(ordering: .sequentiallyConsistent)
        _ = bothWays
        _ = alarmAction
        _ = Journal.isRead
        var action = sigaction()
        action.__sigaction_handler.sa_handler = fatalAction
        // While one signal is handled, the others wait. Only a signal that the thread itself causes
        // does not: with it, the system ends the process at once.
        sigemptyset(&action.sa_mask)
        for number in numbers { sigaddset(&action.sa_mask, number) }
        for number in numbers { sigaction(number, &action, nil) }
    }

    /// Ends the process when the time for its trace is over.
    ///
    /// The thread that writes may wait for ever, so any thread that gets the alarm ends the
    /// process.
    private static let alarmAction: @convention(c) (Int32) -> Void = { _ in
        FatalSignals.end(as: FatalSignals.ending.load(ordering: .sequentiallyConsistent))
    }

    private static let fatalAction: @convention(c) (Int32) -> Void = { FatalSignals.end(by: $0) }

    private static func end(by number: Int32) {
        let isFirst = ending.compareExchange(
            expected: 0, desired: number, ordering: .sequentiallyConsistent
        ).exchanged
        // Another thread is ending the process; or this thread was, and the walk itself has failed.
        if !isFirst { while true { pause() } }
        shutSockets()
        boundTime()
        text.begin()
        text.add("The process ends by ")
        text.add(name(of: number))
        text.add(". Where it stood:\n")
        text.write()
        trace.capture()
        trace.write(through: text)
        end(as: number)
    }

    private static func boundTime() {
        signal(SIGALRM, alarmAction)
        // Threads that wait for work often block the alarm, and this thread may be the only one
        // left.
        var alarms = sigset_t()
        sigemptyset(&alarms)
        sigaddset(&alarms, SIGALRM)
        pthread_sigmask(SIG_UNBLOCK, &alarms, nil)
        alarm(Limits.traceSeconds)
    }

    /// Lets clients know at once: a core takes seconds to write, and until then the process has its
    /// sockets.
    ///
    /// The sockets are shut and not closed. Another thread may still write, and if a number were
    /// free, a file of the store could be opened under it. A descriptor that is not a socket stays
    /// as it is. So does a socket that the process was begun with: another process may use it too,
    /// and it would be shut for both.
    private static func shutSockets() {
        var descriptor = STDERR_FILENO + 1
        let most = descriptors.load(ordering: .sequentiallyConsistent)
        while descriptor < most {
            if !inherited.contains(descriptor) { shutdown(descriptor, bothWays) }
            descriptor += 1
        }
    }

    /// Ends the process by the signal, as if there were no handler.
    private static func end(as number: Int32) {
        signal(number, SIG_DFL)
        var numbers = sigset_t()
        sigemptyset(&numbers)
        sigaddset(&numbers, number)
        pthread_sigmask(SIG_UNBLOCK, &numbers, nil)
        raise(number)
        // Only the first process of a container comes here, because the system spares it the usual
        // end.
        _exit(128 + number)
    }

    private static func name(of number: Int32) -> StaticString {
        switch number {
        case SIGQUIT: "SIGQUIT"
        case SIGILL: "SIGILL"
        case SIGTRAP: "SIGTRAP"
        case SIGABRT: "SIGABRT"
        case SIGBUS: "SIGBUS"
        case SIGFPE: "SIGFPE"
        case SIGSEGV: "SIGSEGV"
        default: "SIGSYS"
        }
    }
}

/// The descriptors that the process was begun with.
///
/// `@unchecked Sendable`: it is written before there are other threads, and only read afterwards.
private final class InheritedDescriptors: @unchecked Sendable {
    /// It lives as long as the process.
    private let isOpen = UnsafeMutablePointer<Bool>.allocate(capacity: Int(Limits.descriptors))

    init() { isOpen.initialize(repeating: false, count: Int(Limits.descriptors)) }

    func note(below most: Int32) {
        for descriptor in 0..<most { isOpen[Int(descriptor)] = fcntl(descriptor, F_GETFD) >= 0 }
    }

    /// - Parameter descriptor: One below ``Limits/descriptors``.
    func contains(_ descriptor: Int32) -> Bool { isOpen[Int(descriptor)] }
}
