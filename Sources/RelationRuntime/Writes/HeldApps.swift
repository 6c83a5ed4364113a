/// The apps whose locks another server had when they were tried, each with a queue of its own.
///
/// The writes of such an app wait for its lock on a worker of their own, so those of all other apps
/// go on. An app has one worker at most, so its writes keep their order. It comes back to the
/// common queue after a transaction that got the lock at once, or when nothing of it waits any
/// more.
///
/// This is a value without threads: its holder locks it.
struct HeldApps {
    private struct App {
        var queue = FairQueue<WorkOwner, any Job>(
            capacity: RuntimeLimits.waitingOperations, quantum: RuntimeLimits.operationsPerQuantum)
        /// The operations of its transaction under way; nil if a worker has none.
        var committing: Int?
    }

    private var apps: [UInt32: App] = [:]
    /// The apps with jobs that no worker has taken, in the order in which they are served.
    private var ready: [UInt32] = []
    /// The workers without work.
    private var freeWorkers: [Int]
    /// The workers that have work since ``takeWakes()``.
    private var wakes: [Int] = []

    /// The cost of all jobs that wait here.
    private(set) var cost = 0

    /// - Parameter workers: The numbers of the workers for them.
    init(workers: Range<Int>) {
        freeWorkers = workers.reversed()
    }

    var isEmpty: Bool { apps.isEmpty }

    /// The operations of the transactions under way.
    var committing: Int { apps.values.reduce(0) { $0 + ($1.committing ?? 0) } }

    func contains(_ app: UInt32) -> Bool { !apps.isEmpty && apps[app] != nil }

    /// Whether one more job of an app that is held may wait.
    ///
    /// - Parameter others: The cost of all that waits elsewhere.
    func hasRoom(for owner: WorkOwner, beside others: Int) -> Bool {
        guard let app = apps[owner.app] else { return false }
        return app.queue.hasRoom(for: owner, beside: others + cost - app.queue.cost)
    }

    // MARK: In

    /// Holds an app, if it is not held already.
    ///
    /// - Returns: Whether it was not.
    mutating func park(_ app: UInt32) -> Bool {
        guard apps[app] == nil else { return false }
        apps[app] = App()
        return true
    }

    /// Adds a job of an app that is held, after all others of it.
    mutating func append(_ job: any Job, cost: Int) {
        let owner = job.owner
        if apps[owner.app]?.queue.isEmpty == true, apps[owner.app]?.committing == nil {
            ready.append(owner.app)
            if let worker = freeWorkers.popLast() { wakes.append(worker) }
        }
        apps[owner.app]?.queue.append(job, of: owner, cost: cost)
        self.cost += cost
    }

    /// The workers that are to begin, each of which has not been woken yet.
    mutating func takeWakes() -> [Int] {
        defer { wakes = [] }
        return wakes
    }

    // MARK: Out

    /// Gives the next app to a worker: `body` takes jobs out of its queue, and returns their cost.
    ///
    /// - Returns: False if no app waits; the worker is free then.
    mutating func takeNext(
        of worker: Int, _ body: (inout FairQueue<WorkOwner, any Job>) -> Int
    ) -> UInt32? {
        guard !ready.isEmpty else {
            freeWorkers.append(worker)
            return nil
        }
        let app = ready.removeFirst()
        fill(app, body)
        return app
    }

    /// Takes more jobs of an app into its transaction under way, which has `body`'s cost then.
    mutating func fill(_ app: UInt32, _ body: (inout FairQueue<WorkOwner, any Job>) -> Int) {
        guard var held = apps[app] else { return }
        cost -= held.queue.cost
        held.committing = body(&held.queue)
        cost += held.queue.cost
        apps[app] = held
    }

    /// Ends the transaction of an app.
    ///
    /// - Parameters:
    ///   - rest: The jobs that it had no time for.
    ///   - hasWaited: Whether another server had the lock.
    /// - Returns: The jobs that go back to the common queue, with the rest first.
    mutating func ended(
        _ app: UInt32, rest: ArraySlice<any Job>, hasWaited: Bool
    ) -> [any Job] {
        guard var held = apps.removeValue(forKey: app) else { return [] }
        cost -= held.queue.cost
        for job in rest.reversed() { held.queue.requeue(job, of: job.owner, cost: job.cost) }
        guard hasWaited, !held.queue.isEmpty else {
            return held.queue.dequeueAll()
        }
        cost += held.queue.cost
        held.committing = nil
        apps[app] = held
        ready.append(app)
        return []
    }
}
