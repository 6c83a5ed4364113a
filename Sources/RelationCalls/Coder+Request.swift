package import GRPC
package import Protobuf
import RelationModel

extension Coder where M: CodedMessage {
    /// Returns the request that a call sent.
    ///
    /// - Throws: ``RPCError``: the fault of bytes that do not decode.
    package func request(
        _ bytes: UnsafeRawBufferPointer, _ arena: Arena
    ) throws(RPCError) -> M {
        do throws(CodecError) {
            return try read(bytes, arena)
        } catch  where error.code == .tooLarge || error.code == .outOfMemory {
            // The bytes are bounded, so the request has a list of very many very small items.
            throw .fault(.invalidArgument, .tooManyItems, "a list is too long: \(error.message)")
        } catch {
            throw .fault(
                .internalError, .malformedMessage,
                "the request is not a \(M.schema.fullName): \(error.message)")
        }
    }
}
