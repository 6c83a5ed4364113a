import Dispatch
import Glibc
package import Protobuf
import Synchronization

/// The threads for reads that would make a loop wait: those that scan, and those whose rows are not
/// in memory.
///
/// A loop answers thousands of calls a turn; one that waits for the disk makes them all wait. So
/// such a read goes here, is decoded again in this thread's memory, and its answer comes back to
/// the loop as bytes.
package final class Readers: Sendable {
    /// One read: it answers its call by the call's handle.
    ///
    /// The memory is the thread's, and is reset when the read has ended.
    package typealias Reading = @Sendable (Arena) -> Void

    private struct State {
        var waiting: [Reading] = []
        /// Threads that are at work, or have been told to begin.
        var busy = 0
        var idleArenas: [Arena] = []
        var isClosed = false
    }

    private let threads: Int
    private let capacity: Int
    private let queue: DispatchQueue
    private let state = Mutex(State())

    /// - Parameters:
    ///   - threads: How many reads run at once.
    ///   - capacity: How many more may wait; beyond it they are refused.
    package init(
        _ name: String, threads: Int = Readers.coreCount,
        capacity: Int = ServiceLimits.waitingReads
    ) {
        self.threads = threads
        self.capacity = capacity
        queue = DispatchQueue(
            label: "relation.\(name)", qos: .userInitiated, attributes: .concurrent)
    }

    deinit {
        for arena in state.withLock({ $0.idleArenas }) { arena.free() }
    }

    /// Takes `reading`, or refuses it because too many wait.
    ///
    /// - Returns: Whether it was taken; if not, it never runs.
    package func submit(_ reading: @escaping Reading) -> Bool {
        let (taken, wake) = state.withLock { state in
            guard !state.isClosed, state.waiting.count < capacity else { return (false, false) }
            state.waiting.append(reading)
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
            let next = state.withLock { state -> Reading? in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.busy -= 1
                state.idleArenas.append(arena)
                return nil
            }
            guard let next else { return }
            next(arena)
            arena.reset()
        }
    }

    /// As many threads as the machine has cores, and two where it has one: a read that waits for
    /// the disk leaves its core to another.
    package static var coreCount: Int { max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
