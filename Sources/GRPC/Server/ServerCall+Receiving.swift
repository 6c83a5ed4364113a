import GRPCWire
import HTTP2
import Memory
import Protobuf
import RPC

// How the messages of a request reach the handler of a call.
extension ServerCall {
    /// Takes the one message of a request, once all of `bytes` has arrived.
    func receiveOne(
        _ bytes: UnsafeRawBufferPointer, _ method: MethodEntry, _ stream: StreamPointer,
        _ connection: ServerConnection
    ) {
        let isEnded = stream.isRemoteEnded
        let limit = limit(of: method, connection.loop)
        switch Envelope.front(of: bytes, limit: limit, requestEncoding) {
        case .partial where isEnded && bytes.isEmpty:
            finish(Status(.unimplemented, "the call came without a message"))
        case .partial where isEnded:
            finish(Status(.internalError, "a message is truncated"))
        case .partial:
            returnWindow(stream, connection)
        case .refused(let code, let message):
            finish(Status(code, message))
        case .message(let length) where bytes.count > Envelope.prefixBytes + length:
            finish(Status(.unimplemented, "the call came with more than one message"))
        case .message where !isEnded:
            // A second message, or the end, is still to come.
            returnWindow(stream, connection)
        case .message:
            guard hasRoom(toRun: bytes.count, connection), takesBulk(bytes, stream, connection)
            else { return }
            state.requestEnds()
            unwrap(bytes, taking: stream.pointee.input.count, method, stream, connection)
        }
    }

    func receiveMany() {
        while state.takesMessages, let stream, let connection, let method = parts.method {
            let bytes = stream.pointee.input.bytes
            let isEnded = stream.isRemoteEnded
            let limit = limit(of: method, connection.loop)
            switch Envelope.front(of: bytes, limit: limit, requestEncoding) {
            case .partial where isEnded && bytes.isEmpty:
                state.requestEnds()
                state.enter()
                handler?.endOfRequests(self)
                returned()
            case .partial where isEnded:
                finish(Status(.internalError, "a message is truncated"))
            case .partial:
                return returnWindow(stream, connection)
            case .refused(let code, let message):
                finish(Status(code, message))
            case .message(let length):
                guard connection.sliceGoesOn(for: stream) else { return }
                let end = Envelope.prefixBytes + length
                let envelope = UnsafeRawBufferPointer(rebasing: bytes[..<end])
                guard takesBulk(envelope, stream, connection) else { return }
                unwrap(envelope, taking: end, method, stream, connection)
            }
        }
    }

    /// The longest message of a request.
    func limit(of method: MethodEntry, _ loop: ServerLoop) -> Int {
        min(loop.maxReceivedMessageBytes, method.maxRequestBytes)
    }

    /// Whether the message in an envelope may be worked on now; see ``BulkWork``.
    @inline(__always)
    private func takesBulk(
        _ envelope: UnsafeRawBufferPointer, _ stream: StreamPointer,
        _ connection: ServerConnection
    ) -> Bool {
        guard envelope[0] == Envelope.compressed || isLongJSON(envelope.count) else { return true }
        return connection.sliceTakesBulk(of: stream)
    }

    /// Whether a message of that many bytes is one of JSON that takes long to translate.
    @inline(__always)
    func isLongJSON(_ count: Int) -> Bool {
        parts.isWeb && count >= CallLimits.longJSONBytes && parts.web?.forms != nil
    }

    /// Takes the message out of its envelope and hands it to the handler.
    ///
    /// - Parameter count: How many bytes of the stream's input the envelope takes.
    private func unwrap(
        _ envelope: UnsafeRawBufferPointer, taking count: Int, _ method: MethodEntry,
        _ stream: StreamPointer, _ connection: ServerConnection
    ) {
        let message = Envelope.message(in: envelope)
        guard envelope[0] == Envelope.compressed else {
            return deliver(message, taking: count, method, stream, connection)
        }
        unpack(message, taking: count, method, stream, connection)
    }

    /// Unpacks a message and hands it to the handler.
    func unpack(
        _ message: UnsafeRawBufferPointer, taking count: Int, _ method: MethodEntry,
        _ stream: StreamPointer, _ connection: ServerConnection
    ) {
        let unpacked: UnsafeRawBufferPointer
        do throws(RPCError) {
            unpacked = try connection.unpack(
                message, requestEncoding, limit: limit(of: method, connection.loop),
                isUnauthenticated: method.isForUnauthenticated)
        } catch {
            return fail(error)
        }
        parts.isMessageCompressed = true
        deliver(unpacked, taking: count, method, stream, connection)
        parts.isMessageCompressed = false
    }

    /// Runs the handler with a message that takes `count` bytes of the stream's input.
    func deliver(
        _ message: UnsafeRawBufferPointer, taking count: Int, _ method: MethodEntry,
        _ stream: StreamPointer, _ connection: ServerConnection
    ) {
        let loop = connection.loop
        var message = message
        if parts.isWeb, let web = parts.web {
            do throws(RPCError) {
                message = try understood(web, message, loop)
            } catch {
                return fail(error)
            }
        }
        state.deliver()
        loop.messageBytes = message.count
        countRequest(message.count, method, on: loop)
        switch method.body {
        case .unary(let run):
            run(message, self)
        case .streaming:
            handler?.received(message, self)
            if isOpen, method.takesOneMessage { handler?.endOfRequests(self) }
        }
        // An open call still has its stream.
        if isOpen {
            connection.session.drop(count, of: stream)
            // A call that goes on, to answer later or for long, keeps nothing of its request.
            if method.takesOneMessage { returnWindow(stream, connection) }
        }
        loop.arena.reset()
        returned()
    }

    /// Lets the client send as much again as has been taken, and counts what is half received.
    func returnWindow(_ stream: StreamPointer, _ connection: ServerConnection) {
        connection.session.consumeWindow(stream)
        let count = stream.pointee.input.count
        connection.assembling += count - assembling
        parts.assembling = count
        if connection.assembling > CallLimits.assemblingBytes {
            finish(Status(.resourceExhausted, "too many half-sent messages on one connection"))
        }
    }
}
