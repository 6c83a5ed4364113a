import GRPC
import Memory
package import Protobuf
import RPC
import RelationAPI
import RelationAdmission
package import RelationCalls
package import RelationCore
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

/// A call that reads: the way from its request to its answer, on its loop or on a reader's thread.
///
/// It is up to three functions. The first one validates the request's own fields, and returns the
/// findings that the others need. The second one puts the answer together from adjacency lists in
/// memory, if they say all of it. It reads no row, and so runs on the loop even if the request
/// names many users. The third one answers from rows, and is the same on a loop and on a reader's
/// thread. It returns nil if the acting user has no account. Answers stand in the memory of the
/// call.
///
/// The condition of its request is that of its functions, for the reason that ``Coder`` has.
package final class ReadMethod<Request, Checked, Response: CodedMessage>: Sendable {
    package typealias Validate =
        @Sendable (borrowing Request, Call, inout Violations) -> Checked

    package typealias FromCache =
        @Sendable (borrowing Request, Checked, Call, AdjacencyCache) throws(StorageError)
        -> CacheResult<Encoded<Response>>

    package typealias FromRows =
        @Sendable (borrowing Request, Checked, Call, CacheLookup?, any ReadTransaction)
        throws(StorageError) -> ReadAnswer<Response>?

    private let requests: Coder<Request>
    private let responses: Coder<Response>
    private let scope: Scope
    /// Whether the call is of those that scan, none of which a loop answers.
    private let scans: Bool
    private let validate: Validate
    private let fromCache: FromCache?
    private let fromRows: FromRows
    /// The error of a call that finds nothing; nil if it means that the acting user has no account.
    private let missing: RPCError?
    private let environment: ReadEnvironment
    /// The adjacency lists that may answer; nil if there are none.
    private let adjacency: AdjacencyCache?
    /// The standbys that may answer; nil if the primary alone does.
    private let standbys: StandbyReads?
    /// Whether a standby is asked even if no read may be older than the call.
    private let isHeavy: Bool
    /// Whether the call reads at a past moment if the request names one.
    private let readsPast: Bool
    /// The rows of the longest read that stays on its loop.
    private let rowsOnLoop: Int
    /// The rows of the longest read that a loop decodes, because adjacency lists may say all of it.
    private let cachedRowsOnLoop: Int
    /// The key of the request that a loop decodes into; nil if each call has one of its own.
    private let requestKey: SlotKey<ReusedRequest>?

    init(
        _ method: Method<Request, Response>, in environment: ReadEnvironment,
        missing: RPCError? = nil, validating validate: @escaping Validate,
        fromCache: FromCache? = nil, fromRows: @escaping FromRows
    ) where Request: SizedReadRequest {
        requests = method.requestCoder
        responses = method.responseCoder
        scope = method.scope
        scans = method.access == .scan
        self.validate = validate
        self.fromCache = fromCache
        self.fromRows = fromRows
        self.missing = missing
        self.environment = environment
        standbys = StandbyReads.calls.contains(method.path) ? environment.standbys : nil
        isHeavy = StandbyReads.heavyCalls.contains(method.path)
        readsPast = PastReads.calls.contains(method.path)
        let isCached = fromCache != nil
        let lists = environment.memory.adjacency
        adjacency = isCached && lists.isOn ? lists : nil
        let holdsRows = isCached && environment.store.holdsRows
        rowsOnLoop = holdsRows ? RuntimeLimits.heldRowsOnLoop : RuntimeLimits.rowsOnLoop
        cachedRowsOnLoop =
            adjacency == nil ? rowsOnLoop : max(rowsOnLoop, RuntimeLimits.cachedRowsOnLoop)
        requestKey = isCached ? SlotKey() : nil
    }

    /// The request of a method on one loop, whose memory serves one call after another.
    private final class ReusedRequest {
        @exclusivity(unchecked) var request: Request

        init(_ request: Request) {
            self.request = request
        }
    }

    /// The state of a call after its loop has looked at it.
    private enum LoopStep {
        case answered
        case moves(to: Readers)
    }
}

extension ReadMethod where Request: SizedReadRequest {
    /// Answers the call on its loop if it can; otherwise a reader answers it.
    func serve(_ bytes: UnsafeRawBufferPointer, _ served: ServerCall) throws(RPCError) {
        let epoch = environment.authenticator.epoch
        let caller = try environment.authenticator.admit(served, needing: scope)
        let now = environment.clock.now()
        let audit = environment.authenticator.apps.audit
        guard !audit.calls.isOn || !caller.isAdmin else {
            let read = try AuditedRead(caller, served, bytes: bytes.count, in: audit, at: now)
            return try serve(bytes, caller, now, served, since: epoch, read)
        }
        guard case .moves(let pool) = try begin(bytes, caller, now, served, nil) else { return }
        try move(Array(bytes), caller, now, served, since: epoch, to: pool, nil)
    }

    /// Answers a call that is recorded.
    @inline(never)
    private func serve(
        _ bytes: UnsafeRawBufferPointer, _ caller: Caller, _ now: Timestamp, _ served: ServerCall,
        since epoch: Int64, _ audited: AuditedRead
    ) throws(RPCError) {
        do throws(RPCError) {
            guard case .moves(let pool) = try begin(bytes, caller, now, served, audited)
            else { return audited.note() }
            try move(Array(bytes), caller, now, served, since: epoch, to: pool, audited)
        } catch {
            audited.note(error)
            throw error
        }
    }

    // MARK: On the loop

    private var readers: ReaderPools { environment.readers }

    private func begin(
        _ bytes: UnsafeRawBufferPointer, _ caller: Caller, _ now: Timestamp, _ served: ServerCall,
        _ audited: AuditedRead?
    ) throws(RPCError) -> LoopStep {
        guard !scans else { return .moves(to: readers.scans) }
        // So the memory of a request that is used again is bounded as well.
        guard bytes.count <= RuntimeLimits.requestBytesOnLoop,
            !Request.asks(forMoreThan: cachedRowsOnLoop, in: bytes)
        else { return .moves(to: readers.long) }
        guard let requestKey else {
            let request = try requests.request(bytes, served.arena)
            return try begin(request, caller, now, served, audited)
        }
        let reused: ReusedRequest
        if let request = served.methodSlot[requestKey] {
            reused = request
        } else {
            reused = ReusedRequest(Request())
            served.methodSlot[requestKey] = reused
        }
        try requests.request(bytes, served.arena, filling: &reused.request)
        return try begin(reused.request, caller, now, served, audited)
    }

    private func begin(
        _ request: Request, _ caller: Caller, _ now: Timestamp, _ served: ServerCall,
        _ audited: AuditedRead?
    ) throws(RPCError) -> LoopStep {
        guard case .rows(let rows) = request.readSize else { return .moves(to: readers.scans) }
        guard rows <= cachedRowsOnLoop else { return .moves(to: readers.long) }
        let isLong = rows > rowsOnLoop
        let result = try read(
            request, caller, now, served.arena, audited, reaching: .memory, orOnlyCache: isLong)
        guard case .answered(let answer) = result else {
            return .moves(to: isLong ? readers.long : readers.misses)
        }
        switch answer {
        case .message(let message): served.respond(message, responses)
        case .encoded(let bytes): served.respond { output in bytes.withBytes(output.append) }
        }
        return .answered
    }

    // MARK: On a reader's thread

    /// - Parameter epoch: The authenticator's epoch, from before it admitted the call.
    private func move(
        _ request: [UInt8], _ caller: Caller, _ now: Timestamp, _ served: ServerCall,
        since epoch: Int64, to pool: Readers, _ audited: AuditedRead?
    ) throws(RPCError) {
        let authenticator = environment.authenticator
        try authenticator.enter(served, of: caller)
        let (path, peer) = authenticator.apps.audit.isOn ? (served.path, served.peer) : ("", "")
        let handle = served.beginWork()
        let deadline = served.deadline
        let taken = pool.submit(of: caller.app.id, for: handle, by: deadline) { arena in
            let answer: Result<[UInt8], RPCError>
            do throws(RPCError) {
                answer = .success(
                    try self.bytes(of: request, caller, now, by: deadline, arena, audited))
                audited?.note()
            } catch {
                audited?.note(error)
                authenticator.noteRefusal(error, of: caller, caller.app.id, path, from: peer)
                answer = .failure(error)
            }
            handle.resume { call in
                do throws(RPCError) {
                    let bytes = try answer.get()
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

    /// The answer, encoded; the memory of the call is given back when this returns.
    private func bytes(
        of request: [UInt8], _ caller: Caller, _ now: Timestamp, by deadline: Deadline?,
        _ arena: Arena, _ audited: AuditedRead?
    ) throws(RPCError) -> [UInt8] {
        try request.withUnsafeBufferPointer { (bytes) throws(RPCError) in
            let request = try requests.request(UnsafeRawBufferPointer(bytes), arena)
            let result = try read(
                request, caller, now, arena, audited, reaching: .disk, by: deadline,
                orOnlyCache: false)
            guard case .answered(let answer) = result else {
                preconditionFailure("a read of the disk found no row")
            }
            return try answer.bytes(responses, arena)
        }
    }

    // MARK: On either

    /// The answer in the memory of the call, as far as the reach goes.
    ///
    /// - Parameters:
    ///   - audited: Learns of the acting user; nil if the call is not recorded.
    ///   - reach: A loop reaches the memory, and loads no adjacency list. A reader's thread reaches
    ///     the disk, and loads the acting user's adjacency list if it is not known.
    ///   - deadline: The caller's, for a read that may wait for a standby.
    ///   - onlyCache: Whether no row is read at all.
    @inline(__always)
    private func read(
        _ request: Request, _ caller: Caller, _ now: Timestamp, _ arena: Arena,
        _ audited: AuditedRead?, reaching reach: Reach, by deadline: Deadline? = nil,
        orOnlyCache onlyCache: Bool
    ) throws(RPCError) -> CacheResult<ReadAnswer<Response>> {
        var violations = Violations()
        let actsForUser = Request.actsForUser && !request.actsForApp
        var moved = caller.rights.call(
            as: actsForUser ? request.actingUser : nil, at: now, arena, &violations)
        if let audited, violations.isEmpty { audited.user = moved.actor }
        if readsPast, let moment = request.options?.asOfMs, moment != 0 {
            PastReads.move(&moved, to: moment, &violations)
        }
        // A closure copies a variable that it has captured at each use.
        let call = consume moved
        let checked = validate(request, call, &violations)
        let least = LeastSequence(
            request.options, of: call.user, mayBePast: readsPast, &violations)
        guard violations.isEmpty else { throw violations.error }
        if call.isPast { return .answered(try readPast(request, checked, call, now, least)) }

        var isReached = false
        var isBehind = false
        var answer: ReadAnswer<Response>?
        do throws(StorageError) {
            var asked: CacheLookup?
            if let adjacency, let fromCache {
                if reach == .memory, least.isAny {
                    switch try fromCache(request, checked, call, adjacency) {
                    case .answered(let answer): return .answered(.encoded(answer))
                    case .worthLoading: return .worthLoading
                    case .notKnown: break
                    }
                }
                if onlyCache { return .notKnown }
                // Before the read's view is taken.
                asked = CacheLookup(
                    environment.memory, loading: reach == .disk ? [call.user] : [], call.app)
            }
            var step = StandbyReads.Step.primary
            if reach == .disk, let standbys {
                step = standbys.read(least, isHeavy: isHeavy, by: deadline) {
                    (transaction) throws(StorageError) in
                    guard try least.isReached(call.app, in: transaction) else { return .behind }
                    isReached = true
                    answer = try fromRows(request, checked, call, asked, transaction)
                    return answer == nil ? .unsure : .answered
                }
            }
            isBehind = step == .behind
            if step == .primary {
                try environment.store.read(reaching: reach) {
                    (transaction) throws(StorageError) in
                    isReached = try least.isReached(call.app, in: transaction)
                    guard isReached else { return }
                    answer = try fromRows(request, checked, call, asked, transaction)
                }
            }
        } catch  where error.code == .notInMemory {
            return .notKnown
        } catch {
            throw RPCError(error)
        }
        if isBehind { throw least.isBehind }
        guard isReached else { throw least.notIssued }
        guard let answer else { throw nothing(call) }
        return .answered(answer)
    }

    private func nothing(_ call: Call) -> RPCError {
        missing ?? call.actor.map { .unknownUser($0) } ?? .unknownApp(call.app.id)
    }

    /// The answer of a past moment, which no adjacency list and no cached row has.
    private func readPast(
        _ request: Request, _ checked: Checked, _ call: Call, _ now: Timestamp,
        _ least: LeastSequence
    ) throws(RPCError) -> ReadAnswer<Response> {
        var isReached = false
        var answer: ReadAnswer<Response>?
        var refusal: PastRefusal?
        do throws(StorageError) {
            try environment.store.read(reaching: .disk) { (transaction) throws(StorageError) in
                (answer, refusal) = (nil, nil)
                isReached = try least.isReached(call.app, in: transaction)
                guard isReached else { return }
                let begun = try PastTransaction.begin(
                    at: call.now, now, app: call.app, over: transaction)
                switch begun {
                case .failure(let refused): refusal = refused.refusal
                case .success(let past):
                    defer { refusal = past.refusal }
                    answer = try fromRows(request, checked, call, nil, past)
                }
            }
        } catch {
            throw refusal.map(PastReads.error) ?? RPCError(error)
        }
        if let refusal { throw PastReads.error(refusal) }
        guard isReached else { throw least.notIssued }
        guard let answer else { throw nothing(call) }
        return answer
    }
}
