import GRPC
import Memory
import RPC
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime
import Storage

/// The parts of a server that every read needs.
struct ReadEnvironment: Sendable {
    let store: any Store
    let memory: ReadCache
    let readers: ReaderPools
    let authenticator: Authenticator
    let clock: ServiceClock
    /// The reads that standbys may answer; nil if the store has none.
    let standbys: StandbyReads?
}

/// A call that reads, as the router serves it: from its admission to its answer.
///
/// Nothing here depends on the types of the messages, so the compiler makes it once.
/// ``ReadMethod`` has the parts that it makes for each call.
final class ServedRead: Sendable {
    /// Answers a call on its loop if it can.
    typealias Begin =
        @Sendable (UnsafeRawBufferPointer, Caller, Timestamp, ServerCall, AuditedRead?)
        throws(RPCError) -> LoopStep

    /// The encoded answer of a call on a reader's thread.
    typealias Answer =
        @Sendable (UnsafeRawBufferPointer, Caller, Timestamp, Deadline?, Arena, AuditedRead?)
        throws(RPCError) -> [UInt8]

    /// The state of a call after its loop has looked at it.
    enum LoopStep {
        case answered
        case moves(to: Readers)
    }

    private let begin: Begin
    private let answer: Answer
    private let authenticator: Authenticator
    private let clock: ServiceClock
    private let scope: Scope

    init(_ plan: ReadPlan, begin: @escaping Begin, answer: @escaping Answer) {
        self.begin = begin
        self.answer = answer
        authenticator = plan.environment.authenticator
        clock = plan.environment.clock
        scope = plan.scope
    }

    /// Answers the call on its loop if it can; otherwise a reader answers it.
    func serve(_ bytes: UnsafeRawBufferPointer, _ served: ServerCall) throws(RPCError) {
        let epoch = authenticator.epoch
        let caller = try authenticator.admit(served, needing: scope)
        let now = clock.now()
        guard !authenticator.records(caller) else {
            return try serveRecorded(bytes, caller, now, served, since: epoch)
        }
        guard case .moves(let pool) = try begin(bytes, caller, now, served, nil) else { return }
        try move(Array(bytes), caller, now, served, since: epoch, to: pool, nil)
    }

    /// Answers a call that is recorded.
    @inline(never)
    private func serveRecorded(
        _ bytes: UnsafeRawBufferPointer, _ caller: Caller, _ now: Timestamp, _ served: ServerCall,
        since epoch: Int64
    ) throws(RPCError) {
        let audited = try AuditedRead(
            caller, served, bytes: bytes.count, in: authenticator.apps.audit, at: now)
        do throws(RPCError) {
            guard case .moves(let pool) = try begin(bytes, caller, now, served, audited)
            else { return audited.note() }
            try move(Array(bytes), caller, now, served, since: epoch, to: pool, audited)
        } catch {
            audited.note(error)
            throw error
        }
    }

    /// - Parameter epoch: The authenticator's epoch, from before it admitted the call.
    private func move(
        _ request: [UInt8], _ caller: Caller, _ now: Timestamp, _ served: ServerCall,
        since epoch: Int64, to pool: Readers, _ audited: AuditedRead?
    ) throws(RPCError) {
        let authenticator = authenticator
        try authenticator.enter(served, of: caller)
        let (path, peer) = authenticator.apps.audit.isOn ? (served.path, served.peer) : ("", "")
        let handle = served.beginWork()
        let deadline = served.deadline
        let taken = pool.submit(of: caller.app.id, for: handle, by: deadline) { [answer] arena in
            let result: Result<[UInt8], RPCError>
            do throws(RPCError) {
                let bytes =
                    try request.withUnsafeBufferPointer { (bytes) throws(RPCError) in
                        try answer(
                            UnsafeRawBufferPointer(bytes), caller, now, deadline, arena, audited)
                    }
                try authenticator.checkPresence(of: caller.app)
                audited?.note()
                result = .success(bytes)
            } catch {
                audited?.note(error)
                authenticator.noteRefusal(error, of: caller, caller.app.id, path, from: peer)
                result = .failure(error)
            }
            handle.resume { call in
                do throws(RPCError) {
                    let bytes = try result.get()
                    try authenticator.checkLease(epoch)
                    call.respond { output in output.append(bytes) }
                } catch {
                    call.fail(error)
                }
            }
        }
        guard taken != nil else {
            served.withdrawWork()
            throw .overloaded
        }
    }
}

/// The threads, the caches and the databases that may answer the calls of one method.
final class ReadPlan: Sendable {
    /// The kind of thread that answers.
    enum ThreadKind {
        /// An event loop: it reads no further than memory, and loads no adjacency list.
        case loop
        /// A reader: it reads from disk, and loads the acting user's list if that is not known.
        case reader
    }

    /// Makes the answer from rows, and returns whether it found something.
    typealias Rows = (CacheLookup?, any ReadTransaction) throws(StorageError) -> Bool

    let environment: ReadEnvironment
    let scope: Scope
    /// Whether the call is of those that scan, none of which a loop answers.
    let scans: Bool
    /// Whether the call reads at a past moment if the request names one.
    let readsPast: Bool
    /// The adjacency lists that may answer; nil if there are none.
    let adjacency: AdjacencyCache?
    /// The rows of the longest read that stays on its loop.
    let rowsOnLoop: Int
    /// The rows of the longest read that a loop decodes, because adjacency lists may say all of it.
    let cachedRowsOnLoop: Int
    /// The error of a call that finds nothing; nil if it means that the acting user has no account.
    private let missing: RPCError?
    /// The standbys that may answer; nil if the primary alone does.
    private let standbys: StandbyReads?
    /// Whether a standby is asked even if no read may be older than the call.
    private let isHeavy: Bool

    init(
        _ path: String, needing scope: Scope, scans: Bool, isCached: Bool, missing: RPCError?,
        in environment: ReadEnvironment
    ) {
        self.environment = environment
        self.scope = scope
        self.scans = scans
        self.missing = missing
        standbys = StandbyReads.calls.contains(path) ? environment.standbys : nil
        isHeavy = StandbyReads.heavyCalls.contains(path)
        readsPast = PastReads.calls.contains(path)
        let lists = environment.memory.adjacency
        adjacency = isCached && lists.isOn ? lists : nil
        let holdsRows = isCached && environment.store.holdsRows
        rowsOnLoop = holdsRows ? RuntimeLimits.heldRowsOnLoop : RuntimeLimits.rowsOnLoop
        cachedRowsOnLoop =
            adjacency == nil ? rowsOnLoop : max(rowsOnLoop, RuntimeLimits.cachedRowsOnLoop)
    }

    /// Makes the answer from rows, as far as the thread may read.
    ///
    /// - Parameters:
    ///   - deadline: The caller's, for a read that may wait for a standby.
    ///   - other: The store that has the rows; nil if that is the store of the call.
    /// - Returns: False if a row is not in memory, and a loop reads.
    func read(
        _ call: Call, _ least: LeastSequence, at now: Timestamp, on thread: ThreadKind,
        by deadline: Deadline?, in other: OtherStore? = nil, _ rows: Rows
    ) throws(RPCError) -> Bool {
        guard !call.isPast else {
            try readPast(call, least, at: now, rows)
            return true
        }
        var (isReached, isFound) = (false, false)
        var step = StandbyReads.Step.primary
        do throws(StorageError) {
            // Before the read's view is taken.
            let lookup = adjacency.map { _ in
                CacheLookup(
                    environment.memory, loading: thread == .reader ? [call.user] : [], call.app)
            }
            if thread == .reader, let standbys {
                step = standbys.read(least, isHeavy: isHeavy, by: deadline) {
                    (transaction) throws(StorageError) in
                    guard try least.isReached(call.app, in: transaction) else { return .behind }
                    isReached = true
                    isFound = try rows(lookup, transaction)
                    return isFound ? .answered : .unsure
                }
            }
            if step == .primary {
                try environment.store.read(reaching: thread == .loop ? .memory : .disk) {
                    (transaction) throws(StorageError) in
                    isReached = try least.isReached(call.app, in: transaction)
                    guard isReached, other == nil else { return }
                    isFound = try rows(lookup, transaction)
                }
                // The view above has ended, so that the call has one connection at a time.
                if isReached, let other {
                    try other { (transaction) throws(StorageError) in
                        isFound = try rows(nil, transaction)
                    }
                }
            }
        } catch {
            try endsInMemory(error)
            return false
        }
        if step == .behind { throw least.isBehind }
        guard isReached else { throw least.notIssued }
        guard isFound else { throw nothing(call) }
        return true
    }

    /// Makes the answer of a past moment, which no adjacency list and no cached row has.
    private func readPast(
        _ call: Call, _ least: LeastSequence, at now: Timestamp, _ rows: Rows
    ) throws(RPCError) {
        var (isReached, isFound) = (false, false)
        var refusal: PastRefusal?
        do throws(StorageError) {
            try environment.store.read(reaching: .disk) { (transaction) throws(StorageError) in
                (isFound, refusal) = (false, nil)
                isReached = try least.isReached(call.app, in: transaction)
                guard isReached else { return }
                let begun = try PastTransaction.begin(
                    at: call.now, now, app: call.app, over: transaction)
                switch begun {
                case .failure(let refused): refusal = refused.refusal
                case .success(let past):
                    defer { refusal = past.refusal }
                    isFound = try rows(nil, past)
                }
            }
        } catch {
            throw refusal.map(PastReads.error) ?? RPCError(error)
        }
        if let refusal { throw PastReads.error(refusal) }
        guard isReached else { throw least.notIssued }
        guard isFound else { throw nothing(call) }
    }

    /// Returns if a read failed because a row is not in memory; throws all other failures.
    func endsInMemory(_ error: StorageError) throws(RPCError) {
        guard error.code == .notInMemory else { throw RPCError(error) }
    }

    private func nothing(_ call: Call) -> RPCError {
        missing ?? call.actor.map { .unknownUser($0) } ?? .unknownApp(call.app.id)
    }
}
