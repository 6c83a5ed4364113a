import Memory
import Protobuf
package import RPC

extension Coder {
    /// Decodes the request in `bytes`; its views point into the call's arena.
    package func request(_ bytes: UnsafeRawBufferPointer, _ call: ServerCall) throws(RPCError) -> M
    {
        do throws(CodecError) {
            return try read(bytes, call.arena)
        } catch {
            throw RPCError(.internalError, "the request is malformed: \(error.message)")
                .ofMalformedRequest
        }
    }

    /// Appends `message` to an answer.
    func append(_ message: M, _ call: ServerCall, _ output: OutputBuffer) throws(RPCError) {
        do throws(CodecError) {
            try write(message, call.arena, output)
        } catch {
            throw RPCError(.internalError, "the answer cannot be encoded", cause: error)
        }
    }
}

extension ServedMethod {
    /// Checks the header block of a call, and throws if the call is refused.
    package typealias Admission = @Sendable (ServerCall) throws(RPCError) -> Void

    /// Finds the method that makes a call, and throws if the call is refused.
    package typealias Choice = @Sendable (ServerCall) throws(RPCError) -> ServedMethod

    /// A unary method that changes nothing: it decodes its request, answers at once, and encodes
    /// the answer.
    static func answering<Request: CodedMessage, Response: CodedMessage>(
        _ path: String, _ requests: Coder<Request>, _ responses: Coder<Response>,
        _ body: @escaping @Sendable (Request) throws(RPCError) -> Response
    ) -> ServedMethod {
        .unary(path) { bytes, call in
            call.respond { (output) throws(RPCError) in
                let response = try body(try requests.request(bytes, call))
                try responses.append(response, call, output)
            }
        }
        .inJSON(
            MessageForms(request: Request.schema, answer: Response.schema), isSafe: true)
    }
}
