package import Protobuf

/// A set of methods that a server offers.
package protocol Dispatcher: Sendable {
    var methods: [ServedMethod] { get }
}

/// One method: its path, how many messages each side sends, and what runs.
package struct ServedMethod: Sendable {
    /// Called once on the call's loop with the whole request, which is valid during the call only.
    ///
    /// Answers now, or later by ``ServerCall/handle``; exactly once.
    package typealias Unary = @Sendable (UnsafeRawBufferPointer, ServerCall) -> Void

    /// Called on the call's loop when the head of the request has arrived.
    package typealias Streaming = @Sendable (ServerCall) -> any StreamHandler

    /// Lets a call in by what its head shows, or fails it.
    package typealias Admission = @Sendable (ServerCall) throws(RPCError) -> Void

    enum Body: Sendable {
        case unary(Unary)
        case streaming(Streaming)
    }

    /// The path, as in `/pkg.Service/Name`.
    package let path: String
    package let shape: CallShape
    let body: Body

    /// What a unary call must pass before anything is done for its message.
    ///
    /// Asked when the head has arrived, unless the message has come with it and is not compressed:
    /// then the handler follows at once and asks by itself. So a handler asks in any case, and
    /// learns from ``ServerCall/isAdmitted`` whether that was done before.
    private(set) var admission: Admission?

    /// The longest message of a request, after it was expanded, where that is less than the
    /// server takes.
    private(set) var maxRequestBytes = Int.max

    /// Whether callers need to show nothing: then what their messages expand to is bounded by
    /// ``CallLimits/strangersBytesPerSecond``.
    private(set) var isForStrangers = false

    package static func unary(
        _ path: String, admission: Admission? = nil, _ body: @escaping Unary
    ) -> ServedMethod {
        ServedMethod(path: path, shape: .unary, body: .unary(body), admission: admission)
    }

    /// A method whose handler sees messages one by one; of any shape.
    package static func streaming(
        _ path: String, shape: CallShape, _ make: @escaping Streaming
    ) -> ServedMethod {
        ServedMethod(path: path, shape: shape, body: .streaming(make))
    }

    /// The same method, whose requests are no longer than `bytes`.
    func taking(atMost bytes: Int) -> ServedMethod {
        var method = self
        method.maxRequestBytes = bytes
        return method
    }

    /// The same method, for callers who need to show nothing.
    func forStrangers() -> ServedMethod {
        var method = self
        method.isForStrangers = true
        return method
    }
}

extension ServedMethod {
    /// The same method, for the calls that `admits` lets in; others fail with what it throws.
    package func guarded(_ admits: @escaping Admission) -> ServedMethod {
        var method =
            switch body {
            case .unary(let unary):
                ServedMethod.unary(path, admission: admits) { bytes, call in
                    do throws(RPCError) {
                        if !call.isAdmitted { try admits(call) }
                    } catch {
                        return call.fail(error)
                    }
                    unary(bytes, call)
                }
            case .streaming(let make):
                ServedMethod.streaming(path, shape: shape) { call in
                    do throws(RPCError) {
                        try admits(call)
                    } catch {
                        call.fail(error)
                        return EndedStream()
                    }
                    return make(call)
                }
            }
        method.maxRequestBytes = maxRequestBytes
        return method
    }
}

/// What is left of a streaming call that was refused.
private final class EndedStream: StreamHandler {
    func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {}
}

/// What handles one streaming call.
///
/// All of it is called on the call's loop, one after another, and nothing but ``ended(_:)`` after
/// the call has ended.
package protocol StreamHandler: AnyObject {
    /// A message arrived; it is valid during the call only.
    func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall)

    /// The client sends nothing more. The server may go on for as long as it likes.
    func endOfRequests(_ call: ServerCall)

    /// ``ServerCall/send(_:)`` had returned false, and more may now be queued.
    func writable(_ call: ServerCall)

    /// The time has passed that ``ServerCall/setAlarm(milliseconds:)`` was given.
    func alarmed(_ call: ServerCall)

    /// The call has ended, and nothing can be sent: the handler finished it, or it was reset, its
    /// deadline passed, its connection is gone, or an answer could not be sent.
    ///
    /// The one place to give back what the handler holds: it is called once, whatever happened, and
    /// never while another of these runs.
    func ended(_ call: ServerCall)

    /// The server stops, or the connection has reached its age, perhaps before the first message
    /// came: a call that has no end of its own must end soon, with a status that says so, as
    /// ``ServerCall/goodbye`` words it. Any other goes on.
    func stopping(_ call: ServerCall)
}

extension StreamHandler {
    package func endOfRequests(_ call: ServerCall) {}
    package func writable(_ call: ServerCall) {}
    package func alarmed(_ call: ServerCall) {}
    package func ended(_ call: ServerCall) {}
    package func stopping(_ call: ServerCall) {}
}
