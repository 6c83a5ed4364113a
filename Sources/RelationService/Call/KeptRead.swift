import GRPC
package import Protobuf
package import RelationAPI
import RelationAdmission
package import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime
package import Storage

/// A read that is asked for so often that its loop keeps the memory of its request.
///
/// It is two functions, which are the same on a loop and on a reader's thread. The first one judges
/// the request's own fields. The second one puts the answer together in the memory of the call, and
/// returns nil if the acting user has no account.
package final class KeptRead<Request: SizedReadRequest, Response: CodedMessage>: ReaderAnswer {
    package typealias Judge = @Sendable (borrowing Request, Call, inout Violations) -> Void

    package typealias Answer =
        @Sendable (borrowing Request, Call, any ReadTransaction)
        throws(StorageError) -> Encoded<Response>?

    private let requests: Coder<Request>
    private let judge: Judge
    private let answer: Answer
    private let store: any Store
    /// The rows of the longest read that stays on its loop.
    private let rowsOnLoop: Int

    init(
        _ method: Method<Request, Response>, _ store: any Store, judging judge: @escaping Judge,
        answering answer: @escaping Answer
    ) {
        requests = method.requestCoder
        self.judge = judge
        self.answer = answer
        self.store = store
        rowsOnLoop =
            store.holdsRows ? RuntimeLimits.heldRowsOnLoop : RuntimeLimits.rowsOnLoop
    }

    /// The request of a method on one loop.
    private final class Kept {
        @exclusivity(unchecked) var request = Request()
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
        // So the memory that is kept is bounded as well.
        guard bytes.count <= RuntimeLimits.requestBytesOnLoop,
            !Request.asks(forMoreThan: rowsOnLoop, in: bytes)
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
        guard case .rows(...rowsOnLoop) = kept.request.readSize else { return .long }
        guard let response = try read(kept.request, caller, now, arena, reaching: .memory) else {
            return .missed
        }
        served.respond { output in response.withBytes { output.append($0) } }
        return .answered
    }

    func bytes(
        of request: [UInt8], _ caller: Caller, _ now: Timestamp, _ arena: Arena
    ) throws(RPCError) -> [UInt8] {
        let request = try request.withUnsafeBufferPointer { (bytes) throws(RPCError) in
            try requests.request(UnsafeRawBufferPointer(bytes), arena)
        }
        guard let response = try read(request, caller, now, arena, reaching: .disk) else {
            preconditionFailure("a read of the disk found no row")
        }
        return response.withBytes { [UInt8]($0) }
    }

    /// The answer in the memory of the call; nil if a row is beyond the reach.
    private func read(
        _ request: Request, _ caller: Caller, _ now: Timestamp, _ arena: Arena,
        reaching reach: Reach
    ) throws(RPCError) -> Encoded<Response>? {
        var faults = Violations()
        let call = caller.call(
            Request.actsForUser ? request.actingUser : nil, at: now, arena, &faults)
        judge(request, call, &faults)
        let least = LeastSequence(request.options, of: call.user, &faults)
        guard faults.isEmpty else { throw faults.error }

        var isReached = false
        var response: Encoded<Response>?
        do throws(StorageError) {
            try store.read(reaching: reach) { (transaction) throws(StorageError) in
                isReached = try least.isReached(call.app, in: transaction)
                guard isReached else { return }
                response = try answer(request, call, transaction)
            }
        } catch  where error.code == .notInMemory {
            return nil
        } catch {
            throw RPCError(error)
        }
        guard isReached else { throw least.notIssued }
        guard let response else {
            throw call.actor.map { .unknownUser($0) } ?? .unknownApp(call.app.id)
        }
        return response
    }
}

extension Router {
    /// Registers a read that is asked for very often; see ``KeptRead``.
    package func read<Request: SizedReadRequest, Response: CodedMessage>(
        _ method: Method<Request, Response>,
        judging judge: @escaping KeptRead<Request, Response>.Judge,
        answering answer: @escaping KeptRead<Request, Response>.Answer
    ) {
        let read = KeptRead(method, store, judging: judge, answering: answer)
        let (scope, door, clock, readers) = (method.scope, door, clock, readers)
        add(method.path, needing: scope) { bytes, served throws(RPCError) in
            let caller = try door.admit(served, needing: scope)
            let now = clock.now()
            let pool: Readers
            switch try read.attempt(bytes, caller, now, served) {
            case .answered: return
            case .missed: pool = readers.misses
            case .long: pool = readers.long
            }
            try read.answer(Array(bytes), caller, now, served, through: door, on: pool)
        }
    }
}
