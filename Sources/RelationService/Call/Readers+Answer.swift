import GRPC
import Protobuf
import RelationAdmission
import RelationCalls
import RelationCore
import RelationRuntime

extension Readers {
    /// Answers a call on a thread of the pool, with the bytes that `answer` makes there.
    ///
    /// - Parameter answer: It runs with the thread's memory, which is given back when it returns.
    func answer(
        _ served: ServerCall, of caller: Caller, through door: Door,
        _ answer: @escaping @Sendable (Arena) throws(RPCError) -> [UInt8]
    ) throws(RPCError) {
        try door.enter(served, of: caller)
        let handle = served.beginWork()
        let taken = submit(of: caller.app.id, for: handle, by: served.deadline) { arena in
            let result: Result<[UInt8], RPCError>
            do throws(RPCError) {
                result = .success(try answer(arena))
            } catch {
                result = .failure(error)
            }
            handle.resume { call in
                switch result {
                case .success(let bytes): call.respond { output in output.append(bytes) }
                case .failure(let error): call.fail(error)
                }
            }
        }
        guard taken != nil else {
            served.withdrawWork()
            throw .overloaded
        }
    }
}
