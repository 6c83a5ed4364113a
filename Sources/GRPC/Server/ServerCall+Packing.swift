import GRPCWire
import HTTP2

// How a call's messages are packed.
extension ServerCall {
    /// Lets this call's answers be compressed though its requests are not, if the client takes
    /// that; to be called before the header block of the response is sent.
    ///
    /// A client that compresses its requests needs no such call: it gets what it sends.
    package func allowCompression() {
        guard isOpen, !state.areHeadersSent, let stream, answerEncoding == .identity else { return }
        let list = stream.field(parts.web?.framing.acceptField ?? "grpc-accept-encoding")
        if let best = [MessageEncoding.gzip, .deflate].first(where: { $0.isIn(list) }) {
            answerEncoding = best
        }
    }

    /// Notes that the request may be compressed: its answers are so too, if the client takes it.
    func usePacking(_ encoding: MessageEncoding) {
        guard let stream else { return }
        requestEncoding = encoding
        let list = stream.field(parts.web?.framing.acceptField ?? "grpc-accept-encoding")
        if encoding.isIn(list) { answerEncoding = encoding }
    }

    /// Queues a message in compressed form; false if it is to go as it is.
    func sendPacked(_ message: UnsafeRawBufferPointer, _ stream: StreamPointer) -> Bool {
        guard compressesAnswers, let packed = loop.packer.pack(message, answerEncoding) else {
            return false
        }
        Self.append(packed, flag: Envelope.compressed, to: stream)
        return true
    }

    static func append(
        _ message: UnsafeRawBufferPointer, flag: UInt8, to stream: StreamPointer
    ) {
        let room = stream.pointee.output.reserve(Envelope.prefixBytes)
        Envelope.write(length: message.count, flag: flag, to: room)
        stream.pointee.output.advance(Envelope.prefixBytes)
        stream.pointee.output.append(message)
    }
}
