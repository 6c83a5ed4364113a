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

/// A call that reads: the way from its request to its answer, on its loop or on a reader's thread.
///
/// It is up to three functions. The first one validates the request's own fields, and returns the
/// findings that the others need. The second one puts the answer together from adjacency lists in
/// memory, if they say all of it. It reads no row, and so runs on the loop even if the request
/// names many users. The third one answers from rows, and is the same on a loop and on a reader's
/// thread. It returns nil if the acting user has no account. Answers stand in the memory of the
/// call.
///
/// The compiler makes the functions here for each call. The parts that need no type of a message
/// stand in ``ServedRead`` and ``ReadPlan``.
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

    /// The store that has the answer; nil if that is the store of the call.
    typealias Elsewhere = @Sendable (Checked) -> OtherStore?

    private let requests: Coder<Request>
    private let responses: Coder<Response>
    private let validate: Validate
    private let fromCache: FromCache?
    private let elsewhere: Elsewhere?
    private let fromRows: FromRows
    private let plan: ReadPlan
    /// The key of the request that a loop decodes into, if the call is served by ``reusing``.
    private let requestKey = SlotKey<ReusedRequest>()

    init(
        _ method: Method<Request, Response>, in environment: ReadEnvironment,
        missing: RPCError? = nil, validating validate: @escaping Validate,
        fromCache: FromCache? = nil, elsewhere: Elsewhere? = nil,
        fromRows: @escaping FromRows
    ) where Request: SizedReadRequest {
        requests = method.requestCoder
        responses = method.responseCoder
        self.validate = validate
        self.fromCache = fromCache
        self.elsewhere = elsewhere
        self.fromRows = fromRows
        plan = ReadPlan(
            method.path, needing: method.scope, scans: method.access == .scan,
            isCached: fromCache != nil, missing: missing, in: environment)
    }

    /// A request that is not copied, because a copy would count all that the request holds: calls
    /// borrow it where it is.
    private struct HeldRequest: ~Copyable {
        var request: Request
    }

    /// The request of a method on one loop, whose memory serves one call after another.
    ///
    /// A call borrows it until its loop has done with it, and no other call of the loop runs
    /// meanwhile.
    private final class ReusedRequest {
        @exclusivity(unchecked) var held: HeldRequest

        init(_ request: Request) {
            held = HeldRequest(request: request)
        }
    }
}

extension ReadMethod where Request: SizedReadRequest {
    /// The call as it is served if each request has memory of its own.
    var served: ServedRead {
        ServedRead(plan, begin: begin, answer: answer)
    }

    /// The call as it is served if each loop decodes all requests into the same memory.
    var reusing: ServedRead {
        ServedRead(plan, begin: beginReusing, answer: answer)
    }

    // MARK: On the loop

    /// The readers of a request that its loop does not decode; nil if it does.
    private func pool(of bytes: UnsafeRawBufferPointer) -> Readers? {
        guard !plan.scans else { return plan.environment.readers.scans }
        // So the memory of a request that is used again is bounded as well.
        guard bytes.count <= RuntimeLimits.requestBytesOnLoop,
            !Request.asks(forMoreThan: plan.cachedRowsOnLoop, in: bytes)
        else { return plan.environment.readers.long }
        return nil
    }

    @Sendable private func begin(
        _ bytes: UnsafeRawBufferPointer, _ caller: Caller, _ now: Timestamp, _ served: ServerCall,
        _ audited: AuditedRead?
    ) throws(RPCError) -> ServedRead.LoopStep {
        if let pool = pool(of: bytes) { return .moves(to: pool) }
        let request = try requests.request(bytes, served.arena)
        return try begin(HeldRequest(request: request), caller, now, served, audited)
    }

    @Sendable private func beginReusing(
        _ bytes: UnsafeRawBufferPointer, _ caller: Caller, _ now: Timestamp, _ served: ServerCall,
        _ audited: AuditedRead?
    ) throws(RPCError) -> ServedRead.LoopStep {
        if let pool = pool(of: bytes) { return .moves(to: pool) }
        let reused: ReusedRequest
        if let request = served.methodSlot[requestKey] {
            reused = request
        } else {
            reused = ReusedRequest(Request())
            served.methodSlot[requestKey] = reused
        }
        try requests.request(bytes, served.arena, filling: &reused.held.request)
        return try begin(reused.held, caller, now, served, audited)
    }

    private func begin(
        _ held: borrowing HeldRequest, _ caller: Caller, _ now: Timestamp, _ served: ServerCall,
        _ audited: AuditedRead?
    ) throws(RPCError) -> ServedRead.LoopStep {
        guard case .rows(let rows) = held.request.readSize else {
            return .moves(to: plan.environment.readers.scans)
        }
        guard rows <= plan.cachedRowsOnLoop else {
            return .moves(to: plan.environment.readers.long)
        }
        let isLong = rows > plan.rowsOnLoop
        let result = try read(
            held, caller, now, served.arena, audited, on: .loop, orOnlyCache: isLong)
        guard case .answered(let answer) = result else {
            let readers = plan.environment.readers
            return .moves(to: isLong ? readers.long : readers.misses)
        }
        switch answer {
        case .message(let message): served.respond(message, responses)
        case .encoded(let bytes): served.respond { output in bytes.withBytes(output.append) }
        }
        return .answered
    }

    // MARK: On a reader's thread

    /// The answer, encoded; the memory of the call is given back when this returns.
    @Sendable private func answer(
        to bytes: UnsafeRawBufferPointer, _ caller: Caller, _ now: Timestamp,
        by deadline: Deadline?, _ arena: Arena, _ audited: AuditedRead?
    ) throws(RPCError) -> [UInt8] {
        let request = try requests.request(bytes, arena)
        let result = try read(
            HeldRequest(request: request), caller, now, arena, audited, on: .reader,
            by: deadline, orOnlyCache: false)
        guard case .answered(let answer) = result else {
            preconditionFailure("a read of the disk found no row")
        }
        return try answer.bytes(responses, arena)
    }

    // MARK: On either

    /// The answer in the memory of the call, as far as the reach goes.
    ///
    /// - Parameters:
    ///   - audited: Learns of the acting user; nil if the call is not recorded.
    ///   - deadline: The caller's, for a read that may wait for a standby.
    ///   - onlyCache: Whether no row is read at all.
    private func read(
        _ held: borrowing HeldRequest, _ caller: Caller, _ now: Timestamp, _ arena: Arena,
        _ audited: AuditedRead?, on thread: ReadPlan.ThreadKind, by deadline: Deadline? = nil,
        orOnlyCache onlyCache: Bool
    ) throws(RPCError) -> CacheResult<ReadAnswer<Response>> {
        var violations = Violations()
        let actsForUser = Request.actsForUser && !held.request.actsForApp
        var moved = caller.rights.call(
            as: actsForUser ? held.request.actingUser : nil, at: now, arena, &violations)
        if let audited, violations.isEmpty { audited.user = moved.actor }
        if plan.readsPast, let moment = held.request.options?.asOfMs, moment != 0 {
            PastReads.move(&moved, to: moment, &violations)
        }
        // A closure copies a variable that it has captured at each use.
        let call = consume moved
        let checked = validate(held.request, call, &violations)
        let least = LeastSequence(
            held.request.options, of: call.user, mayBePast: plan.readsPast, &violations)
        guard violations.isEmpty else { throw violations.error }

        if !call.isPast, let adjacency = plan.adjacency, let fromCache {
            if thread == .loop, least.isAny {
                do throws(StorageError) {
                    switch try fromCache(held.request, checked, call, adjacency) {
                    case .answered(let answer): return .answered(.encoded(answer))
                    case .worthLoading: return .worthLoading
                    case .notKnown: break
                    }
                } catch {
                    try plan.endsInMemory(error)
                    return .notKnown
                }
            }
            if onlyCache { return .notKnown }
        }
        var answer: ReadAnswer<Response>?
        let other = elsewhere?(checked)
        let isRead = try plan.read(call, least, at: now, on: thread, by: deadline, in: other) {
            (lookup, transaction) throws(StorageError) in
            answer = try fromRows(held.request, checked, call, lookup, transaction)
            return answer != nil
        }
        guard isRead, let answer else { return .notKnown }
        return .answered(answer)
    }
}
