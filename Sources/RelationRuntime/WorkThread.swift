import GRPC
import Glibc
import RPC
import Support
import Synchronization

/// A thread that runs pieces of work one after another, in the order in which they were given.
///
/// This is not a thread of Dispatch's pool. Dispatch looks at its threads through files of the
/// system, and ends the process when it can open none. This thread begins with the first piece and
/// sleeps when there is none. It ends when the object is gone and all pieces that were handed over
/// have run.
package final class WorkThread: Sendable {
    package typealias Work = @Sendable () -> Void

    private let list: WorkList
    /// A clock in nanoseconds that never goes back.
    private let clock: @Sendable () -> UInt64

    /// - Parameters:
    ///   - name: The name that tools show; the system keeps 15 bytes.
    ///   - isDriven: Whether no thread begins, and ``wait()`` or ``runNext()`` run the work on the
    ///     calling thread. So tests and measurements choose the time.
    ///   - clock: The clock by which work waits. A thread that is not driven sleeps by the
    ///     machine's.
    package init(
        _ name: StaticString, isDriven: Bool = false,
        clock: @escaping @Sendable () -> UInt64 = { Deadline.clock }
    ) {
        self.clock = clock
        list = WorkList(name, isDriven: isDriven, clock)
    }

    deinit {
        list.close()
    }

    /// Runs `work` after all work that was handed over before.
    package func run(_ work: @escaping Work) {
        list.add(work, at: nil)
    }

    /// Runs `work` when that time has passed, if the object still exists then.
    package func run(afterMilliseconds milliseconds: Int, _ work: @escaping Work) {
        list.add(work, at: clock() + UInt64(milliseconds) * 1_000_000)
    }

    /// Waits until all work that was handed over so far has run, except work whose time has not
    /// come.
    ///
    /// A piece of work must not call this.
    package func wait() {
        guard !list.isDriven else { return list.runReady() }
        let done = SteadySemaphore(value: 0)
        run { done.signal() }
        done.wait()
    }

    /// Runs `work` on a new thread, and returns when it has run.
    ///
    /// Work that waits for other threads belongs here: all tasks of the process share one thread a
    /// processor, and one that waits holds up the others.
    package static func run(on name: StaticString, _ work: @escaping Work) async {
        await withCheckedContinuation { continuation in
            begin("\(name)") {
                work()
                continuation.resume()
            }
        }
    }

    /// When the next piece of work may run, on the clock.
    ///
    /// It is 0 if one may run now, and nil if there is none.
    package var nextTime: UInt64? { list.nextTime }

    /// Runs the first piece of work that may run now, on the calling thread.
    ///
    /// - Precondition: The thread is driven.
    /// - Returns: Whether there was one.
    package func runNext() -> Bool { list.runNext() }

    /// Begins a thread.
    ///
    /// It never fails where a process may have some hundred threads. Beyond that it ends the
    /// process, because no other thread would do this work.
    ///
    /// - Parameter kind: The label under which `/metrics` counts the thread; nil for its name.
    static func begin(_ name: String, kind: String? = nil, _ body: @escaping Work) {
        let box = UnsafeMutablePointer<Work>.allocate(capacity: 1)
        box.initialize(to: {
            ThreadName.set(name, kind: kind)
            body()
        })
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { raw in
                // The box below belongs to this thread alone, and the caller never passes nil.
                let box = raw!.assumingMemoryBound(to: Work.self)
                let body = box.move()
                box.deallocate()
                body()
                return nil
            }, box)
        precondition(code == 0, "the system has no thread for \(name): error \(code)")
        pthread_detach(thread)
    }
}

/// The list of work of a thread; the thread keeps it alive as long as it runs.
private final class WorkList: Sendable {
    private struct State {
        var ready: [WorkThread.Work] = []
        /// Work whose time has not come, in no order: there are one or two such pieces.
        var later: [(time: UInt64, work: WorkThread.Work)] = []
        var hasThread = false
        var isAsleep = false
        var isClosed = false

        /// Makes the work ready whose time has come.
        mutating func takeDue(at now: UInt64) {
            for index in later.indices.reversed() where later[index].time <= now {
                ready.append(later.remove(at: index).work)
            }
        }
    }

    private enum Step {
        case run([WorkThread.Work])
        case sleep(nanoseconds: UInt64?)
        case end
    }

    private let name: StaticString
    /// Whether ``runReady()`` replaces a thread.
    let isDriven: Bool
    private let clock: @Sendable () -> UInt64
    private let state: Mutex<State>
    private let wakeUps = SteadySemaphore(value: 0)

    init(_ name: StaticString, isDriven: Bool, _ clock: @escaping @Sendable () -> UInt64) {
        self.name = name
        self.isDriven = isDriven
        self.clock = clock
        state = Mutex(State(hasThread: isDriven))
    }

    func add(_ work: @escaping WorkThread.Work, at time: UInt64?) {
        let (begins, wakes) = state.withLock { state in
            if let time { state.later.append((time, work)) } else { state.ready.append(work) }
            defer {
                state.hasThread = true
                state.isAsleep = false
            }
            return (!state.hasThread, state.isAsleep)
        }
        if begins { WorkThread.begin("\(name)") { self.serve() } }
        if wakes { wakeUps.signal() }
    }

    func close() {
        let wakes = state.withLock { state in
            state.isClosed = true
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if wakes { wakeUps.signal() }
    }

    private func serve() {
        while true {
            switch next() {
            case .run(let pieces): for piece in pieces { piece() }
            case .sleep(nil): wakeUps.wait()
            case .sleep(let nanoseconds?):
                _ = wakeUps.wait(nanoseconds: nanoseconds)
            case .end: return
            }
        }
    }

    /// Runs what would run now.
    func runReady() {
        while case .run(let pieces) = next() {
            for piece in pieces { piece() }
        }
    }

    var nextTime: UInt64? {
        state.withLock { $0.ready.isEmpty ? $0.later.map(\.time).min() : 0 }
    }

    func runNext() -> Bool {
        precondition(isDriven, "a thread of its own runs the work")
        let now = clock()
        let piece = state.withLock { state -> WorkThread.Work? in
            state.takeDue(at: now)
            return state.ready.isEmpty ? nil : state.ready.removeFirst()
        }
        piece?()
        return piece != nil
    }

    private func next() -> Step {
        let now = clock()
        return state.withLock { state in
            // The thread is awake: it was woken, or its time has come.
            state.isAsleep = false
            state.takeDue(at: now)
            if !state.ready.isEmpty {
                defer { state.ready = [] }
                return .run(state.ready)
            }
            if state.isClosed { return .end }
            state.isAsleep = true
            return .sleep(nanoseconds: state.later.map(\.time).min().map { $0 - now })
        }
    }
}
