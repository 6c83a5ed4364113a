import HTTP2
import NIOCore

// How a request becomes a call.
extension ServerConnection {
    /// Opens a call for a request whose head has arrived, or answers it at once.
    func begin(_ stream: StreamPointer) -> ServerCall? {
        life.called(at: loop.now)
        if let request = stream.pointee.knownRequest {
            let timeout = RequestHead.timeout(in: stream.pointee.head)
            // The stream has the head until its call has ended.
            return request._withUnsafeGuaranteedRef {
                open(stream, $0.method, $0.encoding, timeout)
            }
        }
        guard !stream.pointee.isHeadTooLarge else {
            return reject(
                stream, .resourceExhausted,
                "the metadata is larger than \(SessionLimits.headerListBytes) bytes")
        }
        let known = stream.pointee.known?.takeUnretainedValue()
        let head = RequestHead(stream.pointee.head, beside: known?.block)
        switch head.refusal() {
        case nil: break
        case .fixed(let fields):
            loop.meter.count(.foreignRequests)
            if let page = page(head) {
                session.submitHead(stream, .plainHead)
                page.withUnsafeBytes { stream.pointee.output.append($0) }
                session.finish(stream)
            } else {
                session.submitHead(stream, fields, end: true)
            }
            session.release(stream)
            return nil
        case .status(let code, let message, let encodings):
            return reject(stream, code, message, encodings: encodings)
        }
        guard let method = loop.methods.find(head.path) else {
            let path = String(decoding: head.path.prefix(128), as: UTF8.self)
            return reject(stream, .unimplemented, "there is no method \(path)")
        }
        known?.meaning = KnownRequest(method, head.encoding)
        return open(stream, method, head.encoding, head.timeout)
    }

    /// Opens a call whose head is good but for its timeout.
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
        let call = loop.openCall(self, stream, method)
        let generation = call.generation
        if encoding != .identity { call.usePacking(encoding) }
        call.begin(deadline: deadline)
        return call.generation == generation && call.isOpen ? call : nil
    }

    /// The page that a request asks for which is none of gRPC's.
    private func page(_ head: RequestHead) -> [UInt8]? {
        guard head.isGet, !loop.configuration.plainPages.isEmpty else { return nil }
        return loop.configuration.plainPages[String(decoding: head.path, as: UTF8.self)]
    }

    /// Answers a request that is not run: one block of fields, and the end.
    private func reject(
        _ stream: StreamPointer, _ code: Status.Code, _ message: String, encodings: Bool = false,
        of method: MethodEntry? = nil
    ) -> ServerCall? {
        loop.meter.rejected(method?.index, code)
        loop.block.reset(keeping: .max)
        loop.block.append(Status(code, message), [], limit: session.peerHeaderListBytes)
        let head: FixedFields = encodings ? .responseHeadWithEncodings : .responseHead
        session.submitHead(stream, head, loop.block, end: true)
        session.release(stream)
        return nil
    }
}
