import GRPC
import RPC

/// A stream that was refused before its first message.
final class RefusedStream: StreamHandler {
    init(_ error: RPCError, _ call: ServerCall) {
        call.fail(error)
    }

    func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {}
}
