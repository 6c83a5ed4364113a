import GRPCWire
import HTTP2
import Logging
import Memory
import NIOCore
import Protobuf
import RPC

// Which version of HTTP a client speaks.
extension ServerConnection {
    /// Whether the first bytes are those of HTTP/2.
    ///
    /// If they are of HTTP/1.1, the client is served so from now on.
    func choosesHTTP2() -> Bool {
        guard rest.readableBytes > 0 else { return false }
        switch state.begins(with: FirstBytes(rest.readableBytesView)) {
        case .wait: return false
        case .takeHTTP2: return true
        case .speakHTTP1:
            speakHTTP1()
            return false
        case .drop:
            dropUnauthenticated()
            return false
        }
    }

    /// Serves the client in HTTP/1.1 from now on, of which nothing was taken yet.
    func speakHTTP1() {
        guard !state.isClosed else { return }
        state.protocolAgreed()
        // It has no settings that could be acknowledged.
        state.settingsAcknowledged()
        http1 = HTTP1Front(self)
    }

    /// Speaks HTTP/2 with the client from now on, as it was agreed when the connection was made.
    func speakHTTP2() { state.protocolAgreed() }

    /// Takes a client that has said nothing for one of HTTP/2, as most are: the end can be
    /// reported.
    func speakHTTP2IfSilent() {
        if rest.readableBytes == 0 { state.protocolAgreed() }
    }

    /// Does what follows a write to a client of HTTP/1.1.
    func continueHTTP1(_ http1: HTTP1Front) {
        switch http1.wrote(hasLeft: queuedWrites == 0) {
        case .nothing: break
        case .read: if rest.readableBytes > 0 { receive() }
        case .part: perform(state.finishedWriting())
        case .close: close()
        }
    }

    /// Reads on, once the last answer of HTTP/1.1 has left, or the body that came was taken.
    func releaseRead(_ http1: HTTP1Front, _ context: ChannelHandlerContext) {
        guard http1.isReadHeld, !http1.holdsReads else { return }
        http1.isReadHeld = false
        read(context: context)
    }
}

// How a request in a protocol of the web becomes a call.
extension ServerConnection {
    /// Opens a call for a request that is none of gRPC in protobuf, or answers it at once.
    ///
    /// The order of the checks is: method of HTTP, content type, host, origin, metadata, time, form
    /// of enums, encoding, path, shape of the method, form of the messages.
    func beginWeb(
        _ stream: StreamPointer, _ headers: RequestHeaders, _ known: CachedHeaders?
    ) -> ServerCall? {
        if let method = loop.methods.findPlain(headers.path), !headers.isOptions {
            return beginPlain(stream, headers, method)
        }
        if headers.isGet, let page = page(headers) { return answer(stream, page) }
        if headers.isOptions { return answerPreflight(stream, headers) }
        guard !headers.isGet else { return beginGet(stream, headers) }
        guard headers.isPost else { return answer(stream, .methodNotAllowed) }
        guard let contentType = headers.contentType else {
            return answer(stream, .unsupportedMediaType)
        }
        guard let content = WebContent(contentType) else {
            guard case .otherFormat = ContentKind(contentType) else {
                return answer(stream, .unsupportedMediaType)
            }
            guard http1 == nil else { return answer(stream, .versionNotSupported) }
            return reject(
                stream, WebRequest(.grpc),
                RPCError(.unimplemented, "messages are served in protobuf and in JSON"))
        }
        if content.framing == .grpc, http1 != nil { return answer(stream, .versionNotSupported) }
        do throws(RPCError) {
            let request = try admit(stream, headers, content)
            let encoding = try encoding(of: stream, content.framing)
            guard let method = loop.methods.find(headers.path) else {
                return rejectUnknown(stream, request, headers.path)
            }
            guard method.answers(content.framing) else {
                return answer(stream, .unsupportedMediaType)
            }
            // The time of gRPC-Web is an open field, and so is another one in each call.
            if content.framing.isConnect || request.allowance == nil {
                known?.slot[CachedRequest.key] = CachedRequest(method, encoding, request)
            }
            return open(stream, method, encoding, request)
        } catch {
            return reject(stream, WebRequest(content, origin: origin(of: stream)), error)
        }
    }

    /// Opens a call for a request in HTTP alone, whose body is the message.
    private func beginPlain(
        _ stream: StreamPointer, _ headers: RequestHeaders, _ method: MethodEntry
    ) -> ServerCall? {
        guard headers.isPost else { return answer(stream, .methodNotAllowed) }
        if let why = browserRefusal(stream) {
            logViolation("refused_browser", why)
            return answer(stream, .forbidden)
        }
        let request = WebRequest(
            .plain, origin: origin(of: stream), target: Array(headers.path),
            refusal: method.refusal)
        guard stream.plain("content-encoding").map({ $0.isEqual(to: "identity") }) ?? true
        else {
            return reject(
                stream, request, RPCError(.invalidArgument, "the body is packed"), of: method)
        }
        return open(stream, method, .identity, request)
    }

    /// Opens a call whose request stands in the query of a `GET`.
    private func beginGet(_ stream: StreamPointer, _ headers: RequestHeaders) -> ServerCall? {
        guard let mark = headers.path.firstIndex(of: UInt8(ascii: "?")) else {
            return answer(stream, .methodNotAllowed)
        }
        let path = UnsafeRawBufferPointer(rebasing: headers.path[..<mark])
        let query = UnsafeRawBufferPointer(rebasing: headers.path[(mark + 1)...])
        do throws(RPCError) {
            let request = try admit(stream, headers, .getJSON)
            guard let method = loop.methods.find(path) else {
                return rejectUnknown(stream, request, path)
            }
            guard method.isSafe else { return answer(stream, .methodNotAllowed) }
            let parts = try ConnectQuery(query)
            let full = WebRequest(
                parts.content, origin: request.origin, allowance: request.allowance,
                enumsAreNumbers: request.enumsAreNumbers, ignoresUnknown: request.ignoresUnknown)
            return open(stream, method, parts.encoding, full, message: parts.message)
        } catch {
            return reject(stream, WebRequest(.getJSON, origin: origin(of: stream)), error)
        }
    }

    /// Opens a call whose header block is good.
    func open(
        _ stream: StreamPointer, _ method: MethodEntry, _ encoding: MessageEncoding,
        _ request: WebRequest, message: [UInt8] = []
    ) -> ServerCall? {
        var deadline: Deadline?
        if let allowance = request.allowance {
            guard allowance.nanoseconds != 0 else {
                return reject(
                    stream, request, RPCError(.deadlineExceeded, "the deadline has passed"),
                    of: method)
            }
            deadline = Deadline(loop.now + allowance)
        }
        let call = WebCall(request, method.forms, message: message)
        if request.content.format == .json, method.forms == nil {
            return reject(
                stream, request, RPCError(.unimplemented, "the method has no JSON"), of: method)
        }
        return open(stream, method, encoding, deadline, call)
    }

    // MARK: - What is checked

    /// The part of a request that is the same for all calls with its header block.
    private func admit(
        _ stream: StreamPointer, _ headers: RequestHeaders, _ content: WebContent
    ) throws(RPCError) -> WebRequest {
        if let why = browserRefusal(stream) {
            logViolation("refused_browser", why)
            throw RPCError(.permissionDenied, why)
        }
        let framing = content.framing
        if let name = headers.badFieldName {
            throw RPCError(framing.malformed, "the metadata \(name) is malformed")
        }
        if framing.isConnect, let version = stream.plain("connect-protocol-version"),
            !version.isEqual(to: "1")
        {
            throw RPCError(.invalidArgument, "the connect-protocol-version is not 1")
        }
        var allowance: TimeAmount?
        if let field = stream.field(framing.timeoutField) {
            allowance =
                framing.isConnect
                ? Timeout.milliseconds(Metadata.trimmed(field)) : Timeout.parse(field)
            guard allowance != nil else {
                throw RPCError(framing.malformed, "the \(framing.timeoutField) is malformed")
            }
        }
        let enums = stream.plain("json-enums")
        let enumsAreNumbers = enums?.isEqual(to: "number") ?? false
        guard enumsAreNumbers || enums?.isEqual(to: "name") ?? true else {
            throw RPCError(.invalidArgument, "the json-enums is neither name nor number")
        }
        let unknown = stream.plain("json-unknown-fields")
        let ignoresUnknown = unknown?.isEqual(to: "ignore") ?? false
        guard ignoresUnknown || unknown?.isEqual(to: "refuse") ?? true else {
            throw RPCError(
                .invalidArgument, "the json-unknown-fields is neither refuse nor ignore")
        }
        let origin = stream.field("origin").map(Array.init)
        return WebRequest(
            content, origin: origin, allowance: allowance, enumsAreNumbers: enumsAreNumbers,
            ignoresUnknown: ignoresUnknown)
    }

    /// Why no browser may make the request; nil if one may.
    private func browserRefusal(_ stream: StreamPointer) -> String? {
        guard !stream.hasSeveralFields("origin") else {
            return "the request has two origins"
        }
        let host = stream.field(":authority") ?? stream.field("host")
        return loop.configuration.browsers.refusal(
            host: host, origin: stream.field("origin"))
    }

    private func encoding(
        of stream: StreamPointer, _ framing: WebFraming
    ) throws(RPCError) -> MessageEncoding {
        guard let name = stream.plain(framing.encodingField) else { return .identity }
        guard let encoding = MessageEncoding(name) else {
            let name = String(decoding: name.prefix(32), as: UTF8.self)
            throw RPCError(
                .unimplemented,
                "the \(framing.encodingField) \(name) is none of \(MessageEncoding.accepted)")
        }
        return encoding
    }

    /// The origin that may read an error; nil if it is none of those that may call.
    private func origin(of stream: StreamPointer) -> [UInt8]? {
        browserRefusal(stream) == nil ? stream.field("origin").map(Array.init) : nil
    }

    // MARK: - What is answered at once

    /// Answers a browser that asks whether a page may make a call.
    private func answerPreflight(_ stream: StreamPointer, _ headers: RequestHeaders) -> ServerCall?
    {
        guard let origin = stream.field("origin"),
            stream.field("access-control-request-method") != nil
        else { return answer(stream, .methodNotAllowed) }
        if let why = browserRefusal(stream) {
            logViolation("refused_browser", why)
            return answer(stream, .forbidden)
        }
        loop.meter.count(.foreignRequests)
        loop.block.reset(keeping: .max)
        loop.block.append(":status", "204")
        loop.block.append("access-control-allow-origin", origin)
        loop.block.append("access-control-allow-methods", "GET, POST")
        if let fields = stream.field("access-control-request-headers") {
            loop.block.append("access-control-allow-headers", fields)
        }
        loop.block.append("access-control-max-age", "7200")
        loop.block.append("vary", "origin, access-control-request-headers")
        loop.addUsualFields()
        session.submitHeaders(stream, nil, loop.block, end: true)
        session.release(stream)
        return nil
    }

    /// Answers a request that belongs to no protocol that is served.
    func answer(_ stream: StreamPointer, _ fields: FixedFields) -> ServerCall? {
        loop.meter.count(.foreignRequests)
        loop.block.reset(keeping: .max)
        loop.addUsualFields()
        if let origin = origin(of: stream) { loop.addAccess(of: origin) }
        session.submitHeaders(stream, fields, loop.block, end: true)
        session.release(stream)
        return nil
    }

    private func answer(_ stream: StreamPointer, _ page: [UInt8]) -> ServerCall? {
        loop.meter.count(.foreignRequests)
        session.submitHeaders(stream, .plainHeaders)
        page.withUnsafeBytes { stream.pointee.output.append($0) }
        session.finish(stream)
        session.release(stream)
        return nil
    }

    /// The page that a request asks for which belongs to no protocol.
    private func page(_ headers: RequestHeaders) -> [UInt8]? {
        guard !loop.configuration.plainPages.isEmpty else { return nil }
        return loop.configuration.plainPages[String(decoding: headers.path, as: UTF8.self)]
    }

    /// Answers a request whose path no method has.
    private func rejectUnknown(
        _ stream: StreamPointer, _ request: WebRequest, _ path: UnsafeRawBufferPointer
    ) -> ServerCall? {
        let error = noMethod(path)
        loop.meter.rejected(nil, error.code)
        let answer = WebAnswer(loop: loop, session: session, request: request, stream: stream)
        answer.refuse(Status(error), [], isPathUnknown: true)
        session.release(stream)
        return nil
    }

    /// Answers a request that is not run with an error in its own protocol.
    private func reject(
        _ stream: StreamPointer, _ request: WebRequest, _ error: RPCError,
        of method: MethodEntry? = nil
    ) -> ServerCall? {
        loop.meter.rejected(method?.index, error.code)
        let answer = WebAnswer(loop: loop, session: session, request: request, stream: stream)
        answer.refuse(Status(error), error.trailers)
        session.release(stream)
        return nil
    }
}

extension MethodEntry {
    /// Whether the method can be called in that framing: Connect has one for calls of one request
    /// and one answer, and one for streams.
    fileprivate func answers(_ framing: WebFraming) -> Bool {
        let isUnary = takesOneMessage && answersOneMessage
        switch framing {
        case .connect: return isUnary
        case .connectStream: return !isUnary
        case .grpcWebText: return takesOneMessage
        case .grpc, .grpcWeb, .connectGet: return true
        case .plain: return refusal != nil
        }
    }
}

extension StreamPointer {
    /// The value of the first field called `name`, without the blanks around it.
    fileprivate func plain(_ name: StaticString) -> UnsafeRawBufferPointer? {
        field(name).map(Metadata.trimmed)
    }
}

extension ServerConnection {
    /// The error of a call whose path no method has.
    func noMethod(_ path: UnsafeRawBufferPointer) -> RPCError {
        let path = String(decoding: path.prefix(CallLimits.toldPathBytes), as: UTF8.self)
        let meant = loop.configuration.meantPaths?(path) ?? []
        let words = meant.isEmpty ? "" : ": call \(meant.joined(separator: " or "))"
        return RPCError(.unimplemented, "there is no method \(path)\(words)")
    }
}

extension Timeout {
    /// The time of a `connect-timeout-ms`: at most ten digits.
    static func milliseconds(_ value: UnsafeRawBufferPointer) -> TimeAmount? {
        guard (1...10).contains(value.count), value.allSatisfy({ $0 &- 0x30 <= 9 }) else {
            return nil
        }
        return .milliseconds(value.reduce(0) { $0 * 10 + Int64($1 - 0x30) })
    }
}
