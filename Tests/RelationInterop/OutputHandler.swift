import GRPC
import InteropContract
import Protobuf
import RPC

/// Sends answers as the requests ask for them, one after another.
///
/// `Sendable` is unchecked: all fields are used on the call's loop only.
final class OutputHandler: StreamHandler, @unchecked Sendable {
    private static let requests = Coder(StreamingOutputCallRequest.self)
    private static let responses = Coder(StreamingOutputCallResponse.self)

    private enum Step {
        case wait(microseconds: Int32)
        case send(ResponseParameters)
        case end(EchoStatus)
    }

    /// Whether it waits with all answers until the client has ended its side.
    private let waitsForEnd: Bool
    private var steps: [Step] = []
    private var next = 0
    private var hasEnded = false

    /// Whether a timer runs, or the client has not taken the last answers.
    private var isHeld = false

    init(_ call: ServerCall, waitsForEnd: Bool) {
        self.waitsForEnd = waitsForEnd
        TestService.echoInitial(call)
    }

    func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
        do throws(RPCError) {
            let request = try TestService.decode(Self.requests, message, call)
            for parameters in request.responseParameters {
                guard parameters.size >= 0 else {
                    throw RPCError(.invalidArgument, "a size is negative")
                }
                if parameters.intervalMicroseconds > 0 {
                    steps.append(.wait(microseconds: parameters.intervalMicroseconds))
                }
                if parameters.compressed?.value == true { call.allowCompression() }
                steps.append(.send(parameters))
            }
            if let status = request.responseStatus { steps.append(.end(status)) }
        } catch {
            return call.fail(error)
        }
        run(call)
    }

    func endOfRequests(_ call: ServerCall) {
        hasEnded = true
        run(call)
    }

    func writable(_ call: ServerCall) {
        isHeld = false
        call.resumeRequests()
        run(call)
    }

    private func run(_ call: ServerCall) {
        guard hasEnded || !waitsForEnd else { return }
        while next < steps.count, !isHeld {
            let step = steps[next]
            next += 1
            switch step {
            case .wait(let microseconds): wait(microseconds, call)
            case .send(let parameters): send(parameters, call)
            case .end(let status):
                return call.finish(Status(status), trailers: TestService.trailers(call))
            }
        }
        guard next == steps.count, !isHeld else { return }
        steps = []
        next = 0
        if hasEnded { call.finish(.ok, trailers: TestService.trailers(call)) }
    }

    private func wait(_ microseconds: Int32, _ call: ServerCall) {
        isHeld = true
        let handle = call.handle
        Task {
            // The task is not kept, so no code can cancel it.
            try? await Task.sleep(for: .microseconds(microseconds))
            handle.resume { call in self.writable(call) }
        }
    }

    private func send(_ parameters: ResponseParameters, _ call: ServerCall) {
        var response = StreamingOutputCallResponse()
        response.payload = Payload(zeros: Int(parameters.size))
        call.compressesAnswers = parameters.compressed?.value ?? false
        let hasRoom = call.send { (output) throws(RPCError) in
            try TestService.encode(Self.responses, response, call, output)
        }
        guard !hasRoom else { return }
        isHeld = true
        // Further requests of the client are left unread: it must first read the answers.
        call.pauseRequests()
    }
}
