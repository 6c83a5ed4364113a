package import Memory
package import Protobuf
package import RPC
import RelationModel

extension Coder where M: CodedMessage {
    /// Returns the request that a call sent.
    ///
    /// - Throws: ``RPCError``: the error of bytes that do not decode.
    package func request(
        _ bytes: UnsafeRawBufferPointer, _ arena: Arena
    ) throws(RPCError) -> M {
        var request = M()
        try self.request(bytes, arena, filling: &request)
        return request
    }

    /// Reads a request into the memory of one that was read before.
    package func request(
        _ bytes: UnsafeRawBufferPointer, _ arena: Arena, filling request: inout M
    ) throws(RPCError) {
        do throws(CodecError) {
            try fill(&request, bytes, arena)
        } catch  where error.code == .tooLarge || error.code == .outOfMemory {
            // The bytes are bounded, so the request has a list of very many very small items.
            throw RPCError(.invalidArgument, .tooManyItems, "a list is too long: \(error.message)")
        } catch  where error.code == .tooManyUnknown {
            throw RPCError(.invalidArgument, .tooManyItems, error.message)
        } catch {
            throw RPCError(
                .internalError, .malformedMessage,
                "the request is not a \(M.schema.fullName): \(error.message)"
            ).ofMalformedRequest
        }
    }
}
