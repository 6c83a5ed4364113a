import Dispatch
import GRPC
import GRPCClient
import Logging
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationCore
import RelationService
import RelationSuite
import Storage
import StorageSuite
import Synchronization

@testable import RelationRuntime

/// A server with one method, which makes a job of its request and hands it to a committer.
final class JobService: Sendable {
    let store: GatedStore
    /// The other servers, if there may be any.
    let peers: KeptNotes?
    let committer: Committer
    let channel: Channel
    /// Passed once for each job that was submitted.
    let submitted: Turnstile
    private let server: Server

    /// - Parameter hasPeers: Whether other servers may have the locks of apps.
    init(hasPeers: Bool = false) async throws {
        peers = hasPeers ? KeptNotes() : nil
        let store = GatedStore(peers: peers)
        self.store = store
        let apps = Apps([])
        let committer = Committer(
            store: store, apps: apps, clock: store.clock, workClock: store.workClock)
        let log = store.log
        let submitted = Turnstile()
        let jobs = Jobs { bytes, call in
            let job = TestJob(String(decoding: bytes, as: UTF8.self), call.handle, log, apps) {
                store.letPass($0, working: $1)
            }
            if !committer.submit(job) { call.fail(.overloaded) }
            submitted.signal()
        }
        self.committer = committer
        self.submitted = submitted
        server = Server(
            configuration: ServerConfiguration(), dispatchers: [jobs],
            logger: Logger(label: "test"))
        let address = try await server.start()
        channel = Channel(ClientConfiguration(host: address.host, port: address.port))
    }

    /// Submits jobs in this order while the first is held, and returns the answer to each.
    ///
    /// - Parameters:
    ///   - commit: The number of a later transaction that is held too, counted from 1.
    ///   - later: Jobs that are submitted in the meantime.
    func run(_ jobs: [String], holding commit: Int = 0, _ later: [String] = []) async -> [String] {
        store.holdsNext.store(true, ordering: .relaxed)
        store.heldCommit.store(commit, ordering: .relaxed)
        var running: [Task<String, Never>] = []
        for job in jobs {
            running.append(await submit(job))
            if running.count == 1 { await store.begun.wait() }
        }
        store.gate.signal()
        if commit > 0 {
            await store.begun.wait()
            for job in later { running.append(await submit(job)) }
            store.gate.signal()
        }
        var answers: [String] = []
        for task in running { answers.append(await task.value) }
        return answers
    }

    /// Makes the call of one job, which has reached the committer when this returns.
    func submit(_ job: String) async -> Task<String, Never> {
        let channel = self.channel
        let task = Task { await Self.answer(to: job, channel) }
        await submitted.wait()
        return task
    }

    private static func answer(to job: String, _ channel: Channel) async -> String {
        do throws(RPCError) {
            let bytes = try await channel.unary("/test.Jobs/Run", Array(job.utf8))
            return try Arena.temporary { (arena) throws(RPCError) in
                do throws(CodecError) {
                    return try Coder(FriendResult.self).message(bytes, arena).info
                } catch {
                    throw RPCError(.internalError, "no answer", cause: error)
                }
            }
        } catch {
            return error.code == .resourceExhausted ? "overloaded" : "\(error.code)"
        }
    }

    /// The names of the jobs whose changes are stored.
    func keys() throws(StorageError) -> [String] {
        try store.inner.rows(KeyRange(all: TestJob.partition)).map {
            String(decoding: $0.suffix, as: UTF8.self)
        }
    }

    func stop() async {
        await channel.close()
        await server.shutDownGracefully()
        committer.close()
    }
}

/// A job that a text describes: "NAME COST", and then any of these.
///
/// The text may have "imports", "of APP", "by MICROSECONDS", "takes MICROSECONDS", "waits
/// MICROSECONDS", "writes BYTES", "elsewhere", "registry", "revokes", "repeats" and "fails". The
/// job writes a row with its name, and then lets time pass. It spends the time at work or without
/// the processor, or it fails. The row of a job that is "elsewhere" belongs to another app, and
/// that of "registry" to none. One that "revokes" ends a credential too, and one that "repeats"
/// answers what another one has ended.
///
/// The job is a call, of app 1 and without a deadline, unless the text says otherwise.
///
/// `@unchecked Sendable`: the committer hands it from one thread to the next, by queues.
final class TestJob: Job, @unchecked Sendable {
    static let partition = Partition("jobs")
    let handle: CallHandle
    let owner: WorkOwner
    let cost: Int
    let deadline: Deadline?
    /// That of the lease of ``KeptNotes``.
    let epoch: Int64 = 1
    private let key: Key
    private let name: String
    private let fails: Bool
    private let revokes: Bool
    private let repeats: Bool
    private let nanoseconds: UInt64
    private let waitingNanoseconds: UInt64
    private let bytes: Int
    private let log: Journal
    private let apps: Apps
    private let letPass: @Sendable (UInt64, Bool) -> Void
    private var answer = ""

    init(
        _ text: String, _ handle: CallHandle, _ log: Journal, _ apps: Apps,
        letPass: @escaping @Sendable (UInt64, Bool) -> Void
    ) {
        let words = text.split(separator: " ")
        name = String(words[0])
        cost = Int(words[1]) ?? 1
        fails = words.last == "fails"
        revokes = words.contains("revokes")
        repeats = words.contains("repeats")
        self.apps = apps
        let isElsewhere = words.contains("elsewhere")
        func number(after word: String) -> UInt64? {
            words.firstIndex(of: word[...]).flatMap { UInt64(words[$0 + 1]) }
        }
        owner = WorkOwner(
            app: number(after: "of").map { UInt32($0) } ?? 1, isImport: words.contains("imports"))
        let app = isElsewhere ? 2 : words.contains("registry") ? 0 : owner.app
        key = Partition(isElsewhere ? "elsewhere" : "jobs", app: app).key(name)
        deadline = number(after: "by").map { Deadline(nanoseconds: 1_000 * $0) }
        nanoseconds = 1_000 * (number(after: "takes") ?? 0)
        waitingNanoseconds = 1_000 * (number(after: "waits") ?? 0)
        bytes = number(after: "writes").map { Int($0) } ?? 0
        self.letPass = letPass
        self.handle = handle
        self.log = log
    }

    var keys: KeyList {
        log.addKeys(of: name)
        return KeyList([key])
    }

    func run(in transaction: any WriteTransaction) throws(StorageError) {
        log.add(name)
        if bytes > 0 {
            transaction.set(key, to: [UInt8](repeating: 0, count: bytes))
        } else {
            transaction.set(key, "done")
        }
        if revokes {
            apps.stage(CredentialChange(app: owner.app, id: CredentialID(name), record: nil))
        }
        if repeats { apps.noteEarlierChange() }
        letPass(nanoseconds, true)
        letPass(waitingNanoseconds, false)
        if fails { throw StorageError(.corrupted, "on purpose") }
        answer = "done"
    }

    func fail(_ error: StorageError) {
        answer = "\(error.code)"
    }

    func finish(_ call: ServerCall) {
        var result = FriendResult()
        result.info = answer
        call.respond(result, Coder(FriendResult.self))
    }
}

/// The model behind a gate: it can hold a transaction before it begins, and fail one at its end.
final class GatedStore: Store {
    let inner = MemoryStore()
    let log = Journal()
    let gate = DispatchSemaphore(value: 0)
    let begun = Turnstile()
    let holdsNext = Atomic(false)
    /// The number of a transaction that is held too, counted from 1; 0 for none.
    let heldCommit = Atomic(0)
    /// The number of a transaction that fails when it should commit, counted from 1; 0 for none.
    let failingCommit = Atomic(0)
    /// How long each commit takes after the work, by the committer's clock.
    let commitNanoseconds = Atomic<UInt64>(0)
    /// Whether another server has the locks until the gate opens.
    let isShared = Atomic(false)
    /// The error with which it fails.
    let failure = Mutex(StorageError(.diskLow, "on purpose"))
    let storeFailure = StoreFailure()
    let peers: (any StorePeers)?
    /// The apps whose locks another server has, each with what those who wait for it wait at.
    private let heldApps = Mutex<[UInt32: DispatchSemaphore]>([:])
    /// The rows of each app beside other servers: the model runs one transaction at a time.
    private let appStores = Mutex<[Partition: MemoryStore]>([:])
    /// Passed once for each transaction that begins to wait for a lock.
    let waiting = Turnstile()
    private let commits = Atomic(0)
    /// The time of the committer's clocks: they stand still until a job moves them.
    let nanoseconds = Atomic<UInt64>(0)
    private let workedNanoseconds = Atomic<UInt64>(0)

    init(peers: (any StorePeers)? = nil) {
        self.peers = peers
    }

    /// Has another server take the lock of an app.
    func hold(_ app: UInt32) {
        heldApps.withLock { $0[app] = DispatchSemaphore(value: 0) }
    }

    /// Has it give the lock back.
    func release(_ app: UInt32) {
        guard let gate = heldApps.withLock({ $0.removeValue(forKey: app) }) else { return }
        for _ in 0..<RuntimeLimits.heldAppWorkers { gate.signal() }
    }

    private func held(_ partition: Partition) -> DispatchSemaphore? {
        // A partition begins with the number of its app.
        let app = partition.bytes[..<4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        return heldApps.withLock { $0[app] }
    }

    /// Waits for the lock of a partition, if another server has it.
    fileprivate func wait(for partition: Partition) {
        guard let gate = held(partition) else { return }
        waiting.signal()
        gate.wait()
    }

    private func model(of partitions: [Partition]) -> MemoryStore {
        guard peers != nil, let first = partitions.first else { return inner }
        return appStores.withLock { stores in
            if let known = stores[first] { return known }
            let made = MemoryStore()
            stores[first] = made
            return made
        }
    }

    /// Waits until no other server has a lock.
    private func waitForAll() {
        for gate in heldApps.withLock({ Array($0.values) }) {
            waiting.signal()
            gate.wait()
        }
    }

    var clock: @Sendable () -> UInt64 {
        { self.nanoseconds.load(ordering: .relaxed) }
    }

    /// The part of that time in which the committer had the processor.
    var workClock: @Sendable () -> UInt64 {
        { self.workedNanoseconds.load(ordering: .relaxed) }
    }

    func letPass(_ time: UInt64, working: Bool) {
        nanoseconds.add(time, ordering: .relaxed)
        if working { workedNanoseconds.add(time, ordering: .relaxed) }
    }

    var isLocal: Bool { peers == nil && !isShared.load(ordering: .relaxed) }

    func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try inner.read(reaching: reach, body)
    }

    func snapshot() throws(StorageError) -> any Snapshot {
        try inner.snapshot()
    }

    func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let number = commits.add(1, ordering: .relaxed).newValue
        if holdsNext.exchange(false, ordering: .relaxed)
            || number == heldCommit.load(ordering: .relaxed)
        {
            begun.signal()
            gate.wait()
        }
        if peers != nil, partitions.isEmpty { waitForAll() }
        try storeFailure.check()
        log.add("begin")
        return try model(of: partitions).write(touching: partitions) {
            (transaction) throws(StorageError) in
            let locking = LockingTransaction(transaction, self)
            let result = try body(
                isShared.load(ordering: .relaxed) ? LateTransaction(locking) : locking)
            if number == failingCommit.load(ordering: .relaxed) {
                let error = failure.withLock { $0 }
                if error.code == .outcomeUnknown { storeFailure.report(error) }
                throw error
            }
            log.add("end")
            letPass(commitNanoseconds.load(ordering: .relaxed), working: false)
            return result
        }
    }

    func write<Result>(
        touching partitions: [Partition], waiting waits: Bool,
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let held = partitions.indices.filter { self.held(partitions[$0]) != nil }
        guard waits else {
            return try write(touching: partitions) { (transaction) throws(StorageError) in
                try body(RefusingTransaction(transaction, held))
            }
        }
        for index in held { wait(for: partitions[index]) }
        return try write(touching: partitions) { (transaction) throws(StorageError) in
            try body(held.isEmpty ? transaction : LateTransaction(transaction))
        }
    }

    func close() {
        inner.close()
    }
}

/// A transaction that waits for locks that it takes later, if another server has them.
private final class LockingTransaction: ForwardingTransaction {
    let inner: any WriteTransaction
    private let store: GatedStore

    init(_ inner: any WriteTransaction, _ store: GatedStore) {
        self.inner = inner
        self.store = store
    }

    func lock(_ partitions: [Partition]) throws(StorageError) {
        for partition in partitions { store.wait(for: partition) }
        try inner.lock(partitions)
    }
}

/// A transaction that leaves partitions alone that another server has.
private final class RefusingTransaction: ForwardingTransaction {
    let inner: any WriteTransaction
    let refused: [Int]

    init(_ inner: any WriteTransaction, _ refused: [Int]) {
        self.inner = inner
        self.refused = refused
    }
}

/// A transaction that has waited for another server.
private final class LateTransaction: ForwardingTransaction {
    let inner: any WriteTransaction

    init(_ inner: any WriteTransaction) {
        self.inner = inner
    }

    var hasWaited: Bool { true }
}

/// The events of a test, in order.
final class Journal: Sendable {
    private let all = Mutex<[String]>([])
    private let prepared = Mutex<[String]>([])

    var lines: [String] { all.withLock { $0 } }
    /// The jobs whose keys were asked for, once for each time.
    var preparedJobs: [String] { prepared.withLock { $0 } }

    func addKeys(of job: String) {
        prepared.withLock { $0.append(job) }
    }

    func add(_ line: String) {
        all.withLock { $0.append(line) }
    }
}

/// Lets one waiter pass for each signal.
final class Turnstile: Sendable {
    private struct State {
        var signals = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func signal() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.signals += 1
            return nil
        }
        next?.resume()
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let mayPass = state.withLock { state in
                if state.signals > 0 {
                    state.signals -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if mayPass { continuation.resume() }
        }
    }
}

private struct Jobs: Dispatcher {
    let methods: [ServedMethod]

    init(_ body: @escaping ServedMethod.Unary) {
        methods = [.unary("/test.Jobs/Run", body)]
    }
}
