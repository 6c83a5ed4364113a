import GRPC
import Memory
package import Protobuf
import RPC
package import RelationAPI
import RelationAdmission
package import RelationCalls
package import RelationCore
import RelationModel
import RelationRuntime
import Storage

/// A read that is asked for so often that its loop keeps the memory of its request.
///
/// It is three functions. The first one judges the request's own fields. The second one puts the
/// answer together from adjacency lists in memory, if they say all of it; it reads no row, and so
/// runs on the loop even if the request names many users. The third one puts it together from rows,
/// and is the same on a loop and on a reader's thread. It returns nil if the acting user has no
/// account. The answers stand in the memory of the call.
package final class CachedRead<Request: SizedReadRequest, Response: CodedMessage>: ReaderAnswer {
    package typealias Judge = @Sendable (borrowing Request, Call, inout Violations) -> Void

    package typealias Recall =
        @Sendable (borrowing Request, Call, AdjacencyCache) throws(StorageError) -> KnownAnswer<
            Response
        >

    package typealias Answer =
        @Sendable (borrowing Request, Call, CacheLookup?, any ReadTransaction)
        throws(StorageError) -> Encoded<Response>?

    private let requests: Coder<Request>
    private let judge: Judge
    private let recall: Recall
    private let answer: Answer
    private let store: any Store
    private let memory: ReadCache
    /// The adjacency lists of the memory; nil if none are kept.
    private let adjacency: AdjacencyCache?
    /// The rows of the longest read that stays on its loop.
    private let rowsOnLoop: Int
    /// The rows of the longest read that a loop decodes, because adjacency lists may say all of it.
    private let recalledRowsOnLoop: Int

    init(
        _ method: Method<Request, Response>, _ store: any Store, _ memory: ReadCache,
        judging judge: @escaping Judge, recalling recall: @escaping Recall,
        answering answer: @escaping Answer
    ) {
        requests = method.requestCoder
        self.judge = judge
        self.recall = recall
        self.answer = answer
        self.store = store
        self.memory = memory
        adjacency = memory.adjacency.isOn ? memory.adjacency : nil
        rowsOnLoop =
            store.holdsRows ? RuntimeLimits.heldRowsOnLoop : RuntimeLimits.rowsOnLoop
        recalledRowsOnLoop =
            adjacency == nil ? rowsOnLoop : max(rowsOnLoop, RuntimeLimits.recalledRowsOnLoop)
    }

    /// The request of a method on one loop.
    private final class Kept {
        @exclusivity(unchecked) var request = Request()
    }

    enum Attempt {
        case answered
        /// A row is not in memory, or an adjacency list is worth loading.
        case missed
        /// The request names more than a loop reads, and adjacency lists do not say all of it.
        case long
    }

    /// Answers the call on its loop, if it can.
    func attempt(
        _ bytes: UnsafeRawBufferPointer, _ caller: Caller, _ now: Timestamp, _ served: ServerCall
    ) throws(RPCError) -> Attempt {
        // So the memory that is kept is bounded as well.
        guard bytes.count <= RuntimeLimits.requestBytesOnLoop,
            !Request.asks(forMoreThan: recalledRowsOnLoop, in: bytes)
        else { return .long }
        let kept: Kept
        if let object = served.kept {
            // Only this function leaves anything for the method.
            kept = unsafeDowncast(object, to: Kept.self)
        } else {
            kept = Kept()
            served.kept = kept
        }
        let arena = served.arena
        try requests.request(bytes, arena, filling: &kept.request)
        guard case .rows(let rows) = kept.request.readSize, rows <= recalledRowsOnLoop else {
            return .long
        }
        let isLong = rows > rowsOnLoop
        let outcome = try read(
            kept.request, caller, now, arena, reaching: .memory, orOnlyAdjacency: isLong)
        guard case .answered(let response) = outcome else { return isLong ? .long : .missed }
        served.respond { output in response.withBytes { output.append($0) } }
        return .answered
    }

    func bytes(
        of request: [UInt8], _ caller: Caller, _ now: Timestamp, _ arena: Arena
    ) throws(RPCError) -> [UInt8] {
        let request = try request.withUnsafeBufferPointer { (bytes) throws(RPCError) in
            try requests.request(UnsafeRawBufferPointer(bytes), arena)
        }
        let outcome = try read(request, caller, now, arena, reaching: .disk, orOnlyAdjacency: false)
        guard case .answered(let response) = outcome else {
            preconditionFailure("a read of the disk found no row")
        }
        return response.withBytes { [UInt8]($0) }
    }

    private enum Outcome {
        case answered(Encoded<Response>)
        /// It is beyond the reach.
        case missed
    }

    /// The answer in the memory of the call.
    ///
    /// - Parameters:
    ///   - reach: A loop reaches the memory, and loads no adjacency list. A reader's thread reaches
    ///     the disk, and loads the acting user's adjacency list if it is not known.
    ///   - onlyAdjacency: Whether no row is read at all.
    @inline(__always)
    private func read(
        _ request: Request, _ caller: Caller, _ now: Timestamp, _ arena: Arena,
        reaching reach: Reach, orOnlyAdjacency onlyAdjacency: Bool
    ) throws(RPCError) -> Outcome {
        var faults = Violations()
        let call = caller.call(
            Request.actsForUser ? request.actingUser : nil, at: now, arena, &faults)
        judge(request, call, &faults)
        let least = LeastSequence(request.options, of: call.user, &faults)
        guard faults.isEmpty else { throw faults.error }

        var isReached = false
        var response: Encoded<Response>?
        do throws(StorageError) {
            var asked: CacheLookup?
            if let adjacency {
                if reach == .memory, least.isAny {
                    switch try recall(request, call, adjacency) {
                    case .answered(let response): return .answered(response)
                    case .worthLoading: return .missed
                    case .notKnown: break
                    }
                }
                if onlyAdjacency { return .missed }
                // Before the read's view is taken.
                asked = CacheLookup(
                    memory, loading: reach == .disk ? [call.user] : [], call.app)
            }
            try store.read(reaching: reach) { (transaction) throws(StorageError) in
                isReached = try least.isReached(call.app, in: transaction)
                guard isReached else { return }
                response = try answer(request, call, asked, transaction)
            }
        } catch  where error.code == .notInMemory {
            return .missed
        } catch {
            throw RPCError(error)
        }
        guard isReached else { throw least.notIssued }
        guard let response else {
            throw call.actor.map { .unknownUser($0) } ?? .unknownApp(call.app.id)
        }
        return .answered(response)
    }
}

/// The answer of a read that looks at adjacency lists alone.
package enum KnownAnswer<Response: CodedMessage> {
    case answered(Encoded<Response>)
    case notKnown
    /// The acting user's adjacency list was asked for before: it is worth loading.
    case worthLoading

    @inline(__always)
    init(
        _ recalled: Recalled, _ answer: () throws(StorageError) -> Encoded<Response>
    ) throws(StorageError) {
        switch recalled {
        case .answered: self = .answered(try answer())
        case .notKnown: self = .notKnown
        case .worthLoading: self = .worthLoading
        }
    }
}

extension Router {
    /// Registers a read that is asked for very often; see ``CachedRead``.
    package func read<Request: SizedReadRequest, Response: CodedMessage>(
        _ method: Method<Request, Response>,
        judging judge: @escaping CachedRead<Request, Response>.Judge,
        recalling recall: @escaping CachedRead<Request, Response>.Recall,
        answering answer: @escaping CachedRead<Request, Response>.Answer
    ) {
        let read = CachedRead(
            method, store, committer.memory, judging: judge, recalling: recall,
            answering: answer)
        let (scope, authenticator, clock, readers) = (method.scope, authenticator, clock, readers)
        add(method.path, needing: scope) { bytes, served throws(RPCError) in
            let epoch = authenticator.epoch
            let caller = try authenticator.admit(served, needing: scope)
            let now = clock.now()
            let pool: Readers
            switch try read.attempt(bytes, caller, now, served) {
            case .answered: return
            case .missed: pool = readers.misses
            case .long: pool = readers.long
            }
            try read.answer(
                Array(bytes), caller, now, served, through: authenticator, since: epoch, on: pool)
        }
    }
}
