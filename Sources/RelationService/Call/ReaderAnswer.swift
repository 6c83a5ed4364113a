import GRPC
import Memory
import Protobuf
import RPC
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime

/// A read that a reader's thread can answer, from the bytes of its request.
protocol ReaderAnswer: Sendable {
    /// The answer, encoded; the memory is given back when this returns.
    func bytes(
        of request: [UInt8], _ caller: Caller, _ now: Timestamp, _ arena: Arena
    ) throws(RPCError) -> [UInt8]
}

extension ReaderAnswer {
    /// Answers the call on a thread of `pool`, with the pool's memory.
    ///
    /// - Parameter epoch: The authenticator's, before it let the call in.
    func answer(
        _ request: [UInt8], _ caller: Caller, _ now: Timestamp, _ served: ServerCall,
        through authenticator: Authenticator, since epoch: Int64, on pool: Readers
    ) throws(RPCError) {
        try authenticator.enter(served, of: caller)
        let handle = served.beginWork()
        let taken = pool.submit(of: caller.app.id, for: handle, by: served.deadline) { arena in
            let answer: Result<[UInt8], RPCError>
            do throws(RPCError) {
                answer = .success(try self.bytes(of: request, caller, now, arena))
            } catch {
                answer = .failure(error)
            }
            handle.resume { call in
                do throws(RPCError) {
                    let bytes = try answer.get()
                    try authenticator.hold(epoch)
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
