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
/// the loop as bytes. Apps that have reads waiting get fair turns, and a read whose call has ended
/// meanwhile, or is too late, does not run.
package final class Readers: Sendable {
    /// One read: it answers its call by the call's handle.
    ///
    /// The memory is the thread's, and is reset when the read has ended.
    package typealias Reading = @Sendable (Arena) -> Void

    private struct Waiting {
        let reading: Reading
        let handle: CallHandle?
        let deadline: Deadline?

        func isLate(at now: UInt64) -> Bool {
            deadline.map { $0.nanoseconds <= now } ?? false
        }
    }

    private struct State {
        var waiting: FairTurns<UInt32, Waiting>
        /// Threads that are at work, or have been told to begin.
        var busy = 0
        var idleArenas: [Arena] = []
        var isClosed = false
    }

    private let threads: Int
    /// Nanoseconds that only rise: those of deadlines.
    private let clock: @Sendable () -> UInt64
    private let queue: DispatchQueue
    private let state: Mutex<State>

    /// - Parameters:
    ///   - threads: How many reads run at once.
    ///   - capacity: How many more may wait, at most half of them of one app; beyond it they are
    ///     refused.
    package init(
        _ name: String, threads: Int = Readers.coreCount,
        capacity: Int = ServiceLimits.waitingReads,
        clock: @escaping @Sendable () -> UInt64 = { Deadline.clock }
    ) {
        self.threads = threads
        self.clock = clock
        let waiting = FairTurns<UInt32, Waiting>(
            capacity: capacity, turn: ServiceLimits.readsPerTurn)
        state = Mutex(State(waiting: waiting))
        queue = DispatchQueue(
            label: "relation.\(name)", qos: .userInitiated, attributes: .concurrent)
    }

    deinit {
        for arena in state.withLock({ $0.idleArenas }) { arena.free() }
    }

    /// Takes `reading`, or refuses it because too many wait.
    ///
    /// - Parameters:
    ///   - app: Whose turn it takes.
    ///   - handle: The call that it is for.
    /// - Returns: Whether it was taken; if not, it never runs.
    package func submit(
        of app: UInt32, for handle: CallHandle? = nil, by deadline: Deadline? = nil,
        _ reading: @escaping Reading
    ) -> Bool {
        let waiting = Waiting(reading: reading, handle: handle, deadline: deadline)
        let (taken, wake) = state.withLock { state in
            guard !state.isClosed, state.waiting.hasRoom(for: app) else { return (false, false) }
            state.waiting.append(waiting, of: app, cost: 1)
            guard state.busy < threads else { return (true, false) }
            state.busy += 1
            return (true, true)
        }
        if wake { queue.async { self.drain() } }
        return taken
    }

    /// Takes no more, and waits until all that was taken has run.
    package func close() {
        state.withLock { $0.isClosed = true }
        queue.sync(flags: .barrier) {}
    }

    private func drain() {
        let arena = state.withLock { $0.idleArenas.popLast() } ?? Arena()
        while true {
            let now = clock()
            // Of reads that do not run: too late, or their calls have ended.
            var dropped: [CallHandle] = []
            let next = state.withLock { state -> Reading? in
                let next = state.waiting.take { waiting in
                    guard waiting.handle?.isOpen == false || waiting.isLate(at: now) else {
                        return false
                    }
                    if let handle = waiting.handle { dropped.append(handle) }
                    return true
                }
                if let next { return next.reading }
                state.busy -= 1
                state.idleArenas.append(arena)
                return nil
            }
            CallHandle.expire(dropped)
            guard let next else { return }
            next(arena)
            arena.reset()
        }
    }

    /// As many threads as the machine has cores, and two where it has one: a read that waits for
    /// the disk leaves its core to another.
    package static var coreCount: Int { max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
