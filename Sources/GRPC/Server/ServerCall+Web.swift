import GRPCWire
import HTTP2
import Memory
import Protobuf
package import RPC

// The answers of a call in a protocol of the web. The call itself is as any other: its handler
// does not know in which form its messages travel.
extension ServerCall {
    /// Ends a request in HTTP alone with an error, of which `body` tells in the form of its
    /// protocol.
    ///
    /// The client sees 200 of HTTP and `body`; meters, notes and the log have the error.
    package func fail(_ error: RPCError, answering body: [UInt8]) {
        guard isOpen else { return }
        guard parts.isWeb, let web = parts.web, web.framing == .plain else {
            return failLocally("an error has a body of its own, and the call is not in HTTP alone")
        }
        web.refusal = body
        fail(error)
    }

    /// Queues one answer, or keeps it for the status to come.
    ///
    /// - Returns: False if the call has ended because the answer cannot be sent.
    func sendWeb(
        _ web: WebCall, _ message: UnsafeRawBufferPointer, _ stream: StreamPointer,
        _ connection: ServerConnection
    ) -> Bool {
        var payload = message
        if let forms = web.forms {
            let enumsAreNumbers = web.request.enumsAreNumbers
            guard let text = translated(forms, message, enumsAreNumbers) else { return false }
            payload = text
        }
        countAnswer(message.count)
        connection.session.settleLoan(of: stream)
        var packed: UnsafeRawBufferPointer?
        if compressesAnswers { packed = loop.packer.pack(payload, answerEncoding) }
        guard !web.framing.isBare else {
            _ = state.answer()
            web.isBodyPacked = packed != nil
            let body = packed ?? payload
            // An array of a sequence of bytes would be made byte by byte.
            web.body = Array(unsafeUninitializedCapacity: body.count) { room, count in
                UnsafeMutableRawBufferPointer(room).copyMemory(from: body)
                count = body.count
            }
            return true
        }
        sendWebHeaders(web, web.initial, stream, connection)
        _ = state.answer()
        let flag = packed == nil ? 0 : Envelope.compressed
        answer(web, stream, connection).append(packed ?? payload, flag: flag)
        return true
    }

    /// The answer in JSON, valid until the next one is translated; ends the call if it has none.
    private func translated(
        _ forms: MessageForms, _ message: UnsafeRawBufferPointer, _ enumsAreNumbers: Bool
    ) -> UnsafeRawBufferPointer? {
        let output = loop.translated
        output.removeAll(keepingCapacity: output.capacity <= CallLimits.keptOutputBytes)
        do throws(CodecError) {
            try forms.ofAnswer.write(message, into: output, enumsAreNumbers: enumsAreNumbers)
        } catch {
            failLocally("the answer has no JSON: \(error)")
            return nil
        }
        guard output.count <= loop.maxSentMessageBytes else {
            failTooLong(output.count)
            return nil
        }
        return output.bytes
    }

    /// Sends the header block of the answer, or keeps its metadata for an answer without a header
    /// block of its own.
    func sendWebHeaders(
        _ web: WebCall, _ metadata: Metadata, _ stream: StreamPointer,
        _ connection: ServerConnection
    ) {
        web.initial = metadata
        guard !web.framing.isBare, state.sendHeaders() else { return }
        answer(web, stream, connection).sendHeaders(metadata, answerEncoding)
    }

    /// Ends a call with its status, after the answers that are queued.
    func finishWeb(
        _ web: WebCall, _ status: Status, _ trailers: Metadata, _ stream: StreamPointer,
        _ connection: ServerConnection
    ) {
        let answer = answer(web, stream, connection)
        if web.framing.isBare {
            if status.code != .ok, let refusal = web.refusal {
                return answer.succeed(refusal, .identity, [], [])
            }
            guard status.code == .ok, let body = web.body else {
                return answer.refuse(status, trailers, web.initial)
            }
            let encoding = web.isBodyPacked ? answerEncoding : .identity
            return answer.succeed(body, encoding, web.initial, trailers)
        }
        guard state.areHeadersSent else { return answer.refuse(status, trailers) }
        answer.finish(status, trailers)
    }

    private func answer(
        _ web: WebCall, _ stream: StreamPointer, _ connection: ServerConnection
    ) -> WebAnswer {
        WebAnswer(
            loop: connection.loop, session: connection.session, request: web.request,
            stream: stream)
    }
}

// The requests of such a call.
extension ServerCall {
    /// Takes what has arrived of a request.
    func receiveWeb(
        _ web: WebCall, _ method: MethodEntry, _ stream: StreamPointer,
        _ connection: ServerConnection
    ) {
        switch web.framing {
        case .grpc, .grpcWeb, .connectStream:
            if method.takesOneMessage {
                receiveOne(stream.pointee.input.bytes, method, stream, connection)
            } else {
                receiveMany()
            }
        case .connect, .connectGet, .plain, .grpcWebText:
            receiveBody(web, method, stream, connection)
        }
    }

    /// Takes a request that is a body as a whole.
    private func receiveBody(
        _ web: WebCall, _ method: MethodEntry, _ stream: StreamPointer,
        _ connection: ServerConnection
    ) {
        let body = stream.pointee.input.bytes
        var limit = limit(of: method, connection.loop)
        if web.framing == .grpcWebText {
            limit = Base64.length(limit + Envelope.prefixBytes, true)
        }
        guard body.count <= limit else {
            return finish(
                Status(.resourceExhausted, "the request is longer than \(limit) bytes"))
        }
        guard stream.isRemoteEnded else { return returnWindow(stream, connection) }
        if web.framing == .grpcWebText {
            guard let bytes = WebText.decode(body) else {
                return finish(Status(.internalError, "the request is not base64"))
            }
            web.message = bytes
            return web.message.withUnsafeBytes { receiveOne($0, method, stream, connection) }
        }
        guard hasRoom(toRun: body.count, connection) else { return }
        if requestEncoding != .identity || isLongJSON(body.count) {
            guard connection.sliceTakesBulk(of: stream) else { return }
        }
        state.requestEnds()
        guard web.framing == .connectGet else {
            return run(body, method, stream, connection)
        }
        web.message.withUnsafeBytes { run($0, method, stream, connection) }
    }

    /// Hands the one message to the handler that a body, or a query, is.
    private func run(
        _ message: UnsafeRawBufferPointer, _ method: MethodEntry, _ stream: StreamPointer,
        _ connection: ServerConnection
    ) {
        let count = stream.pointee.input.count
        guard requestEncoding != .identity, !message.isEmpty else {
            return deliver(message, taking: count, method, stream, connection)
        }
        unpack(message, taking: count, method, stream, connection)
    }

    /// The binary form of a request in JSON, valid until the next one is translated.
    func understood(
        _ web: WebCall, _ message: UnsafeRawBufferPointer, _ loop: ServerLoop
    ) throws(RPCError) -> UnsafeRawBufferPointer {
        guard let forms = web.forms else { return message }
        let input = loop.understood
        input.removeAll(keepingCapacity: input.capacity <= CallLimits.keptOutputBytes)
        defer {
            if message.count >= CallLimits.longJSONBytes { connection?.didBulk(message.count) }
        }
        do throws(CodecError) {
            try forms.ofRequest.read(
                message, into: input, ignoresUnknown: web.request.ignoresUnknown)
        } catch {
            throw RPCError(.invalidArgument, error.message)
        }
        return input.bytes
    }
}

/// The text of gRPC-Web: base64 in one piece or in several, each with its own padding.
enum WebText {
    /// Nil if it is not base64.
    static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var start = 0
        while start < text.count {
            // A piece ends with its padding, whose end is at a multiple of four.
            var end = text[start...].firstIndex(of: UInt8(ascii: "=")) ?? text.count
            while end < text.count, (end - start) % 4 != 0 { end += 1 }
            // Padding that follows no digits would be a piece without an end.
            guard end > start else { return nil }
            let piece = UnsafeRawBufferPointer(rebasing: text[start..<end])
            guard let part = Base64.decode(piece, .metadata) else { return nil }
            bytes += part
            start = end
        }
        return bytes
    }
}
