import GRPCWire
import NIOCore
package import RPC

/// A dispatcher with an interceptor before its methods, which may hold a call up, or end it.
///
/// Only a server whose dispatcher has an interceptor asks it. The methods of any other are in the
/// table as they were made, so its calls cost nothing more.
package struct InterceptedDispatcher: Dispatcher {
    package let methods: [ServedMethod]

    /// - Parameter interceptor: Decides about each call, on the call's loop. Nil lets it pass.
    package init(
        _ dispatcher: any Dispatcher,
        _ interceptor: @escaping @Sendable (ServerCall) -> CallVerdict?
    ) {
        methods = dispatcher.methods.map { $0.intercepted(by: interceptor) }
    }
}

/// The decision of an interceptor about one call.
package struct CallVerdict: Sendable {
    /// The fate of the call after its delay.
    package enum End: Sendable {
        case pass
        case fail(RPCError)
        /// The connection is reset, with all its calls.
        case cut
    }

    package var milliseconds: Int64
    package var end: End

    package init(_ end: End, afterMilliseconds milliseconds: Int64 = 0) {
        self.end = end
        self.milliseconds = milliseconds
    }

    /// Carries out what the call's end is; `body` goes on with one that passes.
    fileprivate func carryOut(_ call: ServerCall, _ body: () -> Void) {
        switch end {
        case .pass: body()
        case .fail(let error): call.fail(error)
        case .cut: call.cut()
        }
    }
}

extension ServedMethod {
    /// The same method behind an interceptor, which is asked before the method sees the call.
    fileprivate func intercepted(
        by interceptor: @escaping @Sendable (ServerCall) -> CallVerdict?
    ) -> ServedMethod {
        switch body {
        case .unary(let unary):
            replacing(
                .unary { bytes, call in
                    guard let verdict = interceptor(call) else { return unary(bytes, call) }
                    guard verdict.milliseconds > 0 else {
                        return verdict.carryOut(call) { unary(bytes, call) }
                    }
                    // The bytes are valid only until this function returns.
                    let message = Array(bytes)
                    call.resume(afterMilliseconds: verdict.milliseconds) { call in
                        verdict.carryOut(call) { message.withUnsafeBytes { unary($0, call) } }
                    }
                })
        case .streaming(let make):
            replacing(
                .streaming { call in
                    guard let verdict = interceptor(call) else { return make(call) }
                    if verdict.milliseconds == 0, case .pass = verdict.end { return make(call) }
                    return HeldStream(call, verdict, make)
                })
        }
    }
}

extension ServerCall {
    /// Runs `body` on the call's loop after that time, if the call is still open then.
    fileprivate func resume(
        afterMilliseconds milliseconds: Int64, _ body: @escaping @Sendable (ServerCall) -> Void
    ) {
        let handle = handle
        loop.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) { handle.resume(body) }
    }

    /// Resets the call's connection, soon: the frames that came with this call are taken first.
    fileprivate func cut() {
        guard let connection else { return }
        let bound = NIOLoopBound(connection, eventLoop: loop.eventLoop)
        loop.execute { bound.value.cut() }
    }
}

/// The handler of a streaming call until its interceptor lets it go on.
private final class HeldStream: StreamHandler {
    private let verdict: CallVerdict
    private let make: ServedMethod.Streaming
    private var messages: [[UInt8]] = []
    private var bytes = 0
    private var hasEnded = false

    init(_ call: ServerCall, _ verdict: CallVerdict, _ make: @escaping ServedMethod.Streaming) {
        self.verdict = verdict
        self.make = make
        if verdict.milliseconds > 0 {
            call.setAlarm(milliseconds: verdict.milliseconds)
        } else {
            verdict.carryOut(call) {}
        }
    }

    func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
        messages.append(Array(message))
        bytes += message.count
        guard messages.count > CallLimits.heldMessages || bytes > CallLimits.messageBytes else {
            return
        }
        messages = []
        call.fail(RPCError(.resourceExhausted, "too many messages wait while the call is held up"))
    }

    func endOfRequests(_ call: ServerCall) { hasEnded = true }

    func alarmed(_ call: ServerCall) {
        verdict.carryOut(call) {
            let handler = make(call)
            // All that comes from now on is the method's own.
            call.parts.handler = handler
            for message in messages where call.isOpen {
                message.withUnsafeBytes { handler.received($0, call) }
            }
            if hasEnded, call.isOpen { handler.endOfRequests(call) }
        }
        messages = []
    }

    func stopping(_ call: ServerCall) {
        call.finish(Status(.unavailable, call.stopMessage))
    }
}
