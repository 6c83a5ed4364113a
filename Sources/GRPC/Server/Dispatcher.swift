package import Protobuf
import RPC

/// A set of methods that a server offers.
package protocol Dispatcher: Sendable {
    var methods: [ServedMethod] { get }
}

/// One method: its path, how many messages each side sends, and what runs.
package struct ServedMethod: Sendable {
    /// Called once on the call's loop with the whole request, whose bytes are valid only until this
    /// function returns.
    ///
    /// It answers exactly once: before it returns, or later by ``ServerCall/handle``.
    package typealias Unary = @Sendable (UnsafeRawBufferPointer, ServerCall) -> Void

    /// Called on the call's loop when the header block of the request has arrived.
    package typealias Streaming = @Sendable (ServerCall) -> any StreamHandler

    /// How the method is run: with one message, or with a stream of them.
    enum Body: Sendable {
        case unary(Unary)
        case streaming(Streaming)
    }

    /// The path, as in `/pkg.Service/Name`.
    package let path: String
    package let shape: CallShape
    let body: Body

    /// The check that a unary call must pass before anything is done for its message.
    ///
    /// It runs when the header block has arrived, unless the message has come with it and is not
    /// compressed. In that case the handler follows at once and checks by itself. So the handler
    /// reads ``ServerCall/isAdmitted``, and checks if that was not done before.
    private(set) var admission: Admission?

    /// The longest request after it was expanded; applies if it is less than the server's own
    /// limit.
    private(set) var maxRequestBytes = Int.max

    /// Whether callers need no credential: then the bytes that their messages expand to are bounded
    /// by ``CallLimits/unauthenticatedBytesPerSecond``.
    private(set) var isForUnauthenticated = false

    /// The JSON of its messages; nil for a method that is called in protobuf only.
    private(set) var forms: MessageForms?

    /// Whether the method changes nothing, so that Connect may call it with a `GET`.
    private(set) var isSafe = false

    /// How its refusals read if it is none of RPC; see ``plain(below:atMost:refusal:_:)``.
    private(set) var refusal: PlainRefusal?

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

    /// A method for any POST whose path begins with `path`, in HTTP without a protocol of RPC.
    ///
    /// A `path` that does not end in a slash is that of single requests, and stands below one that
    /// does.
    ///
    /// The body of the request is its message, of any content type, and that of the answer is JSON.
    /// The status of HTTP always is 200.
    ///
    /// - Parameters:
    ///   - bytes: The longest request.
    ///   - refusal: The answer to a request that ends in a status before the handler answers.
    package static func plain(
        below path: String, atMost bytes: Int, refusal: @escaping PlainRefusal,
        _ body: @escaping Unary
    ) -> ServedMethod {
        var method = ServedMethod.unary(path, body).taking(atMost: bytes)
        method.refusal = refusal
        return method
    }

    /// The same method for callers that write JSON; if it `isSafe`, for a `GET` too.
    package func inJSON(_ forms: MessageForms, isSafe: Bool = false) -> ServedMethod {
        var method = self
        method.forms = forms
        method.isSafe = isSafe && shape == .unary
        return method
    }

    /// The same method with another body.
    func replacing(_ body: Body) -> ServedMethod {
        var method = ServedMethod(path: path, shape: shape, body: body, admission: admission)
        method.maxRequestBytes = maxRequestBytes
        method.isForUnauthenticated = isForUnauthenticated
        method.forms = forms
        method.isSafe = isSafe
        method.refusal = refusal
        return method
    }

    /// The same method with requests of at most `bytes`.
    func taking(atMost bytes: Int) -> ServedMethod {
        var method = self
        method.maxRequestBytes = bytes
        return method
    }

    /// The same method for callers without a credential.
    func withoutCredentials() -> ServedMethod {
        var method = self
        method.isForUnauthenticated = true
        return method
    }
}

extension ServedMethod {
    /// The same method, for the calls that `admits` admits; others fail with what it throws.
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
        method.forms = forms
        method.isSafe = isSafe
        return method
    }
}

extension ServedMethod {
    /// The same method, each call of which is made by the method that `choose` finds for it.
    ///
    /// - Parameter choose: A method of the same path and shape; it is asked on the call's loop, for
    ///   its admission too. If it throws, the call fails.
    package func routed(by choose: @escaping Choice) -> ServedMethod {
        var method =
            switch body {
            case .unary:
                ServedMethod.unary(
                    path,
                    admission: { (call) throws(RPCError) in
                        try choose(call).admission?(call)
                    }
                ) { bytes, call in
                    do throws(RPCError) {
                        try choose(call).run(bytes, call)
                    } catch {
                        call.fail(error)
                    }
                }
            case .streaming:
                ServedMethod.streaming(path, shape: shape) { call in
                    do throws(RPCError) {
                        guard case .streaming(let make) = try choose(call).body else {
                            preconditionFailure("\(path) has two shapes")
                        }
                        return make(call)
                    } catch {
                        call.fail(error)
                        return EndedStream()
                    }
                }
            }
        method.maxRequestBytes = maxRequestBytes
        method.forms = forms
        method.isSafe = isSafe
        return method
    }

    /// The same unary method with another body, which is to check the call by itself.
    package func replaced(
        by body: @escaping Unary, admission: @escaping Admission
    ) -> ServedMethod {
        var method = ServedMethod.unary(path, admission: admission, body)
        method.maxRequestBytes = maxRequestBytes
        method.forms = forms
        method.isSafe = isSafe
        return method
    }

    /// Makes a unary call by this method.
    package func run(_ bytes: UnsafeRawBufferPointer, _ call: ServerCall) {
        guard case .unary(let unary) = body else {
            preconditionFailure("\(path) is a stream")
        }
        unary(bytes, call)
    }
}

/// The handler of a streaming call that was refused.
private final class EndedStream: StreamHandler {
    func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {}
}

/// The handler of one streaming call.
///
/// All functions are called on the call's loop, one after another. After the call has ended, only
/// ``ended(_:)`` is called.
package protocol StreamHandler: AnyObject {
    /// A message arrived; its bytes are valid only until this function returns.
    func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall)

    /// The client sends nothing more. The server may go on for as long as it likes.
    func endOfRequests(_ call: ServerCall)

    /// More answers may now be queued, after ``ServerCall/send(_:)`` had returned false.
    func writable(_ call: ServerCall)

    /// The time that ``ServerCall/setAlarm(milliseconds:)`` was given has passed.
    func alarmed(_ call: ServerCall)

    /// The call has ended, and nothing can be sent.
    ///
    /// The handler finished it, or it was reset, its deadline passed, its connection is gone, or an
    /// answer could not be sent.
    ///
    /// Here the handler gives back everything that it holds. This is called once, whatever
    /// happened, and never while another function of the handler runs.
    func ended(_ call: ServerCall)

    /// The server stops, or the time of the connection is over, perhaps before the first message
    /// came.
    ///
    /// The time is over when the connection has reached its age, or when its client's certificate
    /// ends.
    ///
    /// A call that has no end of its own must end soon, with a status that says so, in the words of
    /// ``ServerCall/stopMessage``. Any other call goes on.
    func stopping(_ call: ServerCall)
}

extension StreamHandler {
    package func endOfRequests(_ call: ServerCall) {}
    package func writable(_ call: ServerCall) {}
    package func alarmed(_ call: ServerCall) {}
    package func ended(_ call: ServerCall) {}
    package func stopping(_ call: ServerCall) {}
}
