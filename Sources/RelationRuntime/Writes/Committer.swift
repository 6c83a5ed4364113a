package import GRPC
import Glibc
package import RelationAdmission
package import RelationCore
package import Storage
import Synchronization

/// One operation on its way through the committer.
///
/// Made on a loop, run on the committer's thread, finished on its loop; never in two places at
/// once, which is what makes a job safe to hand over.
package protocol Job: AnyObject, Sendable {
    /// Whose turn it takes.
    var owner: WorkOwner { get }

    /// How many operations it counts as.
    var cost: Int { get }

    /// How many writes its callers would miss: a call is one, whatever it costs.
    var writes: Int { get }

    /// When nobody waits for the answer any more.
    var deadline: Deadline? { get }

    /// Adds the keys that ``run(in:)`` reads, so that a batch's keys are read together.
    func addKeys(to keys: inout KeyList)

    /// Changes the transaction and keeps the answer.
    ///
    /// - Throws: ``StorageError``; whatever it changed is then undone.
    func run(in transaction: any WriteTransaction) throws(StorageError)

    /// Replaces the answer: the transaction failed, or this operation in it.
    func fail(_ error: StorageError)

    /// The call that waits for the answer.
    var handle: CallHandle { get }

    /// Sends the answer, on the call's loop.
    func finish(_ call: ServerCall)
}

extension Job {
    package var writes: Int { 1 }
}

/// Whose turns a piece of work takes.
package struct WorkOwner: Hashable, Sendable {
    package let app: UInt32
    /// Whether it is part of an import.
    ///
    /// Imports have turns of their own beside those of their app's calls, so that neither waits for
    /// all that the other has brought.
    package let isImport: Bool

    package init(app: UInt32, isImport: Bool = false) {
        self.app = app
        self.isImport = isImport
    }
}

/// Work that nobody waits for: it is done when no operation waits, and now and then when they
/// always do.
package protocol BackgroundWork: AnyObject, Sendable {
    /// Changes the transaction, which is its own.
    func run(in transaction: any WriteTransaction) throws(StorageError)

    /// Learns that the change is durable, or why it is not; runs on the committer's thread.
    func finish(_ error: StorageError?)
}

/// The only writer: it takes the operations that have gathered, runs them one after another in one
/// transaction, makes that durable once, and answers them all.
///
/// It never waits for company. While one batch is being synced the next one gathers, so batches
/// grow with the load and a lone write waits for nobody. Its thread sleeps when there is nothing to
/// commit.
///
/// Under more load than there is room for, apps take turns, what would be answered too late is
/// refused before anything is done for it, and what nobody waits for any more is left out.
package final class Committer: Sendable {
    private let store: any Store
    private let apps: Apps
    /// The names that reads sort by, which every commit keeps exact.
    package let names = NameCache()
    /// Who learns of every event that was committed.
    private let listener: (any CommitListener)?
    /// Nanoseconds that only rise: those of deadlines.
    private let clock: @Sendable () -> UInt64
    /// Nanoseconds for which the thread that asks has run.
    private let workClock: @Sendable () -> UInt64
    private let thread = WorkThread("committer")
    private let state = Mutex(State())
    /// Whether a write may have to be refused: as long as that is false nobody asks.
    private let isPressed = Atomic(false)

    fileprivate struct State {
        var turns = FairTurns<WorkOwner, any Job>(
            capacity: RuntimeLimits.waitingOperations, turn: RuntimeLimits.operationsPerTurn)
        var pace = Pace()
        /// Operations that the next transaction takes.
        ///
        /// What it takes and has no time for was read in vain: so it takes about as many as the
        /// last one had time for.
        var most = RuntimeLimits.operationsPerCommit
        /// Operations of the transaction that is under way.
        var committing = 0
        var background: [any BackgroundWork] = []
        /// Transactions of `turns` since the last of `background`.
        var commitsAhead = 0
        /// Whether the queue has been told to drain `turns`.
        var isAwake = false
    }

    /// - Parameters:
    ///   - apps: What the committed writes make of apps.
    ///   - listener: Learns what was committed; nil if nothing follows changes.
    package init(
        store: any Store, apps: Apps = Apps([]), listener: (any CommitListener)? = nil,
        clock: @escaping @Sendable () -> UInt64 = { Deadline.clock },
        workClock: @escaping @Sendable () -> UInt64 = { Committer.threadNanoseconds }
    ) {
        self.store = store
        self.apps = apps
        self.listener = listener
        self.clock = clock
        self.workClock = workClock
    }

    /// Whether a write of one operation would be taken now.
    ///
    /// To be asked before work is done for one: while there is no pressure it costs nothing.
    package func wouldTake(_ owner: WorkOwner, by deadline: Deadline?) -> Bool {
        guard isPressed.load(ordering: .relaxed) else { return true }
        return state.withLock { $0.admits(owner, cost: 1, by: deadline, clock) }
    }

    /// Takes `job`, or refuses it: too many wait, or so many go before it that its caller would
    /// not wait for the answer.
    ///
    /// - Returns: Whether the job was taken; if not, nothing of it happens.
    package func submit(_ job: any Job) -> Bool {
        let (owner, cost) = (job.owner, job.cost)
        let (taken, wake) = state.withLock { state in
            guard state.admits(owner, cost: cost, by: job.deadline, clock) else {
                isPressed.store(true, ordering: .relaxed)
                return (false, false)
            }
            state.turns.append(job, of: owner, cost: cost)
            defer { state.isAwake = true }
            return (true, !state.isAwake)
        }
        if wake { thread.run { self.drain() } }
        return taken
    }

    /// Takes work that nobody waits for.
    package func submit(background work: any BackgroundWork) {
        let wake = state.withLock { state in
            state.background.append(work)
            defer { state.isAwake = true }
            return !state.isAwake
        }
        if wake { thread.run { self.drain() } }
    }

    /// Waits until everything submitted so far is committed.
    package func close() {
        thread.wait()
    }

    private func drain() {
        while true {
            let now = clock()
            switch state.withLock({ $0.takeTurn(at: now) }) {
            case .nothing: return
            case .background(let work): commit(work)
            case .batch(let batch):
                CallHandle.expire(batch.dropped)
                let (count, isToTell) = batch.jobs.isEmpty ? (0, false) : commit(batch.jobs)
                let done = batch.jobs[..<count]
                let end = clock()
                let presses = state.withLock { $0.ended(batch, count, at: end) }
                isPressed.store(presses, ordering: .relaxed)
                var work = LoopWork()
                CallHandle.resume(done.map(\.handle), in: &work) { number, call in
                    done[number].finish(call)
                }
                if isToTell, let listener {
                    listener.deliver(with: work)
                } else {
                    work.post()
                }
            }
        }
    }

    fileprivate enum Turn {
        case nothing
        case batch(Batch)
        case background(any BackgroundWork)
    }

    fileprivate struct Batch {
        var jobs: [any Job] = []
        var cost = 0
        /// Calls that ended, or whose deadline passed, before their turn came.
        var dropped: [CallHandle] = []
        /// Whether more waited than it took.
        var leavesWork = false
    }

    private func commit(_ work: any BackgroundWork) {
        do throws(StorageError) {
            let events = try store.write(touching: []) {
                (transaction) throws(StorageError) -> [EventRow] in
                apps.discard()
                let watched = WatchedTransaction(transaction)
                try work.run(in: watched)
                names.willCommit(watched.touched, in: transaction)
                return watched.events
            }
            if didCommit(events) { listener?.deliver(with: LoopWork()) }
            work.finish(nil)
        } catch {
            names.didCommit(false)
            apps.discard()
            work.finish(error)
        }
    }

    /// Commits the first jobs of `batch`: as many as there is time for, at least one.
    ///
    /// - Returns: How many were run, and whether what they changed is to be told.
    private func commit(_ batch: [any Job]) -> (count: Int, isToTell: Bool) {
        var keys = KeyList()
        for job in batch { job.addKeys(to: &keys) }
        var count = 0
        do throws(StorageError) {
            let partitions = store.isLocal ? [] : keys.partitions
            let events = try store.write(touching: partitions) {
                (transaction) throws(StorageError) -> [EventRow] in
                apps.discard()
                // Whoever needs what cannot be read finds that out for itself, and nobody else.
                try? transaction.prefetch(keys)
                count = 0
                let end = clock() + RuntimeLimits.longestNanosecondsPerCommit
                let endOfWork = workClock() + RuntimeLimits.nanosecondsPerCommit
                let watched = WatchedTransaction(transaction)
                repeat {
                    Self.run(batch[count], in: watched)
                    count += 1
                } while count < batch.count && workClock() < endOfWork && clock() < end
                names.willCommit(watched.touched, in: transaction)
                return watched.events
            }
            return (count, didCommit(events))
        } catch {
            // Nothing was written, so the batch fails as a whole. Or nobody knows, and then what
            // the engine was not given waits again and finds the store stopped.
            let failed = error.code == .outcomeUnknown ? count : batch.count
            names.didCommit(false)
            apps.discard()
            for job in batch[..<failed] { job.fail(error) }
            return (failed, false)
        }
    }

    /// For how long the present thread has had a processor.
    package static var threadNanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Publishes a commit, before anybody is answered.
    ///
    /// - Returns: Whether the changes are to be delivered.
    private func didCommit(_ events: [EventRow]) -> Bool {
        names.didCommit(true)
        apps.publish()
        return listener?.committed(events) ?? false
    }

    /// Runs one job so that its failure hurts no other.
    private static func run(_ job: any Job, in transaction: any WriteTransaction) {
        let savepoint = transaction.savepoint()
        do throws(StorageError) {
            try job.run(in: transaction)
            transaction.endWrites(job.writes)
        } catch {
            transaction.rollback(to: savepoint)
            job.fail(error)
        }
    }
}

extension Committer.State {
    /// Whether a job may wait: there is room for it, and it would be answered in time.
    fileprivate func admits(
        _ owner: WorkOwner, cost: Int, by deadline: Deadline?, _ clock: () -> UInt64
    ) -> Bool {
        guard turns.hasRoom(for: owner) else { return false }
        guard let deadline, let pace = pace.nanosecondsPerOperation else { return true }
        let now = clock()
        let end = deadline.nanoseconds
        let most = end > now ? Double(end - now) * RuntimeLimits.waitingShare / pace : 0
        // Often all that waits is little enough, and nobody's turns have to be looked at.
        let own = Double(committing + cost)
        if own + Double(turns.cost) <= most { return true }
        return own + Double(turns.costAhead(of: owner, cost: cost)) <= most
    }

    /// What the committer does next; if nothing, it sleeps.
    fileprivate mutating func takeTurn(at now: UInt64) -> Committer.Turn {
        if !background.isEmpty {
            if turns.isEmpty || commitsAhead >= RuntimeLimits.commitsAheadOfMaintenance {
                commitsAhead = 0
                return .background(background.removeFirst())
            }
            commitsAhead += 1
        }
        isAwake = !turns.isEmpty
        return isAwake ? .batch(takeBatch(at: now)) : .nothing
    }

    /// A batch has been committed, or the first `count` of its jobs: there was no time for others,
    /// and they wait again.
    ///
    /// - Returns: Whether writes may have to be refused.
    fileprivate mutating func ended(
        _ batch: Committer.Batch, _ count: Int, at now: UInt64
    ) -> Bool {
        let rest = batch.jobs[count...]
        let cost = batch.cost - rest.reduce(0) { $0 + $1.cost }
        if !rest.isEmpty {
            most = cost
        } else if cost >= most {
            most = min(most + most / 4 + 1, RuntimeLimits.operationsPerCommit)
        }
        for job in rest.reversed() { turns.putBack(job, of: job.owner, cost: job.cost) }
        committing = 0
        pace.end(cost, at: now, leavesWork: batch.leavesWork || !rest.isEmpty)
        return pace.nanosecondsPerOperation != nil
    }

    /// The next jobs that fit into one transaction, at least one if any is still wanted.
    private mutating func takeBatch(at now: UInt64) -> Committer.Batch {
        var batch = Committer.Batch()
        while let job = turns.take(
            atMost: batch.jobs.isEmpty ? .max : most - batch.cost,
            unless: { job in
                let isLate = job.deadline.map { $0.nanoseconds <= now } ?? false
                guard isLate || !job.handle.isOpen else { return false }
                batch.dropped.append(job.handle)
                return true
            })
        {
            batch.jobs.append(job)
            batch.cost += job.cost
        }
        batch.leavesWork = !turns.isEmpty
        committing = batch.cost
        pace.begin(at: now)
        return batch
    }
}
