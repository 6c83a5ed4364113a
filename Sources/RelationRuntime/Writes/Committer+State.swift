import GRPC
import RPC

extension Committer {
    /// All that waits, and the transactions under way.
    struct State {
        var queue = FairQueue<WorkOwner, any Job>(
            capacity: RuntimeLimits.waitingOperations, quantum: RuntimeLimits.operationsPerQuantum)
        var pace = Pace()
        /// The number of operations that the next transaction takes.
        ///
        /// The keys of an operation that it has no time for were read in vain. So it takes about as
        /// many as the last one had time for.
        var most = RuntimeLimits.operationsPerCommit
        /// The most that it may take.
        var room = CommitRoom()
        /// The operations of the transaction under way.
        var committing = 0
        var background: [any BackgroundWork] = []
        /// Whether a piece of it is under way.
        var isInBackground = false
        /// The transactions of `queue` since the last one of `background`.
        var commitsAhead = 0
        /// Whether the thread has been woken to drain `queue`.
        var isAwake = false
        var refused: UInt64 = 0
        /// The apps that wait beside the others.
        var held: HeldApps
    }

    /// The next piece of work of the main worker.
    enum NextWork {
        case nothing
        case batch(Batch)
        case background(any BackgroundWork)
    }

    /// The jobs of one transaction.
    struct Batch {
        var jobs: [any Job] = []
        var cost = 0
        /// The operations for which it has time.
        var room = RuntimeLimits.operationsPerCommit
        /// The calls that ended, or whose deadline passed, before they were taken.
        var dropped: [CallHandle] = []
        /// Whether more jobs waited than it took.
        var leavesWork = false
        /// Whether the call of any of the jobs is traced.
        var isTraced = false
        /// The app that is held, if it is the batch of one; nil for the main worker's batch.
        var app: UInt32?
        /// Whether another server had the lock of that app, or the commit failed.
        var hasWaited = false
        /// The jobs that were not run, because another server has a lock that they need.
        var held: [any Job] = []
    }
}

extension Committer.State {
    /// Whether a job may wait: there is room for it, and it would be answered in time.
    func admits(
        _ owner: WorkOwner, cost: Int, by deadline: Deadline?, _ clock: () -> UInt64
    ) -> Bool {
        if held.contains(owner.app) { return held.hasRoom(for: owner, beside: queue.cost) }
        guard queue.hasRoom(for: owner, beside: held.cost) else { return false }
        guard let deadline, let pace = pace.nanosecondsPerOperation else { return true }
        let now = clock()
        let end = deadline.nanoseconds
        let most = end > now ? Double(end - now) * RuntimeLimits.waitingShare / pace : 0
        // Often everything that waits fits, and the rounds of the owners need not be counted.
        let own = Double(committing + cost)
        if own + Double(queue.cost) <= most { return true }
        return own + Double(queue.costAhead(of: owner, cost: cost)) <= most
    }

    /// The next piece of work of the main worker, which sleeps if there is none.
    mutating func takeNextWork(at now: UInt64) -> Committer.NextWork {
        if !background.isEmpty, !isInBackground {
            if queue.isEmpty || commitsAhead >= RuntimeLimits.commitsAheadOfMaintenance {
                commitsAhead = 0
                isInBackground = true
                return .background(background.removeFirst())
            }
            commitsAhead += 1
        }
        isAwake = !queue.isEmpty
        return isAwake ? .batch(takeBatch(at: now)) : .nothing
    }

    /// Ends a piece of work in the background.
    ///
    /// - Returns: Whether the main worker is to be woken.
    mutating func endedBackground() -> Bool {
        isInBackground = false
        guard !background.isEmpty, !isAwake else { return false }
        isAwake = true
        return true
    }

    /// Ends a batch of which the first jobs have been committed.
    ///
    /// There was no time for the others, and they wait again.
    ///
    /// - Returns: Whether writes may have to be refused.
    mutating func ended(
        _ batch: Committer.Batch, _ outcome: Committer.Outcome, at now: UInt64
    ) -> Bool {
        let rest = batch.jobs[outcome.count...]
        let cost = batch.cost - rest.reduce(0) { $0 + $1.cost }
        if let waited = outcome.waited { room.committed(waiting: waited) }
        if !rest.isEmpty {
            most = cost
        } else if cost >= most {
            most += most / 4 + 1
        }
        most = min(most, room.operations)
        requeue(rest)
        committing = 0
        pace.end(cost, at: now, leavesWork: batch.leavesWork || !rest.isEmpty)
        return pace.nanosecondsPerOperation != nil
    }

    /// The next batch of a worker for held apps; nil if no app waits for one.
    mutating func takeBatch(of worker: Int, at now: UInt64) -> Committer.Batch? {
        var batch = Committer.Batch()
        let app = held.takeNext(of: worker) { queue in
            Self.fill(&batch, from: &queue, most: room.operations, at: now)
            return batch.cost
        }
        batch.app = app
        batch.room = room.operations
        return app == nil ? nil : batch
    }

    /// Ends a batch of a held app, of which the first jobs have been committed.
    ///
    /// - Returns: Whether the main worker is to be woken.
    mutating func ended(_ batch: Committer.Batch, _ outcome: Committer.Outcome) -> Bool {
        guard let app = batch.app else { return false }
        if let waited = outcome.waited { room.committed(waiting: waited) }
        let back = held.ended(
            app, rest: batch.jobs[outcome.count...], hasWaited: batch.hasWaited)
        guard !back.isEmpty else { return false }
        for job in back { queue.append(job, of: job.owner, cost: job.cost) }
        defer { isAwake = true }
        return !isAwake
    }

    /// Lets jobs wait whose locks another server has, with all other jobs of their apps after them.
    mutating func park(_ jobs: [any Job]) {
        var new: [UInt32] = []
        for job in jobs {
            if held.park(job.owner.app) { new.append(job.owner.app) }
            held.append(job, cost: job.cost)
        }
        for app in new {
            for isImport in [false, true] {
                for job in queue.dequeueAll(of: WorkOwner(app: app, isImport: isImport)) {
                    held.append(job, cost: job.cost)
                }
            }
        }
    }

    /// Takes the jobs from number `first` on out of `batch`, and lets them wait again.
    mutating func requeue(_ batch: inout Committer.Batch, from first: Int) {
        let rest = batch.jobs[first...]
        batch.cost -= rest.reduce(0) { $0 + $1.cost }
        if let app = batch.app {
            held.fill(app) { queue in
                for job in rest.reversed() {
                    queue.requeue(job, of: job.owner, cost: job.cost)
                }
                return batch.cost
            }
        } else {
            committing = batch.cost
            requeue(rest)
        }
        batch.jobs.removeSubrange(first...)
    }

    private mutating func requeue(_ jobs: ArraySlice<any Job>) {
        for job in jobs.reversed() { queue.requeue(job, of: job.owner, cost: job.cost) }
    }

    /// Takes the next jobs that fit into one transaction; at least one if any is still wanted.
    private mutating func takeBatch(at now: UInt64) -> Committer.Batch {
        var batch = Committer.Batch()
        batch.room = room.operations
        fill(&batch, at: now) { _ in true }
        batch.leavesWork = !queue.isEmpty
        pace.begin(at: now)
        return batch
    }

    /// Adds the next jobs to `batch`, as long as there is room for them and they fit.
    mutating func fill(
        _ batch: inout Committer.Batch, at now: UInt64, if fits: (any Job) -> Bool
    ) {
        if let app = batch.app {
            let most = batch.room
            held.fill(app) { queue in
                Self.fill(&batch, from: &queue, most: most, at: now, if: fits)
                return batch.cost
            }
            return
        }
        Self.fill(&batch, from: &queue, most: most, at: now, if: fits)
        committing = batch.cost
    }

    private static func fill(
        _ batch: inout Committer.Batch, from queue: inout FairQueue<WorkOwner, any Job>,
        most: Int, at now: UInt64, if fits: (any Job) -> Bool = { _ in true }
    ) {
        while let job = queue.dequeue(
            atMost: batch.jobs.isEmpty ? .max : CommitRoom.left(beside: batch.cost, of: most),
            unless: { job in
                let isLate = job.deadline.map { $0.nanoseconds <= now } ?? false
                guard isLate || !job.handle.isOpen else { return false }
                batch.dropped.append(job.handle)
                return true
            }, if: fits)
        {
            batch.jobs.append(job)
            batch.cost += job.cost
        }
    }
}
