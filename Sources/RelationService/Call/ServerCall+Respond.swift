package import GRPC
package import Protobuf
import RPC

extension ServerCall {
    /// Answers with `message`, encoded straight into the stream's buffer.
    package func respond<M: CodedMessage>(_ message: M, _ coder: Coder<M>) {
        respond { (output) throws(RPCError) in
            do throws(CodecError) {
                try coder.write(message, arena, output)
            } catch {
                throw RPCError(.internalError, "the answer does not encode", cause: error)
            }
        }
    }
}
