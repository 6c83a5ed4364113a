import Synchronization

/// The processor time of the threads of each kind, from one reading of the system to the next.
///
/// The system forgets a thread that ends, and its time goes into that of the process. So the time
/// that it had at the last reading stays with its kind. The time that it used after that counts
/// among the others, and so does a thread that no reading has seen. No time ever falls.
final class ThreadTimes: Sendable {
    /// The kind of threads that have no other.
    static let otherKind = "other"
    /// The times of this process, whoever reads.
    static let ofProcess = ThreadTimes()

    struct Kind: Equatable {
        let name: String
        var threads = 0
        var ticks = 0
    }

    /// A thread at the last reading; ids are given out again, and then the start differs.
    fileprivate struct Thread {
        let start: Int
        let kind: String
        var ticks: Int
    }

    fileprivate struct State {
        var threads: [String: Thread] = [:]
        /// The ticks of the threads of each kind that have ended.
        var ended: [String: Int] = [:]
        /// The ticks that were reported last.
        var reported: [String: Int] = [:]
    }

    private let state = Mutex(State())

    /// Takes what a reading has found.
    ///
    /// - Parameter allTicks: The ticks of the process, read after those of its threads.
    /// - Returns: The kinds that ever had a thread, in the order of their names.
    func add(_ found: [(id: String, stat: ProcessReading.Stat)], allTicks: Int) -> [Kind] {
        state.withLock { state in
            var running: [String: Thread] = [:]
            for (id, stat) in found {
                running[id] = Thread(
                    start: stat.start, kind: ProcessReading.kind(of: stat.name), ticks: stat.ticks)
            }
            for (id, thread) in state.threads where running[id]?.start != thread.start {
                state.ended[thread.kind, default: 0] += thread.ticks
            }
            state.threads = running
            return state.kinds(allTicks)
        }
    }
}

extension ThreadTimes.State {
    fileprivate mutating func kinds(_ allTicks: Int) -> [ThreadTimes.Kind] {
        var kinds: [String: ThreadTimes.Kind] = [:]
        for (name, ticks) in ended {
            kinds[name, default: ThreadTimes.Kind(name: name)].ticks += ticks
        }
        for thread in threads.values {
            kinds[thread.kind, default: ThreadTimes.Kind(name: thread.kind)].ticks += thread.ticks
            kinds[thread.kind]?.threads += 1
        }
        let other = ThreadTimes.otherKind
        let known = kinds.values.reduce(0) { $0 + ($1.name == other ? 0 : $1.ticks) }
        kinds[other, default: ThreadTimes.Kind(name: other)].ticks = max(0, allTicks - known)
        return kinds.values.sorted { $0.name < $1.name }.map { kind in
            var kind = kind
            // A thread gets its name after it began, and the system rounds each time by itself.
            kind.ticks = max(kind.ticks, reported[kind.name] ?? 0)
            reported[kind.name] = kind.ticks
            return kind
        }
    }
}
