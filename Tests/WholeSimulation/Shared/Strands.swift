import Glibc
import Support

/// Threads of a simulation that may wait, of which one runs at a time.
///
/// One baton passes between them and the thread of the scheduler. Work that is run gets it, and
/// gives it back when it has ended, or when it waits. One that waits says until when, and for what.
/// The scheduler goes on meanwhile, and wakes it by the virtual clock, in an order that the seed
/// draws. So code that waits on threads runs as it is, and no two runs differ.
///
/// `@unchecked Sendable`: only the one with the baton touches anything.
final class Strands: @unchecked Sendable {
    /// A thread.
    fileprivate final class Strand: @unchecked Sendable {
        let baton = SteadySemaphore(value: 0)
        /// Its work; nil to end.
        var work: (() -> Void)?
        /// The process to which its work belongs, and the number of its thread there.
        var owner: (process: ProcessTime, thread: Int)?
        var isIdle = false
        var thread = pthread_t()
    }

    /// A strand that waits.
    private final class Parked {
        let strand: Strand
        let process: ProcessTime
        let thread: Int
        /// Whether it waits no more; nil when it has gone on.
        var isOver: (() -> Bool)?
        /// Whether it goes on soon.
        var isWaking = false

        init(_ strand: Strand, _ process: ProcessTime, _ thread: Int) {
            (self.strand, self.process, self.thread) = (strand, process, thread)
        }
    }

    private let world: SimulatedWorld
    private let back = SteadySemaphore(value: 0)
    private var all: [Strand] = []
    private var idle: [Strand] = []
    private var running: Strand?
    /// The strands that wait, in the order in which they began to.
    private var parked: [Parked] = []
    /// Whether something has changed for which one may wait.
    private var hasChanged = false

    init(in world: SimulatedWorld) { self.world = world }

    /// Whether the caller is not the scheduler's thread.
    var isInside: Bool { running != nil }

    /// How many strands there are.
    var count: Int { all.count }

    /// Runs `work` on a strand, and returns when it has ended, or waits.
    ///
    /// - Parameter thread: The number of the process's thread that it stands for.
    func run(for process: ProcessTime, thread: Int, _ work: @escaping () -> Void) {
        precondition(running == nil, "a strand runs another one")
        let strand = idle.popLast() ?? begin()
        strand.work = work
        strand.owner = (process, thread)
        resume(strand)
    }

    private func resume(_ strand: Strand) {
        running = strand
        strand.isIdle = false
        strand.baton.signal()
        back.wait()
        running = nil
        if strand.isIdle { idle.append(strand) }
    }

    /// Lets the others go on until `time`, or until `isOver`, on a strand.
    func wait(until time: UInt64, or isOver: () -> Bool) {
        guard let strand = running, let (process, thread) = strand.owner else {
            preconditionFailure("the thread of the scheduler may not wait")
        }
        guard !process.hasEnded, time > world.now, !isOver() else { return }
        withoutActuallyEscaping(isOver) { isOver in
            let parked = Parked(strand, process, thread)
            parked.isOver = isOver
            self.parked.append(parked)
            if time < .max {
                world.scheduler.at(time) { [weak self, weak parked] in
                    guard let self, let parked, parked.isOver != nil, !parked.isWaking else {
                        return
                    }
                    self.wake(parked)
                }
            }
            back.signal()
            strand.baton.wait()
            parked.isOver = nil
        }
    }

    /// Something has changed for which one may wait.
    func changed() { hasChanged = true }

    /// Wakes those whose wait is over.
    func check() {
        while hasChanged {
            hasChanged = false
            for one in parked where !one.isWaking && one.process.asleepUntil <= world.now {
                guard one.isOver?() ?? false else { continue }
                one.isWaking = true
                world.scheduler.at(one.process.turnTime()) { [weak self, weak one] in
                    guard let self, let one, one.isOver != nil else { return }
                    self.wake(one)
                }
            }
        }
    }

    private func wake(_ one: Parked) {
        one.isWaking = true
        let still = max(one.process.asleepUntil, one.process.stalledUntil[one.thread] ?? 0)
        guard still <= world.now || one.process.hasEnded else {
            return world.scheduler.at(still) { [weak self, weak one] in
                guard let self, let one, one.isOver != nil else { return }
                self.wake(one)
            }
        }
        resume(one)
    }

    private func resume(_ one: Parked) {
        parked.removeAll { $0 === one }
        world.note(turnOf: one.process.number, thread: one.thread)
        one.process.handsOver()
        resume(one.strand)
    }

    /// Lets all that a process has begun come to its end, after it has died.
    func unwind(_ process: ProcessTime) {
        precondition(process.hasEnded && running == nil)
        while let one = parked.first(where: { $0.process === process }) { resume(one) }
    }

    // MARK: Threads

    private func begin() -> Strand {
        let strand = Strand()
        all.append(strand)
        // The thread takes this reference over; it is never begun with another.
        let raw = Unmanaged.passRetained(Pair(strand, back)).toOpaque()
        let code = pthread_create(
            &strand.thread, nil,
            { raw in
                guard let raw else { return nil }
                // `raw` is the reference that was retained above, for this thread alone.
                Unmanaged<Pair>.fromOpaque(raw).takeRetainedValue().serve()
                return nil
            }, raw)
        precondition(code == 0, "the system has no thread for a simulation: error \(code)")
        return strand
    }

    /// Ends all threads; none of them waits for anything.
    func end() {
        precondition(parked.isEmpty && running == nil, "a strand waits")
        for strand in all {
            strand.work = nil
            strand.baton.signal()
            pthread_join(strand.thread, nil)
        }
        (all, idle) = ([], [])
    }

    /// A strand, and the way to give the baton back.
    private final class Pair {
        let strand: Strand
        let back: SteadySemaphore

        init(_ strand: Strand, _ back: SteadySemaphore) {
            (self.strand, self.back) = (strand, back)
        }

        func serve() {
            while true {
                strand.baton.wait()
                guard let work = strand.work else { return }
                work()
                (strand.work, strand.owner, strand.isIdle) = (nil, nil, true)
                back.signal()
            }
        }
    }
}
