import GRPC
package import Protobuf
package import RelationAPI
import RelationAdmission
package import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime
package import Storage

/// A read that is asked for so often that its loop keeps the memory of its request and answer.
///
/// It is two functions, which are the same on a loop and on a reader's thread. The first one judges
/// the request's own fields. The second one fills in the answer, and returns false if the acting
/// user has no account; the answer that it gets may hold that of another call.
package struct KeptRead<Request: SizedReadRequest, Response: CodedMessage>: Sendable {
    package typealias Judge = @Sendable (borrowing Request, Call, inout Violations) -> Void

    package typealias Answer =
        @Sendable (borrowing Request, Call, any ReadTransaction, inout Response)
        throws(StorageError) -> Bool

    private let requests: Coder<Request>
    private let responses: Coder<Response>
    private let judge: Judge
    private let answer: Answer
    private let store: any Store

    init(
        _ method: Method<Request, Response>, _ store: any Store, judging judge: @escaping Judge,
        answering answer: @escaping Answer
    ) {
        requests = method.requestCoder
        responses = method.responseCoder
        self.judge = judge
        self.answer = answer
        self.store = store
    }

    /// The messages of a method on one loop.
    private final class Kept {
        @exclusivity(unchecked) var request = Request()
        @exclusivity(unchecked) var response = Response()
    }

    enum Attempt {
        case answered
        /// A row is not in memory.
        case missed
        /// The request names more than a loop reads.
        case long
    }

    /// Answers the call on its loop, if it can.
    func attempt(
        _ bytes: UnsafeRawBufferPointer, _ caller: Caller, _ now: Timestamp, _ served: ServerCall
    ) throws(RPCError) -> Attempt {
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
        guard case .rows(...RuntimeLimits.rowsOnLoop) = kept.request.readSize else { return .long }
        guard try fill(kept, caller, now, arena) else { return .missed }
        served.respond(kept.response, responses)
        return .answered
    }

    private func fill(
        _ kept: Kept, _ caller: Caller, _ now: Timestamp, _ arena: Arena
    ) throws(RPCError) -> Bool {
        var faults = Violations()
        let call = caller.call(
            Request.actsForUser ? kept.request.actingUser : nil, at: now, arena, &faults)
        judge(kept.request, call, &faults)
        let least = LeastSequence(kept.request.options, of: call.user, &faults)
        guard faults.isEmpty else { throw faults.error }

        var (isReached, isThere) = (false, false)
        do throws(StorageError) {
            try store.read(reaching: .memory) { (transaction) throws(StorageError) in
                isReached = try least.isReached(call.app, in: transaction)
                guard isReached else { return }
                isThere = try answer(kept.request, call, transaction, &kept.response)
            }
        } catch  where error.code == .notInMemory {
            return false
        } catch {
            throw RPCError(error)
        }
        guard isReached else { throw least.notIssued }
        guard isThere else {
            throw call.actor.map { .unknownUser($0) } ?? .unknownApp(call.app.id)
        }
        return true
    }

    /// The same read for a reader's thread, which keeps nothing.
    package static func handler(
        judging judge: @escaping Judge, answering answer: @escaping Answer
    ) -> ReadMethod<Request, Response>.Handler {
        { request, call, faults in
            judge(request, call, &faults)
            return { (transaction) throws(StorageError) in
                var response = Response()
                return try answer(request, call, transaction, &response) ? response : nil
            }
        }
    }
}

extension Router {
    /// Registers a read that is asked for very often; see ``KeptRead``.
    package func read<Request: SizedReadRequest, Response: CodedMessage>(
        _ method: Method<Request, Response>,
        judging judge: @escaping KeptRead<Request, Response>.Judge,
        answering answer: @escaping KeptRead<Request, Response>.Answer
    ) {
        let kept = KeptRead(method, store, judging: judge, answering: answer)
        let handler = KeptRead.handler(judging: judge, answering: answer)
        let read = ReadMethod(method, handler, door, store)
        let (scope, clock, readers) = (method.scope, clock, readers)
        add(method.path, needing: scope) { bytes, served throws(RPCError) in
            let caller = try read.door.admit(served, needing: scope)
            let now = clock.now()
            var pool = readers.long
            // So the memory that is kept is bounded as well.
            if bytes.count <= RuntimeLimits.requestBytesOnLoop {
                switch try kept.attempt(bytes, caller, now, served) {
                case .answered: return
                case .missed: pool = readers.misses
                case .long: break
                }
            }
            try read.answer(Array(bytes), caller, now, served, on: pool)
        }
    }
}
