import Storage

/// The disk of a simulated server: it has what was synced, and outlives the process.
final class SimulatedDisk {
    var rows: MemoryStore
    /// The errors that commits and reads meet next.
    var refusals = 0
    var breaks: [Bool] = []
    var failingReads = 0
    /// How long the process is down that dies in its next commit; nil if it does not.
    var death: Int?
    /// How many times as long a sync takes.
    var slowness = 1
    /// A disk that lies keeps what it was told to sync in its own memory for so many commits.
    var flaw: Flaw?
    /// The rows of the last commits, which a disk that lies has not yet written.
    var unwritten: [MemoryStore] = []

    /// An error of the store that no store may have: the checks must find it.
    enum Flaw: String, CaseIterable, Sendable {
        /// It says that a commit is on the disk, and writes it with the next one.
        case lies
        /// It refuses a commit that it has written.
        case writesRefused
    }

    init(_ rows: MemoryStore) { self.rows = rows }
}

/// The store of one process: it sees what the process has written, and syncs it to the disk.
///
/// A commit waits for the disk. Meanwhile the other threads go on, and the process may die. Reads
/// see the commit when it is on the disk, and the caches learn of it a little later.
///
/// `@unchecked Sendable`: one thread runs all of a simulation.
final class SimulatedStore: Store, @unchecked Sendable {
    private let world: SimulatedWorld
    private let disk: SimulatedDisk
    private var rows: MemoryStore
    private var chance: Chance
    /// Whether a commit is under way.
    private(set) var isWriting = false
    /// Whether the store has failed: it takes no more writes.
    private(set) var hasFailed = false
    /// Whether the process has died.
    var isDead = false
    /// Whether a thread of readers asks, for which others need not wait.
    var mayWait = false
    /// Until when the process sleeps.
    var asleepUntil: UInt64 = 0
    /// Runs after the store has failed.
    var onFailure: () -> Void = {}
    /// Lets the process die, and begin again after so many milliseconds.
    var onDeath: (Int) -> Void = { _ in }
    /// Whether the process has begun: before that no commit waits.
    var isServing = false

    let isLocal = true

    init(_ disk: SimulatedDisk, in world: SimulatedWorld, number: Int) {
        (self.disk, self.world) = (disk, world)
        // The rows are those of the disk: the model of a store has only whole commits.
        rows = MemoryStore(rowsOf: disk.rows)
        chance = world.chance("store \(number)")
    }

    func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        if isServing {
            if reach == .memory, chance.one(in: 6) {
                throw StorageError(.notInMemory, "by chance")
            }
            if reach == .disk, disk.failingReads > 0, !isWriting {
                disk.failingReads -= 1
                world.met(.readFailed)
                throw StorageError(.unavailable, "the disk does not answer")
            }
        }
        return try rows.read(reaching: reach, body)
    }

    func snapshot() throws(StorageError) -> any Snapshot {
        let snapshot = try rows.snapshot()
        guard isServing, mayWait else { return snapshot }
        // Its reader goes on a little later: commits may come meanwhile.
        mayWait = false
        wait(WorldLimits.snapshotMicroseconds, times: 1)
        mayWait = true
        guard !isDead else { throw StorageError(.unavailable, "the process died") }
        return snapshot
    }

    func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        precondition(!isWriting, "the store has two writers at once")
        guard !isDead else { throw StorageError(.unavailable, "the process is dead") }
        guard !hasFailed else { throw StorageError(.stopped, "the store has failed") }
        isWriting = true
        defer { isWriting = false }
        let next = MemoryStore(rowsOf: rows)
        let result = try next.write(touching: partitions, body)
        guard isServing else {
            (rows, disk.rows) = (next, next)
            return result
        }
        try meetErrors(next)
        if let milliseconds = disk.death {
            disk.death = nil
            let moment = chance.number(0...WorldLimits.syncMicroseconds.lowerBound)
            world.scheduler.after(microseconds: moment) { [onDeath] in onDeath(milliseconds) }
        }
        wait(WorldLimits.syncMicroseconds, times: disk.slowness)
        if isDead {
            try dieInSync(next)
        }
        sync(next)
        rows = next
        // The rows can be read now, and the caches do not know of them yet.
        wait(WorldLimits.publishMicroseconds, times: 1)
        return result
    }

    private func meetErrors(_ next: MemoryStore) throws(StorageError) {
        if disk.refusals > 0 {
            disk.refusals -= 1
            world.met(.writeRefused)
            world.note("the store refuses a commit")
            if disk.flaw == .writesRefused { (rows, disk.rows) = (next, next) }
            throw StorageError(.unavailable, "refused")
        }
        guard !disk.breaks.isEmpty else { return }
        let isWritten = disk.breaks.removeFirst()
        world.met(.writeUnknown)
        world.met(isWritten ? .unknownWritten : .unknownLost)
        world.note("the store fails in a commit, which is \(isWritten ? "" : "not ")on the disk")
        wait(WorldLimits.syncMicroseconds, times: disk.slowness)
        if isWritten, !isDead { sync(next) }
        hasFailed = true
        onFailure()
        throw StorageError(.outcomeUnknown, "the disk failed")
    }

    private func dieInSync(_ next: MemoryStore) throws(StorageError) {
        let isWritten = chance.one(in: 2)
        world.met(isWritten ? .killedAfterDisk : .killedBeforeDisk)
        world.note("the commit that was under way is \(isWritten ? "" : "not ")on the disk")
        // A disk that has failed to die in time has the whole commit, for its log has a sum.
        if isWritten { sync(next) }
        throw StorageError(.unavailable, "the process died")
    }

    private func sync(_ next: MemoryStore) {
        guard disk.flaw == .lies else {
            disk.rows = next
            return
        }
        disk.unwritten.append(next)
        if disk.unwritten.count > 1 { disk.rows = disk.unwritten.removeFirst() }
    }

    /// Lets the others go on while the thread of the commit waits.
    private func wait(_ range: ClosedRange<Int>, times: Int) {
        let microseconds = chance.number(range) * times
        let end = world.now + UInt64(microseconds) * 1_000
        world.scheduler.run(until: end) { isDead }
        while !isDead, asleepUntil > world.now {
            world.scheduler.run(until: asleepUntil) { isDead || asleepUntil == 0 }
        }
    }

    func close() {}
}
