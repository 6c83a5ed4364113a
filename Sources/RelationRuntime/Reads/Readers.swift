import Dispatch
package import GRPC
import Glibc
package import Memory
import Meters
import Protobuf
package import RPC
import Synchronization

/// The threads for work that would make a loop wait: reads that scan, reads that name many items,
/// reads whose rows are not in memory, and long requests.
///
/// A loop answers thousands of calls in one iteration, and one read that waits for the disk would
/// delay them all. So the loop hands such a read to a thread here. The thread decodes the request
/// again in its own memory, and returns the answer to the loop as bytes. Apps with waiting reads
/// are served fairly. A read does not run if its call has ended or its deadline has passed. A
/// caller that no longer wants a read takes it back.
///
/// The threads belong to this pool, because each thread has its own rank, and a process without
/// privileges cannot raise a rank that it has lowered.
package final class Readers: Sendable {
    /// One read, which answers its call through the call's handle.
    ///
    /// The memory belongs to the thread, and is reset when the read has ended.
    package typealias Reading = @Sendable (Arena) -> Void

    /// The rank of the threads beside the others of the process when processors are scarce.
    package enum Rank: Sendable {
        case same
        /// Behind them by ``RuntimeLimits/longReadNiceness``.
        case aside
        /// Behind them by ``RuntimeLimits/scanNiceness``.
        case low

        /// How much is added to the niceness of the thread that made the pool.
        var niceness: Int32 {
            switch self {
            case .same: 0
            case .aside: RuntimeLimits.longReadNiceness
            case .low: RuntimeLimits.scanNiceness
            }
        }
    }

    /// Finds a read while it waits.
    package struct Ticket: Sendable {
        fileprivate let inQueue: FairQueue<UInt32, ReaderQueue.Waiting>.Ticket
    }

    private let queue: ReaderQueue

    /// - Parameters:
    ///   - threads: How many reads run at once; with 0, ``runWaiting(in:)`` runs them.
    ///   - capacity: How many more may wait, at most half of them of one app; beyond this bound a
    ///     read is refused.
    package init(
        threads: Int = Readers.threadCount, rank: Rank = .same,
        capacity: Int = RuntimeLimits.waitingReads,
        clock: @escaping @Sendable () -> UInt64 = { Deadline.clock }
    ) {
        queue = ReaderQueue(threads, rank, capacity, clock)
    }

    deinit {
        // Reads that were taken still run, and the pool does not wait for them.
        queue.close()
    }

    /// Takes `reading`, or refuses it because too many wait.
    ///
    /// - Parameters:
    ///   - app: The app that the read is queued for.
    ///   - handle: The call that it is for.
    /// - Returns: The ticket that takes it back; nil if it was refused and never runs.
    package func submit(
        of app: UInt32, for handle: CallHandle? = nil, by deadline: Deadline? = nil,
        _ reading: @escaping Reading
    ) -> Ticket? {
        let waiting = ReaderQueue.Waiting(
            reading: reading, handle: handle, deadline: deadline, since: queue.clock())
        return queue.submit(waiting, of: app).map(Ticket.init)
    }

    /// Takes back a read that is no longer wanted, at a cost that does not grow with the queue.
    ///
    /// - Returns: Whether it still waited. If so it never runs; otherwise it runs, or has run.
    package func withdraw(_ ticket: Ticket) -> Bool { queue.withdraw(ticket.inQueue) }

    /// The number of reads that wait.
    package var waitingCount: Int { queue.waitingCount }

    /// The counts so far.
    package func reading() -> ReaderReading { queue.reading() }

    /// Runs all reads that wait on the calling thread, for a pool without threads.
    ///
    /// - Parameter arena: The memory of the reads, which is reset after each of them.
    package func runWaiting(in arena: Arena) { queue.runWaiting(in: arena) }

    /// Runs the next read that waits on the calling thread, for a pool without threads.
    ///
    /// - Parameter arena: The memory of the read, which is reset after it.
    package func runNext(in arena: Arena) { queue.runNext(in: arena) }

    /// Takes no more reads, and waits until all reads that were taken have run.
    package func close() {
        queue.close()
        queue.waitForThreads()
    }

    /// The niceness of the calling thread.
    ///
    /// For these calls Linux treats a thread as a process of its own, and 0 names the calling one.
    static var niceness: Int32 {
        get { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
        set { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, newValue) }
    }

    /// As many threads as the process may use processors, and at least two: a read that waits for
    /// the disk leaves its processor to another.
    package static var threadCount: Int { max(2, ServerConfiguration.processorCount) }
}

/// The queue of a pool and its threads, which keep it alive as long as they run.
private final class ReaderQueue: Sendable {
    /// A read that waits for a thread.
    struct Waiting {
        let reading: Readers.Reading
        let handle: CallHandle?
        let deadline: Deadline?
        /// When it came.
        let since: UInt64

        func isLate(at now: UInt64) -> Bool {
            deadline.map { $0.nanoseconds <= now } ?? false
        }
    }

    private struct State {
        var waiting: FairQueue<UInt32, Waiting>
        var threads = 0
        /// Threads that wait for ``ReaderQueue/wakeUps``.
        var idle = 0
        var isClosed = false
        var submitted: UInt64 = 0
        var refused: UInt64 = 0
        var dropped: UInt64 = 0
    }

    /// The next step of a thread.
    private enum Step {
        case run(Readers.Reading, at: UInt64)
        case wait
        case end
    }

    private let maxThreads: Int
    private let rank: Readers.Rank
    /// A clock in nanoseconds that never goes back, the same as for deadlines.
    let clock: @Sendable () -> UInt64
    private let state: Mutex<State>
    /// Changed by whoever holds the lock of ``state``.
    private let waits = MeterHistogram(.latency)
    private let lengths = MeterHistogram(.latency)
    private let wakeUps = DispatchSemaphore(value: 0)
    private let running = DispatchGroup()

    init(
        _ threads: Int, _ rank: Readers.Rank, _ capacity: Int,
        _ clock: @escaping @Sendable () -> UInt64
    ) {
        self.rank = rank
        self.clock = clock
        maxThreads = threads
        let waiting = FairQueue<UInt32, Waiting>(
            capacity: capacity, quantum: RuntimeLimits.readsPerQuantum)
        state = Mutex(State(waiting: waiting))
    }

    var waitingCount: Int { state.withLock { $0.waiting.cost } }

    func reading() -> ReaderReading {
        var reading = state.withLock { state in
            ReaderReading(
                waiting: state.waiting.cost, threads: state.threads, submitted: state.submitted,
                refused: state.refused, dropped: state.dropped)
        }
        reading.waits = waits.reading
        reading.lengths = lengths.reading
        return reading
    }

    func submit(_ waiting: Waiting, of app: UInt32) -> FairQueue<UInt32, Waiting>.Ticket? {
        var wakes = false
        var begins = false
        let ticket = state.withLock { state -> FairQueue<UInt32, Waiting>.Ticket? in
            guard !state.isClosed, state.waiting.hasRoom(for: app) else {
                state.refused += 1
                return nil
            }
            state.submitted += 1
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

    func withdraw(_ ticket: FairQueue<UInt32, Waiting>.Ticket) -> Bool {
        // Freed outside the lock: it may be the last owner of the snapshot that it would have read.
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
        WorkThread.begin("readers-\(rank)", kind: "readers") { self.serve() }
    }

    func runWaiting(in arena: Arena) {
        while waitingCount > 0 { runNext(in: arena) }
    }

    func runNext(in arena: Arena) {
        precondition(maxThreads == 0, "the threads run the reads")
        var dropped: [CallHandle] = []
        let reading = state.withLock { dequeue(&$0, at: clock(), &dropped) }
        CallHandle.expire(dropped)
        reading?(arena)
        arena.reset()
    }

    private func serve() {
        if rank != .same { Readers.niceness += rank.niceness }
        let arena = Arena()
        var began: UInt64?
        while true {
            // The calls of reads that do not run: those are too late, or have ended.
            var dropped: [CallHandle] = []
            let step = next(&dropped, after: began)
            began = nil
            CallHandle.expire(dropped)
            switch step {
            case .run(let reading, let time):
                began = time
                reading(arena)
                arena.reset()
            case .wait: wakeUps.wait()
            case .end:
                arena.free()
                return running.leave()
            }
        }
    }

    /// - Parameter began: When the read began that has just ended.
    private func next(_ dropped: inout [CallHandle], after began: UInt64?) -> Step {
        let now = clock()
        return state.withLock { state in
            if let began { lengths.record(now > began ? now - began : 0) }
            if let reading = dequeue(&state, at: now, &dropped) { return .run(reading, at: now) }
            guard !state.isClosed else {
                state.threads -= 1
                return .end
            }
            state.idle += 1
            return .wait
        }
    }

    /// Takes the next read that is still wanted.
    private func dequeue(
        _ state: inout State, at now: UInt64, _ dropped: inout [CallHandle]
    ) -> Readers.Reading? {
        var count: UInt64 = 0
        let taken = state.waiting.dequeue { waiting in
            guard waiting.handle?.isOpen == false || waiting.isLate(at: now) else { return false }
            if let handle = waiting.handle { dropped.append(handle) }
            count += 1
            return true
        }
        state.dropped += count
        guard let taken else { return nil }
        taken.handle?.begins(at: now)
        waits.record(now > taken.since ? now - taken.since : 0)
        return taken.reading
    }
}
