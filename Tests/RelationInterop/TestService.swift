import GRPC
import InteropContract
import Memory
import Protobuf
import RPC

/// `grpc.testing.TestService`, without `UnimplementedCall`, as the cases require.
final class TestService: Dispatcher {
    private static let empty = Coder(EmptyMessage.self)
    private static let simpleRequests = Coder(SimpleRequest.self)
    private static let simpleResponses = Coder(SimpleResponse.self)

    var methods: [ServedMethod] {
        [
            .unary(Paths.emptyCall) { message, call in
                Self.echoInitial(call)
                call.send { (output) throws(RPCError) in
                    let request = try Self.decode(Self.empty, message, call)
                    try Self.encode(Self.empty, request, call, output)
                }
                call.finish(.ok, trailers: Self.trailers(call))
            },
            .unary(Paths.unaryCall, Self.answer),
            .unary(Paths.cacheableUnaryCall, Self.answer),
            .streaming(Paths.streamingInputCall, shape: .clientStreaming) { _ in InputHandler() },
            .streaming(Paths.streamingOutputCall, shape: .serverStreaming) { call in
                OutputHandler(call, waitsForEnd: false)
            },
            .streaming(Paths.fullDuplexCall, shape: .bidirectional) { call in
                OutputHandler(call, waitsForEnd: false)
            },
            .streaming(Paths.halfDuplexCall, shape: .bidirectional) { call in
                OutputHandler(call, waitsForEnd: true)
            },
        ]
    }

    private static func answer(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
        do throws(RPCError) {
            let request = try decode(simpleRequests, message, call)
            try check(request.expectCompressed, call)
            if let status = request.responseStatus, status.code != 0 {
                echoInitial(call)
                return call.finish(Status(status), trailers: trailers(call))
            }
            guard request.responseSize >= 0 else {
                throw RPCError(.invalidArgument, "response_size is negative")
            }
            if let compressed = request.responseCompressed {
                if compressed.value { call.allowCompression() }
                call.compressesAnswers = compressed.value
            }
            var response = SimpleResponse()
            response.payload = Payload(zeros: Int(request.responseSize))
            if request.fillServerID { response.serverID = "relation-interop" }
            echoInitial(call)
            call.send { (output) throws(RPCError) in
                try encode(simpleResponses, response, call, output)
            }
            call.finish(.ok, trailers: trailers(call))
        } catch {
            call.fail(error)
        }
    }

    /// Refuses a message that should be compressed and is not.
    static func check(_ expected: BoolValue?, _ call: ServerCall) throws(RPCError) {
        guard expected?.value == true, !call.isMessageCompressed else { return }
        throw RPCError(.invalidArgument, "the message is not compressed")
    }

    static func echoInitial(_ call: ServerCall) {
        guard let text = call.metadata(EchoedMetadata.initial) else { return }
        call.sendInitialMetadata([("\(EchoedMetadata.initial)", .text(text))])
    }

    static func trailers(_ call: ServerCall) -> Metadata {
        guard let bytes = call.binaryMetadata(EchoedMetadata.trailing) else { return [] }
        return [("\(EchoedMetadata.trailing)", .binary(bytes))]
    }

    static func decode<M: CodedMessage>(
        _ coder: Coder<M>, _ bytes: UnsafeRawBufferPointer, _ call: ServerCall
    ) throws(RPCError) -> M {
        do throws(CodecError) {
            return try coder.read(bytes, call.arena)
        } catch {
            throw RPCError(.internalError, "the request is malformed: \(error.message)")
        }
    }

    static func encode<M: CodedMessage>(
        _ coder: Coder<M>, _ message: M, _ call: ServerCall, _ output: OutputBuffer
    ) throws(RPCError) {
        do throws(CodecError) {
            try coder.write(message, call.arena, output)
        } catch {
            throw RPCError(.resourceExhausted, "the answer cannot be encoded", cause: error)
        }
    }
}

extension Status {
    /// The status that a client asked for; a number that gRPC lacks becomes `unknown`.
    init(_ echo: EchoStatus) {
        self.init(Code(rawValue: UInt8(clamping: echo.code)) ?? .unknown, echo.message)
    }
}

/// Adds up the lengths of the payloads.
final class InputHandler: StreamHandler {
    private static let requests = Coder(StreamingInputCallRequest.self)
    private static let responses = Coder(StreamingInputCallResponse.self)
    private var total = 0

    func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
        do throws(RPCError) {
            let request = try TestService.decode(Self.requests, message, call)
            try TestService.check(request.expectCompressed, call)
            total += request.payload?.body.count ?? 0
        } catch {
            call.fail(error)
        }
    }

    func endOfRequests(_ call: ServerCall) {
        var response = StreamingInputCallResponse()
        response.aggregatedPayloadSize = Int32(clamping: total)
        call.respond { (output) throws(RPCError) in
            try TestService.encode(Self.responses, response, call, output)
        }
    }
}
