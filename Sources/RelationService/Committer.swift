import Dispatch
package import GRPC
package import RelationCore
package import Storage
import Synchronization

/// One operation on its way through the committer.
///
/// Made on a loop, run on the committer's thread, finished on its loop; never in two places at
/// once, which is what makes a job safe to hand over.
package protocol Job: AnyObject, Sendable {
    /// How many operations it counts as.
    var cost: Int { get }

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
/// grow with the load and a lone write waits for nobody. The thread is a serial queue's: it sleeps
/// when there is nothing to commit.
package final class Committer: Sendable {
    private let store: any Store
    private let apps: Apps
    /// The names that reads sort by, which every commit keeps exact.
    package let names = NameCache()
    /// Who learns of every event that was committed.
    private let changes: ChangeHub?
    /// Nanoseconds that only rise.
    private let clock: @Sendable () -> UInt64
    private let queue = DispatchQueue(label: "relation.committer", qos: .userInitiated)
    private let state = Mutex(State())

    fileprivate struct State {
        var jobs: [any Job] = []
        var operations = 0
        var background: [any BackgroundWork] = []
        /// Transactions of `jobs` since the last of `background`.
        var commitsAhead = 0
        /// Whether the queue has been told to drain `jobs`.
        var isAwake = false
    }

    /// - Parameters:
    ///   - apps: What the committed writes make of apps.
    ///   - changes: Who learns of what was committed.
    package init(
        store: any Store, apps: Apps = Apps([]), changes: ChangeHub? = nil,
        clock: @escaping @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }
    ) {
        self.store = store
        self.apps = apps
        self.changes = changes
        self.clock = clock
    }

    /// Takes `job`, or refuses it because too many wait.
    ///
    /// - Returns: Whether the job was taken; if not, nothing of it happens.
    package func submit(_ job: any Job) -> Bool {
        let (taken, wake) = state.withLock { state in
            guard state.operations < ServiceLimits.waitingOperations else { return (false, false) }
            state.jobs.append(job)
            state.operations += job.cost
            defer { state.isAwake = true }
            return (true, !state.isAwake)
        }
        if wake { queue.async { self.drain() } }
        return taken
    }

    /// Takes work that nobody waits for.
    package func submit(background work: any BackgroundWork) {
        let wake = state.withLock { state in
            state.background.append(work)
            defer { state.isAwake = true }
            return !state.isAwake
        }
        if wake { queue.async { self.drain() } }
    }

    /// Waits until everything submitted so far is committed.
    package func close() {
        queue.sync {}
    }

    private func drain() {
        while true {
            switch state.withLock({ $0.takeTurn() }) {
            case .nothing: return
            case .background(let work): commit(work)
            case .batch(let batch):
                let done = batch[..<commit(batch)]
                state.withLock { $0.putBack(batch[done.count...]) }
                CallHandle.resume(done.map(\.handle)) { number, call in
                    done[number].finish(call)
                }
            }
        }
    }

    fileprivate enum Turn {
        case nothing
        case batch([any Job])
        case background(any BackgroundWork)
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
            didCommit(events)
            work.finish(nil)
        } catch {
            names.didCommit(false)
            apps.discard()
            work.finish(error)
        }
    }

    /// Commits the first jobs of `batch`: as many as there is time for, at least one.
    ///
    /// - Returns: How many were run.
    private func commit(_ batch: [any Job]) -> Int {
        var keys = KeyList()
        for job in batch { job.addKeys(to: &keys) }
        var count = 0
        do throws(StorageError) {
            let partitions = store.isLocal ? [] : keys.partitions
            let events = try store.write(touching: partitions) {
                (transaction) throws(StorageError) -> [EventRow] in
                apps.discard()
                try transaction.prefetch(keys)
                count = 0
                let end = clock() + ServiceLimits.nanosecondsPerCommit
                let watched = WatchedTransaction(transaction)
                repeat {
                    Self.run(batch[count], in: watched)
                    count += 1
                } while count < batch.count && clock() < end
                names.willCommit(watched.touched, in: transaction)
                return watched.events
            }
            didCommit(events)
        } catch {
            // Nothing was written, so the batch fails as a whole.
            names.didCommit(false)
            apps.discard()
            for job in batch { job.fail(error) }
            return batch.count
        }
        return count
    }

    /// Publishes a commit, before anybody is answered.
    private func didCommit(_ events: [EventRow]) {
        names.didCommit(true)
        apps.publish()
        changes?.committed(events)
    }

    /// Runs one job so that its failure hurts no other.
    private static func run(_ job: any Job, in transaction: any WriteTransaction) {
        let savepoint = transaction.savepoint()
        do throws(StorageError) {
            try job.run(in: transaction)
        } catch {
            transaction.rollback(to: savepoint)
            job.fail(error)
        }
    }
}

extension Committer.State {
    /// What the committer does next; if nothing, it sleeps.
    fileprivate mutating func takeTurn() -> Committer.Turn {
        if !background.isEmpty {
            if jobs.isEmpty || commitsAhead >= ServiceLimits.commitsAheadOfUpkeep {
                commitsAhead = 0
                return .background(background.removeFirst())
            }
            commitsAhead += 1
        }
        let batch = takeBatch()
        isAwake = !batch.isEmpty
        return batch.isEmpty ? .nothing : .batch(batch)
    }

    /// Gives back what there was no time for: it comes first in the next batch.
    fileprivate mutating func putBack(_ rest: ArraySlice<any Job>) {
        jobs.insert(contentsOf: rest, at: 0)
        operations += rest.reduce(0) { $0 + $1.cost }
    }

    /// The oldest jobs that fit into one transaction, at least one if there is any.
    private mutating func takeBatch() -> [any Job] {
        var cost = 0
        var count = 0
        for job in jobs {
            guard count == 0 || cost + job.cost <= ServiceLimits.operationsPerCommit else { break }
            cost += job.cost
            count += 1
        }
        let batch = Array(jobs[..<count])
        jobs.removeFirst(count)
        operations -= cost
        return batch
    }
}
