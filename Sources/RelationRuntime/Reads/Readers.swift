import Dispatch
package import GRPC
import Glibc
package import Protobuf
import Synchronization

/// The threads for reads that would make a loop wait: those that scan, and those whose rows are not
/// in memory.
///
/// A loop answers thousands of calls a turn; one that waits for the disk makes them all wait. So
/// such a read goes here, is decoded again in this thread's memory, and its answer comes back to
/// the loop as bytes. Apps that have reads waiting get fair turns. A read whose call has ended
/// meanwhile, or is too late, does not run; whoever knows that it is not wanted takes it back.
///
/// The threads are this pool's own, because a rank is a thread's, and a process without privileges
/// cannot raise what it has once lowered.
package final class Readers: Sendable {
    /// One read: it answers its call by the call's handle.
    ///
    /// The memory is the thread's, and is reset when the read has ended.
    package typealias Reading = @Sendable (Arena) -> Void

    /// How the threads stand to the others of the process where processors are scarce.
    package enum Rank: Sendable {
        case same
        /// Behind them by ``ServiceLimits/scanNiceness``.
        case behind
    }

    /// What a read is found by while it waits.
    package struct Ticket: Sendable {
        fileprivate let turn: FairTurns<UInt32, ReaderQueue.Waiting>.Ticket
    }

    private let queue: ReaderQueue

    /// - Parameters:
    ///   - threads: How many reads run at once.
    ///   - capacity: How many more may wait, at most half of them of one app; beyond it they are
    ///     refused.
    package init(
        threads: Int = Readers.coreCount, rank: Rank = .same,
        capacity: Int = RuntimeLimits.waitingReads,
        clock: @escaping @Sendable () -> UInt64 = { Deadline.clock }
    ) {
        queue = ReaderQueue(threads, rank, capacity, clock)
    }

    deinit {
        // What was taken still runs; nobody waits for it.
        queue.close()
    }

    /// Takes `reading`, or refuses it because too many wait.
    ///
    /// - Parameters:
    ///   - app: Whose turn it takes.
    ///   - handle: The call that it is for.
    /// - Returns: What it can be taken back by; nil if it was refused and never runs.
    package func submit(
        of app: UInt32, for handle: CallHandle? = nil, by deadline: Deadline? = nil,
        _ reading: @escaping Reading
    ) -> Ticket? {
        let waiting = ReaderQueue.Waiting(reading: reading, handle: handle, deadline: deadline)
        return queue.submit(waiting, of: app).map(Ticket.init)
    }

    /// Takes back a read that is not wanted any more, at a cost that does not grow with what waits.
    ///
    /// - Returns: Whether it still waited: then it never runs. Otherwise it runs, or has run.
    package func withdraw(_ ticket: Ticket) -> Bool { queue.withdraw(ticket.turn) }

    /// How many reads wait.
    package var waitingCount: Int { queue.waitingCount }

    /// Takes no more, and waits until all that was taken has run.
    package func close() {
        queue.close()
        queue.waitForThreads()
    }

    /// How far the calling thread stands back for others.
    ///
    /// Linux takes a thread for a process of its own here, and 0 for the calling one.
    static var niceness: Int32 {
        get { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
        set { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, newValue) }
    }

    /// As many threads as the machine has cores, and two where it has one: a read that waits for
    /// the disk leaves its core to another.
    package static var coreCount: Int { max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}

/// What waits for a pool's threads, and the threads, which hold it as long as they run.
private final class ReaderQueue: Sendable {
    struct Waiting {
        let reading: Readers.Reading
        let handle: CallHandle?
        let deadline: Deadline?

        func isLate(at now: UInt64) -> Bool {
            deadline.map { $0.nanoseconds <= now } ?? false
        }
    }

    private struct State {
        var waiting: FairTurns<UInt32, Waiting>
        var threads = 0
        /// Threads that wait for ``ReaderQueue/wakeUps``.
        var idle = 0
        var isClosed = false
    }

    /// What a thread does next.
    private enum Step {
        case run(Readers.Reading)
        case wait
        case end
    }

    private let maxThreads: Int
    private let rank: Readers.Rank
    /// Nanoseconds that only rise: those of deadlines.
    private let clock: @Sendable () -> UInt64
    private let state: Mutex<State>
    private let wakeUps = DispatchSemaphore(value: 0)
    private let running = DispatchGroup()

    init(
        _ threads: Int, _ rank: Readers.Rank, _ capacity: Int,
        _ clock: @escaping @Sendable () -> UInt64
    ) {
        self.rank = rank
        self.clock = clock
        maxThreads = threads
        let waiting = FairTurns<UInt32, Waiting>(
            capacity: capacity, turn: RuntimeLimits.readsPerTurn)
        state = Mutex(State(waiting: waiting))
    }

    var waitingCount: Int { state.withLock { $0.waiting.cost } }

    func submit(_ waiting: Waiting, of app: UInt32) -> FairTurns<UInt32, Waiting>.Ticket? {
        var wakes = false
        var begins = false
        let ticket = state.withLock { state -> FairTurns<UInt32, Waiting>.Ticket? in
            guard !state.isClosed, state.waiting.hasRoom(for: app) else { return nil }
            if state.idle > 0 {
                state.idle -= 1
                wakes = true
            } else if state.threads < maxThreads {
                state.threads += 1
                begins = true
            }
            return state.waiting.append(waiting, of: app, cost: 1)
        }
        if wakes { wakeUps.signal() }
        if begins { beginThread() }
        return ticket
    }

    func withdraw(_ ticket: FairTurns<UInt32, Waiting>.Ticket) -> Bool {
        // Freed out of the lock: it may be the last that holds what it would have read from.
        let waiting = state.withLock { $0.waiting.remove(ticket) }
        return waiting != nil
    }

    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = 0 }
            return state.idle
        }
        for _ in 0..<idle { wakeUps.signal() }
    }

    func waitForThreads() { running.wait() }

    // MARK: A thread

    private func beginThread() {
        running.enter()
        WorkThread.begin("readers-\(rank)") { self.serve() }
    }

    private func serve() {
        if rank == .behind { Readers.niceness += RuntimeLimits.scanNiceness }
        let arena = Arena()
        while true {
            // Of reads that do not run: too late, or their calls have ended.
            var dropped: [CallHandle] = []
            let step = next(&dropped)
            CallHandle.expire(dropped)
            switch step {
            case .run(let reading):
                reading(arena)
                arena.reset()
            case .wait: wakeUps.wait()
            case .end:
                arena.free()
                return running.leave()
            }
        }
    }

    private func next(_ dropped: inout [CallHandle]) -> Step {
        let now = clock()
        return state.withLock { state in
            let next = state.waiting.take { waiting in
                guard waiting.handle?.isOpen == false || waiting.isLate(at: now) else {
                    return false
                }
                if let handle = waiting.handle { dropped.append(handle) }
                return true
            }
            if let next { return .run(next.reading) }
            guard !state.isClosed else {
                state.threads -= 1
                return .end
            }
            state.idle += 1
            return .wait
        }
    }
}
