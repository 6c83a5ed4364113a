import GRPC
package import Memory
package import Protobuf
package import RPC
package import RelationAPI
package import RelationAdmission
package import RelationCalls
import RelationCore
package import RelationModel
import RelationRuntime
package import Storage

/// A call that reads, with all that is needed to answer it on any thread.
package struct ReadMethod<Request: SizedReadRequest, Response: CodedMessage>: Sendable {
    package typealias Handler =
        @Sendable (Request, Call, inout Violations) -> Reading<Response>

    let requests: Coder<Request>
    package let responses: Coder<Response>
    let handler: Handler
    /// The error of a call that finds nothing; nil if it means that the acting user has no account.
    let missing: RPCError?
    package let authenticator: Authenticator
    let store: any Store

    package init(
        _ method: Method<Request, Response>, missing: RPCError? = nil,
        _ handler: @escaping Handler, _ authenticator: Authenticator, _ store: any Store
    ) {
        self.missing = missing
        requests = method.requestCoder
        responses = method.responseCoder
        self.handler = handler
        self.authenticator = authenticator
        self.store = store
    }

    /// The result of a call within its reach.
    package enum Attempt {
        case answered(Response)
        /// A row is not in memory.
        case missed
        /// The request names more than a loop reads.
        case long
        /// The request reads as many rows as there are.
        case scans
    }

    /// Answers the call, as far as the reach allows.
    ///
    /// The answer may borrow from `arena` and `bytes`.
    package func answer(
        _ bytes: UnsafeRawBufferPointer, _ caller: Caller, _ now: Timestamp, _ arena: Arena,
        reaching reach: Reach
    ) throws(RPCError) -> Attempt {
        let request = try requests.request(bytes, arena)
        if reach == .memory {
            switch request.readSize {
            case .rows(let count) where count <= RuntimeLimits.rowsOnLoop: break
            case .rows: return .long
            case .scan: return .scans
            }
        }
        var faults = Violations()
        let actsForUser = Request.actsForUser && !request.actsForApp
        let call = caller.call(
            actsForUser ? request.actingUser : nil, at: now, arena, &faults)
        let reading = handler(request, call, &faults)
        let least = LeastSequence(request.options, of: call.user, &faults)
        guard faults.isEmpty else { throw faults.error }

        let found: Found
        do throws(StorageError) {
            found = try store.read(reaching: reach) { (transaction) throws(StorageError) in
                guard try least.isReached(call.app, in: transaction) else { return .notReached }
                guard let answer = try reading(transaction) else { return .nothing }
                return .answer(answer)
            }
        } catch  where error.code == .notInMemory {
            return .missed
        } catch {
            throw RPCError(error)
        }
        switch found {
        case .answer(let response): return .answered(response)
        case .notReached: throw least.notIssued
        case .nothing:
            throw missing ?? call.actor.map { .unknownUser($0) } ?? .unknownApp(call.app.id)
        }
    }

    private enum Found {
        case answer(Response)
        /// The store has not reached the sequence that the caller requires.
        case notReached
        case nothing
    }
}

extension ReadMethod: ReaderAnswer {
    func bytes(
        of request: [UInt8], _ caller: Caller, _ now: Timestamp, _ arena: Arena
    ) throws(RPCError) -> [UInt8] {
        try request.withUnsafeBufferPointer { (bytes) throws(RPCError) in
            let outcome = try answer(
                UnsafeRawBufferPointer(bytes), caller, now, arena, reaching: .disk)
            // A read with reach to the disk misses no row.
            guard case .answered(let response) = outcome else {
                preconditionFailure("a read of the disk found no row")
            }
            do throws(CodecError) {
                return try responses.bytes(response, arena)
            } catch {
                throw RPCError(.internalError, "the answer does not encode", cause: error)
            }
        }
    }
}
