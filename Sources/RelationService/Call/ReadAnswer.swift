import Memory
package import Protobuf
import RPC

/// The answer of a read in the memory of its call: a message for the codec, or bytes that are put
/// together already.
package enum ReadAnswer<Response: CodedMessage> {
    case message(Response)
    case encoded(Encoded<Response>)

    /// The answer in memory of its own.
    func bytes(_ coder: Coder<Response>, _ arena: Arena) throws(RPCError) -> [UInt8] {
        switch self {
        case .encoded(let answer): return answer.withBytes { [UInt8]($0) }
        case .message(let message):
            do throws(CodecError) {
                return try coder.bytes(message, arena)
            } catch {
                throw RPCError(.internalError, "the answer does not encode", cause: error)
            }
        }
    }
}
