import GRPCWire
import HTTP2
import Memory
import Protobuf
import RPC

/// The answer to a request in a protocol of the web, in its parts.
struct WebAnswer {
    let loop: ServerLoop
    let session: Session
    let request: WebRequest
    let stream: StreamPointer

    private var framing: WebFraming { request.framing }

    /// Sends the header block of an answer that may have many messages.
    func sendHeaders(_ metadata: Metadata, _ encoding: MessageEncoding) {
        beginHeaders("200")
        if encoding != .identity { loop.block.append(framing.encodingField, encoding.name) }
        metadata.write(to: &loop.block)
        session.submitHeaders(stream, nil, loop.block)
    }

    /// Adds a message in its envelope.
    func append(_ message: UnsafeRawBufferPointer, flag: UInt8) {
        guard framing == .grpcWebText else {
            return ServerCall.append(message, flag: flag, to: stream)
        }
        var envelope = [UInt8](repeating: 0, count: Envelope.prefixBytes)
        envelope.withUnsafeMutableBytes {
            // The array has the bytes of a prefix, so it has a start.
            Envelope.write(length: message.count, flag: flag, to: $0.baseAddress!)
        }
        envelope += message
        var text: [UInt8] = []
        Base64.encode(envelope, padded: true, into: &text)
        text.withUnsafeBytes { stream.pointee.output.append($0) }
    }

    /// Ends an answer whose header block has gone out.
    func finish(_ status: Status, _ trailers: Metadata) {
        switch framing {
        case .grpc:
            stream.pointee.outputTrailers.append(
                status, trailers, limit: session.peerHeaderListBytes)
            return session.finishWithTrailers(stream)
        case .grpcWeb, .grpcWebText:
            loop.block.reset(keeping: .max)
            loop.block.append(status, trailers, limit: .max)
            loop.block.fieldLines.withUnsafeBytes { append($0, flag: Envelope.trailers) }
        case .connectStream, .connect, .connectGet, .plain:
            let text = ConnectError.endOfStream(status, trailers, loop.configuration.details)
            Array(text.utf8).withUnsafeBytes { append($0, flag: Envelope.endOfStream) }
        }
        session.finish(stream)
    }

    /// Sends a status to which no message belongs.
    ///
    /// - Parameter isPathUnknown: Whether no method has the path: nothing of Connect is there then,
    ///   and its clients take that from the status of HTTP.
    func refuse(
        _ status: Status, _ trailers: Metadata, _ initial: Metadata = [],
        isPathUnknown: Bool = false
    ) {
        if let refusal = request.refusal {
            return succeed(refusal(status, request.target), .identity, [], [])
        }
        if framing.isBare || framing.isConnect && isPathUnknown {
            let text = ConnectError.json(status, loop.configuration.details)
            beginHeaders(isPathUnknown ? "404" : status.code.httpStatus, "application/json")
            if framing != .connectGet { loop.addUsualFields() }
            return sendBody(Array(text.utf8), initial, trailers)
        }
        if framing == .grpc {
            beginHeaders("200")
            loop.block.append(status, trailers, limit: session.peerHeaderListBytes)
            return session.submitHeaders(stream, nil, loop.block, end: true)
        }
        sendHeaders(initial, .identity)
        finish(status, trailers)
    }

    /// Sends the one message of a call, whose framing has no envelope.
    func succeed(
        _ body: [UInt8], _ encoding: MessageEncoding, _ initial: Metadata, _ trailers: Metadata
    ) {
        beginHeaders("200")
        if encoding != .identity { loop.block.append(framing.encodingField, encoding.name) }
        sendBody(body, initial, trailers)
    }

    private func sendBody(_ body: [UInt8], _ initial: Metadata, _ trailers: Metadata) {
        loop.block.append("content-length", String(body.count), transient: true)
        initial.write(to: &loop.block)
        for (name, value) in trailers.entries {
            loop.block.append("trailer-\(name)", value.fieldText)
        }
        session.submitHeaders(stream, nil, loop.block)
        body.withUnsafeBytes { stream.pointee.output.append($0) }
        session.finish(stream)
    }

    private func beginHeaders(_ status: StaticString, _ contentType: StaticString? = nil) {
        loop.block.reset(keeping: .max)
        loop.block.append(":status", status)
        loop.block.append("content-type", contentType ?? request.content.answer)
        // A page may ask for a `GET` as a picture or a script, and must not guess what it is.
        if framing == .connectGet || framing == .plain {
            loop.block.append("x-content-type-options", "nosniff")
            // No cache keeps the answer to a POST.
            loop.addUsualFields()
        }
        if let origin = request.origin { loop.addAccess(of: origin) }
    }
}

extension ServerLoop {
    /// Adds to ``block`` when an answer was made, and that it is for this client, now.
    func addUsualFields() {
        block.append("date", date.text, transient: true)
        block.append("cache-control", "no-store")
    }

    /// Adds to ``block`` that a page of that origin may read the answer.
    func addAccess(of origin: [UInt8]) {
        origin.withUnsafeBytes { block.append("access-control-allow-origin", $0) }
        block.append("access-control-expose-headers", "*")
        block.append("vary", "origin")
    }
}

extension HeaderBlock {
    /// The fields as lines of text, as gRPC-Web sends trailers.
    fileprivate var fieldLines: [UInt8] {
        var lines: [UInt8] = []
        var fields = makeIterator()
        while let field = fields.next() {
            lines += field.name
            lines += [UInt8(ascii: ":"), UInt8(ascii: " ")]
            lines += field.value
            lines += [0x0D, 0x0A]
        }
        return lines
    }
}
