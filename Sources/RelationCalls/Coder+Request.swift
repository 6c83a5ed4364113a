package import GRPC
package import Protobuf
import RelationModel

extension Coder {
    /// The request that a call sent, or the fault that its bytes are.
    package func request(
        _ bytes: UnsafeRawBufferPointer, _ arena: Arena
    ) throws(RPCError) -> M {
        do throws(CodecError) {
            return try read(bytes, arena)
        } catch  where error.code == .tooLarge || error.code == .outOfMemory {
            // The bytes are bounded, so this is a list of very many very small items.
            throw .fault(.invalidArgument, .tooManyItems, "a list is too long: \(error.message)")
        } catch {
            throw .fault(
                .internalError, .malformedMessage,
                "the request is no \(M.schema.fullName): \(error.message)")
        }
    }
}
