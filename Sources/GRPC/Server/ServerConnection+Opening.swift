import GRPCWire
import HTTP2
import Memory
import NIOCore
import RPC

// How a request becomes a call.
extension ServerConnection {
    /// Opens a call for a request whose header block has arrived, or answers it at once.
    func begin(_ stream: StreamPointer) -> ServerCall? {
        state.called(at: loop.now)
        if let request = stream.pointee.knownRequest {
            let (timeout, areGood) = RequestHeaders.open(in: stream.pointee.headers)
            // The stream has the header block until its call has ended.
            if areGood {
                return request._withUnsafeGuaranteedRef {
                    if let web = $0.web { return open(stream, $0.method, $0.encoding, web) }
                    return open(stream, $0.method, $0.encoding, timeout)
                }
            }
        }
        guard !stream.pointee.areHeadersTooLarge else {
            return reject(
                stream, .resourceExhausted,
                "the metadata is larger than \(SessionLimits.headerListBytes) bytes")
        }
        let known = stream.pointee.known?.takeUnretainedValue()
        let headers = RequestHeaders(stream.pointee.headers, beside: known?.block)
        guard headers.asksWhetherToSend else { return begin(stream, headers, known) }
        // Each of its requests waits for a word, so its header block stays one that is looked at.
        let call = begin(stream, headers, nil)
        if call != nil { session.submitContinue(stream) }
        return call
    }

    private func begin(
        _ stream: StreamPointer, _ headers: RequestHeaders, _ known: CachedHeaders?
    ) -> ServerCall? {
        guard headers.isGRPC else { return beginWeb(stream, headers, known) }
        guard http1 == nil else { return answer(stream, .versionNotSupported) }
        if let refusal = headers.refusal() {
            return reject(stream, refusal.code, refusal.message, encodings: refusal.encodings)
        }
        guard let method = loop.methods.find(headers.path) else {
            return reject(stream, .unimplemented, noMethod(headers.path).message)
        }
        known?.slot[CachedRequest.key] = CachedRequest(method, headers.encoding)
        return open(stream, method, headers.encoding, headers.timeout)
    }

    /// Opens a call of gRPC whose header block is good but for its timeout.
    private func open(
        _ stream: StreamPointer, _ method: MethodEntry, _ encoding: MessageEncoding,
        _ timeout: UnsafeRawBufferPointer?
    ) -> ServerCall? {
        var deadline: Deadline?
        if let timeout {
            guard let allowance = Timeout.parse(timeout) else {
                return reject(
                    stream, .internalError, "the grpc-timeout is malformed", of: method)
            }
            guard allowance.nanoseconds != 0 else {
                return reject(stream, .deadlineExceeded, "the deadline has passed", of: method)
            }
            deadline = Deadline(loop.now + allowance)
        }
        return open(stream, method, encoding, deadline, nil)
    }

    func open(
        _ stream: StreamPointer, _ method: MethodEntry, _ encoding: MessageEncoding,
        _ deadline: Deadline?, _ web: WebCall?
    ) -> ServerCall? {
        let call = loop.openCall(self, stream, method)
        let generation = call.generation
        if let web { call.parts.reset(web) }
        if encoding != .identity { call.usePacking(encoding) }
        call.begin(deadline: deadline)
        return call.generation == generation && call.isOpen ? call : nil
    }

    /// Answers a request that is not run: one block of fields, and the end.
    private func reject(
        _ stream: StreamPointer, _ code: Status.Code, _ message: String, encodings: Bool = false,
        of method: MethodEntry? = nil
    ) -> ServerCall? {
        loop.meter.rejected(method?.index, code)
        loop.block.reset(keeping: .max)
        loop.block.append(Status(code, message), [], limit: session.peerHeaderListBytes)
        let headers: FixedFields = encodings ? .responseHeadersWithEncodings : .responseHeaders
        session.submitHeaders(stream, headers, loop.block, end: true)
        session.release(stream)
        return nil
    }
}
