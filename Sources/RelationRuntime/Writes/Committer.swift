import GRPC
package import RPC
package import RelationAdmission
package import RelationCore
package import Storage
import Support
import Synchronization

/// The only writer: it runs the gathered operations one after another in one transaction, makes the
/// transaction durable once, and answers them all.
///
/// It never waits for more writes. While one batch is being synced, the next one gathers. So
/// batches grow with the load, and a lone write waits for no other. Its thread sleeps when there is
/// nothing to commit.
///
/// Under more load than there is room for, apps are served one after the other. A write that would
/// be answered too late is refused before any work is done for it. A write whose caller no longer
/// waits is dropped.
///
/// Where several servers write to one store, a transaction takes only the locks that are free. An
/// app whose lock another server has gets a queue and a thread of its own, on which its writes wait
/// for the lock. So each app waits for itself alone. A job that needs the locks of all apps waits
/// on such a thread too.
package final class Committer: Sendable {
    private let store: any Store
    /// The lease of this process; nil if no other one has the store.
    private let lease: Lease?
    private let apps: Apps
    /// The names, profiles and adjacency lists that answer reads; every commit keeps them exact.
    package let memory: ReadCache
    /// Learns of every committed event.
    private let listener: (any CommitListener)?
    /// A clock in nanoseconds that never goes back, the same as for deadlines.
    package let clock: @Sendable () -> UInt64
    /// The processor time of the calling thread in nanoseconds.
    private let workClock: @Sendable () -> UInt64
    /// The worker for all jobs that wait.
    private let main: CommitWorker
    /// The workers for apps whose locks other servers have; none if no other server has the store.
    private let heldWorkers: [CommitWorker]
    /// The worker for what no caller waits for; nil if the main one does it.
    private let backgroundWorker: CommitWorker?
    /// Waits until the other servers know of changes of the registry; nil if there are none.
    private let settling: WorkThread?
    private let state: Mutex<State>
    /// Lets one of several workers at a time run its rules, which stage changes of apps.
    private let rules = SteadySemaphore(value: 1)
    private let threads: ThreadSource
    /// Whether a write may have to be refused; while this is false, no write takes the lock to ask.
    private let isPressed = Atomic(false)

    /// - Parameters:
    ///   - apps: The apps, which committed writes change.
    ///   - listener: Learns of committed events; nil if no stream follows changes.
    ///   - memory: The memory that answers reads; nil for that of the usual size.
    ///   - thread: The thread that commits; nil for one of `threads`.
    ///   - threads: Where the other threads come from, which a store has that servers share.
    package init(
        store: any Store, apps: Apps = Apps([]), listener: (any CommitListener)? = nil,
        memory: ReadCache? = nil,
        clock: @escaping @Sendable () -> UInt64 = { Deadline.clock },
        workClock: @escaping @Sendable () -> UInt64 = { SystemClock.thread.nanoseconds },
        thread: WorkThread? = nil, threads: ThreadSource = .system
    ) {
        main = CommitWorker(thread ?? threads.make("committer"))
        self.threads = threads
        let workers = store.peers != nil ? RuntimeLimits.heldAppWorkers : 0
        heldWorkers = (0..<workers).map { _ in CommitWorker(threads.make("held app")) }
        backgroundWorker = workers > 0 ? CommitWorker(threads.make("background")) : nil
        settling = workers > 0 ? threads.make("settling") : nil
        state = Mutex(State(held: HeldApps(workers: 0..<workers)))
        self.store = store
        lease = store.peers?.lease
        self.apps = apps
        self.listener = listener
        self.memory = memory ?? ReadCache(isOnlyWriter: store.isLocal)
        self.clock = clock
        self.workClock = workClock
    }

    /// Whether a write of one operation would be taken now.
    ///
    /// Ask this before any work for the write. It costs nothing while there is no pressure.
    package func wouldTake(_ owner: WorkOwner, by deadline: Deadline?) -> Bool {
        guard isPressed.load(ordering: .relaxed) else { return true }
        return state.withLock { state in
            let admits = state.admits(owner, cost: 1, by: deadline, clock)
            if !admits { state.refused += 1 }
            return admits
        }
    }

    /// The counts so far; any thread may ask.
    package func reading() -> CommitReading {
        var reading = CommitReading()
        main.meter.read(into: &reading)
        let since = main.busySince.load(ordering: .relaxed)
        // A worker for held apps may wait for another server: no other work hangs by that.
        reading.busySince = since == 0 ? nil : since
        for worker in heldWorkers { worker.meter.read(into: &reading) }
        backgroundWorker?.meter.read(into: &reading)
        (reading.refused, reading.waitingOperations) = state.withLock { state in
            (
                state.refused,
                state.queue.cost + state.committing + state.held.cost + state.held.committing
            )
        }
        return reading
    }

    /// Why this server is to get no calls; nil if a transaction moves, or none is under way.
    package func stall() -> String? { reading().stall(at: clock()) }

    /// Whether other servers write to the store too.
    var sharesStore: Bool { store.peers != nil }

    /// Whether this server does the work of which one server of a store is enough.
    var doesUpkeep: Bool { store.peers?.doesUpkeep ?? true }

    /// Takes `job`, or refuses it: too many jobs wait, or the work ahead of it would take longer
    /// than its caller waits.
    ///
    /// - Returns: Whether the job was taken; if not, nothing of it happens.
    package func submit(_ job: any Job) -> Bool {
        let (owner, cost) = (job.owner, job.cost)
        let (taken, wake) = state.withLock { state in
            guard state.admits(owner, cost: cost, by: job.deadline, clock) else {
                isPressed.store(true, ordering: .relaxed)
                state.refused += 1
                return (false, false)
            }
            if state.held.contains(owner.app) {
                state.held.append(job, cost: cost)
                wakeWorkers(state.held.takeWakes())
                return (true, false)
            }
            state.queue.append(job, of: owner, cost: cost)
            defer { state.isAwake = true }
            return (true, !state.isAwake)
        }
        if wake { main.thread.run { self.drain() } }
        return taken
    }

    /// Takes work that no caller waits for.
    package func submit(background work: any BackgroundWork) {
        let wake = state.withLock { state in
            state.background.append(work)
            defer { state.isAwake = true }
            return !state.isAwake
        }
        if wake { main.thread.run { self.drain() } }
    }

    /// Waits until everything submitted so far is committed.
    package func close() {
        repeat {
            main.thread.wait()
            for worker in heldWorkers { worker.thread.wait() }
            backgroundWorker?.thread.wait()
            settling?.wait()
            // A worker gives jobs back to the main one, and the other way round.
        } while state.withLock({ $0.isAwake || !$0.held.isEmpty || $0.isInBackground })
    }

    private func drain() {
        while true {
            let now = clock()
            switch state.withLock({ $0.takeNextWork(at: now) }) {
            case .nothing: return
            case .background(let work):
                if let thread = backgroundWorker?.thread {
                    thread.run { self.commit(work) }
                } else {
                    commit(work)
                }
            case .batch(var batch):
                let outcome = commit(&batch, on: main, since: now)
                let end = clock()
                let presses = state.withLock { state in
                    let presses = state.ended(batch, outcome, at: end)
                    if !batch.held.isEmpty {
                        state.park(batch.held)
                        wakeWorkers(state.held.takeWakes())
                    }
                    return presses
                }
                isPressed.store(presses, ordering: .relaxed)
                answer(batch, outcome)
            }
        }
    }

    private func wakeWorkers(_ workers: [Int]) {
        for number in workers { heldWorkers[number].thread.run { self.serve(number) } }
    }

    /// Commits for apps whose locks other servers have, one after another, while there are any that
    /// no worker serves.
    private func serve(_ number: Int) {
        let worker = heldWorkers[number]
        while true {
            let now = clock()
            guard var batch = state.withLock({ $0.takeBatch(of: number, at: now) }) else { return }
            let outcome = commit(&batch, on: worker, since: now)
            let wakes = state.withLock { $0.ended(batch, outcome) }
            if wakes { main.thread.run { self.drain() } }
            answer(batch, outcome)
        }
    }

    /// Answers the jobs that ran, and those of a change of the registry when no server acts on the
    /// earlier state any more.
    private func answer(_ batch: Batch, _ outcome: Outcome) {
        let (done, notifies) = (batch.jobs[..<outcome.count], outcome.notifies)
        guard let wanted = outcome.settling else { return answer(done, notifies) }
        // A server that was stopped is waited for until its lease has run out.
        guard let settling else {
            settle(wanted)
            return answer(done, notifies)
        }
        settling.run {
            self.settle(wanted)
            self.answer(done, notifies)
        }
    }

    private func settle(_ wanted: Settling) {
        store.peers?.settle(wanted.version, byThisProcessToo: wanted.isForAll)
    }

    private func answer(_ done: ArraySlice<any Job>, _ notifies: Bool) {
        var work = LoopWork()
        CallHandle.resume(done.map(\.handle), in: &work) { number, call in
            done[number].finish(call)
        }
        deliver(work, notifies)
    }

    private func deliver(_ work: LoopWork, _ notifies: Bool) {
        var work = work
        if notifies, let listener {
            listener.deliver(with: work)
        } else {
            work.post()
        }
    }

    /// Commits a batch, if there is anything in it, and counts it.
    private func commit(
        _ batch: inout Batch, on worker: CommitWorker, since now: UInt64
    ) -> Outcome {
        begin(&batch, from: 0, at: now, worker.meter)
        guard !batch.jobs.isEmpty else { return Outcome() }
        worker.busySince.store(now, ordering: .relaxed)
        defer { worker.busySince.store(0, ordering: .relaxed) }
        let outcome = commit(&batch, on: worker)
        guard outcome.count > 0 else { return Outcome() }
        let operations = batch.jobs[..<outcome.count].reduce(0) { $0 + $1.cost }
        worker.meter.committed(operations, took: clock() - now)
        return outcome
    }

    /// Notes that the jobs from number `first` on begin.
    private func begin(
        _ batch: inout Batch, from first: Int, at now: UInt64, _ meter: CommitMeter
    ) {
        Self.drop(batch.dropped, meter)
        batch.dropped = []
        for job in batch.jobs[first...] {
            let handle = job.handle
            if let wait = handle.begins(at: now) { meter.waited(wait) }
            if handle.isTraced { batch.isTraced = true }
        }
    }

    private func commit(_ work: any BackgroundWork) {
        let worker = backgroundWorker ?? main
        defer {
            if state.withLock({ $0.endedBackground() }) { main.thread.run { self.drain() } }
        }
        do throws(StorageError) {
            let written = try store.write(touching: []) {
                (transaction) throws(StorageError) -> Written in
                if !heldWorkers.isEmpty { try transaction.lock([]) }
                let watched = WatchedTransaction(transaction)
                let written = try alone { () throws(StorageError) in
                    apps.discard()
                    try work.run(in: watched)
                    return close(watched)
                }
                return try counted(written, in: transaction)
            }
            let notifies = didCommit(written)
            if let wanted = written.settling { settle(wanted) }
            if notifies { listener?.deliver(with: LoopWork()) }
            worker.meter.committedInBackground()
            work.finish(nil)
        } catch {
            didFail(on: worker)
            work.finish(error)
        }
    }

    /// Commits the first jobs of `batch`: as many as there is time for, and at least one.
    ///
    /// - Parameter batch: Gets more jobs if the transaction had to wait for another server, and
    ///   loses those whose locks another server has, if it does not wait.
    ///   Jobs that need all locks wait for them elsewhere.
    private func commit(_ batch: inout Batch, on worker: CommitWorker) -> Outcome {
        var keys = batch.jobs.map(\.keys)
        var count = 0
        var worked: UInt64 = 0
        var watch = StopWatch(worker.meter)
        let waits = batch.app != nil || heldWorkers.isEmpty
        var locked = store.isLocal ? [] : Self.apps(of: keys, batch.jobs)
        if !waits, locked.contains(App.registry.id) {
            takeHeld(&batch, &keys, because: [App.registry.id])
            guard !batch.jobs.isEmpty else { return Outcome() }
            locked = Self.apps(of: keys, batch.jobs)
        }
        // A write of the registry may be about any app, so it is alone.
        if locked.contains(App.registry.id) { locked = [] }
        do throws(StorageError) {
            let order = locked.sorted()
            let partitions = order.map { App.lockPartition(of: $0) }
            let written = try store.write(touching: partitions, waiting: waits) {
                (transaction) throws(StorageError) -> Written in
                watch.ended(.turn)
                // No rules run before it is known which locks are there.
                if !heldWorkers.isEmpty, keys.allSatisfy({ $0.count == 0 }) {
                    try transaction.lock([])
                }
                // A key that cannot be read fails only the job that reads it later, and no other.
                let isRead = (try? transaction.prefetch(keys)) != nil
                let refused = waits ? [] : Set(transaction.refused.map { order[$0] })
                if !refused.isEmpty { takeHeld(&batch, &keys, because: refused) }
                batch.hasWaited = transaction.hasWaited
                if isRead, transaction.hasWaited {
                    // No job joins without the lock of its app, or before earlier ones of it.
                    let closed = refused.union(batch.held.map(\.owner.app))
                    let joined = join(&batch, of: locked.subtracting(closed), worker.meter)
                    if !joined.isEmpty { try? transaction.prefetch(joined) }
                    keys += joined
                }
                watch.ended(.read)
                let written = try alone { () throws(StorageError) in
                    apps.discard()
                    let watched = WatchedTransaction(transaction)
                    count = run(batch, in: watched)
                    watch.ended(.rules)
                    defer { watch.ended(.memory) }
                    return close(watched)
                }
                defer { worked = clock() }
                return try counted(written, in: transaction)
            }
            watch.ended(.sync)
            // A commit without a row asks nothing of the database, and says nothing of its way.
            let waited = store.isLocal || !written.hasRows ? nil : clock() - worked
            if batch.isTraced { Self.committed(batch.jobs[..<count]) }
            defer { watch.ended(.publish) }
            return Outcome(
                count: count, notifies: didCommit(written), settling: written.settling,
                waited: waited)
        } catch {
            // Nothing was written, so the batch fails as a whole. Or the outcome is unknown. Then
            // the jobs that did not run wait again, and find the store stopped.
            let failed = error.code == .outcomeUnknown ? count : batch.jobs.count
            didFail(on: worker)
            batch.hasWaited = true
            if batch.isTraced { Self.committed(batch.jobs[..<failed]) }
            for job in batch.jobs[..<failed] { job.fail(error) }
            return Outcome(count: failed)
        }
    }

    /// Runs the first jobs of a batch: as many as there is time and room for, and at least one if
    /// there is any.
    ///
    /// - Returns: The number of jobs that ran.
    private func run(_ batch: Batch, in watched: WatchedTransaction) -> Int {
        let jobs = batch.jobs
        guard !jobs.isEmpty else { return 0 }
        var count = 0
        let end =
            clock() + CommitRoom.scaled(RuntimeLimits.longestNanosecondsPerCommit, to: batch.room)
        // A lone operation needs no end: it runs in any case.
        let isAlone = jobs.count == 1
        let endOfWork =
            isAlone
            ? 0
            : workClock() + CommitRoom.scaled(RuntimeLimits.nanosecondsPerCommit, to: batch.room)
        repeat {
            run(jobs[count], in: watched, batch.isTraced)
            count += 1
        } while count < jobs.count && workClock() < endOfWork && clock() < end
            && watched.writtenBytes < RuntimeLimits.bytesPerCommit
        return count
    }

    /// Runs `body` while no other worker runs the rules of its transaction.
    private func alone<Result>(
        _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard !heldWorkers.isEmpty else { return try body() }
        threads.wait(rules)
        defer { rules.signal() }
        return try body()
    }

    /// Takes the jobs out of `batch` that need the lock of an app that another server has, and
    /// those of the same apps, so that they keep their order.
    private func takeHeld(
        _ batch: inout Batch, _ keys: inout [KeyList], because refused: Set<UInt32>
    ) {
        var owners: Set<UInt32> = []
        for (job, keys) in zip(batch.jobs, keys) {
            let owner = job.owner.app
            if refused.contains(owner) || !keys.apps.isDisjoint(with: refused) {
                owners.insert(owner)
            }
        }
        var free: [any Job] = []
        var rest: [KeyList] = []
        for (job, keys) in zip(batch.jobs, keys) {
            if owners.contains(job.owner.app) {
                batch.held.append(job)
                batch.cost -= job.cost
            } else {
                free.append(job)
                rest.append(keys)
            }
        }
        (batch.jobs, keys) = (free, rest)
    }

    /// Forgets what a transaction would have changed.
    private func didFail(on worker: CommitWorker) {
        worker.meter.failed()
        guard heldWorkers.isEmpty else { return }
        memory.didCommit(false)
        apps.discard()
    }

    /// Takes the jobs into `batch` that have come while another server had the locks.
    ///
    /// Each wait for the locks costs the time of a commit, so it is to be worth as many jobs as
    /// possible. One more read is cheaper than one more wait.
    ///
    /// - Parameter locked: The apps whose locks the transaction has; empty if it has all of them.
    /// - Returns: The keys of each of them.
    private func join(
        _ batch: inout Batch, of locked: Set<UInt32>, _ meter: CommitMeter
    ) -> [KeyList] {
        guard !locked.isEmpty else { return [] }
        let first = batch.jobs.count
        let now = clock()
        state.withLock { state in
            state.fill(&batch, at: now) { locked.contains($0.owner.app) }
        }
        // Not under the lock, for which loops would wait.
        let keys = batch.jobs[first...].map(\.keys)
        let fitting = keys.prefix { $0.apps.isSubset(of: locked) }.count
        if fitting < keys.count {
            state.withLock { $0.requeue(&batch, from: first + fitting) }
        }
        begin(&batch, from: first, at: now, meter)
        return Array(keys[..<fitting])
    }

    /// The end of a transaction's work, before it is committed.
    ///
    /// - Parameter watched: The transaction as the rules had it.
    private func close(_ watched: WatchedTransaction) -> Written {
        // Where several servers write, no rows are kept in memory.
        if heldWorkers.isEmpty { memory.willCommit(watched) }
        // Other servers must hear of a change of apps or credentials.
        let isOfRegistry = store.peers != nil && apps.hasStaged
        // Another worker may stage changes of its own before these are committed.
        let staged = heldWorkers.isEmpty || !isOfRegistry ? nil : apps.takeStaged()
        return Written(
            events: watched.events, isOfRegistry: isOfRegistry,
            answersEarlierChange: apps.takeEarlierChange() && store.peers != nil,
            hasRows: watched.writtenBytes > 0, staged: staged)
    }

    /// Counts a change of the registry, for which it may wait for another server, and says what
    /// the answers wait for.
    ///
    /// Other workers run rules meanwhile.
    private func counted(
        _ written: Written, in transaction: any WriteTransaction
    ) throws(StorageError) -> Written {
        guard written.isOfRegistry || written.answersEarlierChange else { return written }
        var written = written
        let version: Int64
        if written.isOfRegistry {
            version = try AppRules.renew(in: transaction)
            written.registry = version
        } else {
            version = try AppRules.version(in: transaction)
        }
        written.settling = Settling(version: version, isForAll: written.answersEarlierChange)
        return written
    }

    /// Publishes a commit, before any call is answered.
    ///
    /// - Returns: Whether the changes are to be delivered.
    private func didCommit(_ written: Written) -> Bool {
        if heldWorkers.isEmpty {
            memory.didCommit(true)
            apps.publish(version: written.registry)
        } else if let staged = written.staged {
            apps.publish(staged, version: written.registry)
        }
        return listener?.committed(written.events) ?? false
    }

    /// Runs one job so that its failure does not affect the others.
    ///
    /// - Parameter isTraced: Whether its trace may want to know how long that takes.
    private func run(
        _ job: any Job, in transaction: any WriteTransaction, _ isTraced: Bool
    ) {
        // Checked with the locks held: what is revoked later waits for this transaction.
        guard lease.map({ $0.epoch == job.epoch }) ?? true else {
            return job.fail(
                StorageError(.unavailable, "the call was admitted under an earlier lease"))
        }
        let began = isTraced ? Deadline.clock : 0
        defer { if isTraced { job.handle.ran(from: began, to: Deadline.clock) } }
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
