import GRPC
import HTTP2
import NIOCore
import NIOEmbedded

/// A client of a ``CountedService``, for the calls of one method.
protocol CountedClient: AnyObject {
    /// The answers in the order of their calls, as far as they were read.
    var answers: [CountedAnswer] { get }

    /// The bytes of calls that begin together.
    func input(_ messages: ArraySlice<[UInt8]>) throws(FloodError) -> ByteBuffer

    /// Hands bytes to the service as one read of a socket.
    func feed(_ bytes: ByteBuffer) throws

    /// Reads what has come into ``answers``.
    func read() throws(FloodError)
}

/// All that came for one call.
struct CountedAnswer {
    var httpStatus: Int?
    var grpcStatus: Int?
    var bytes: [UInt8] = []
    var isEnded = false

    /// The messages, without their envelopes.
    var messages: [[UInt8]] {
        var messages: [[UInt8]] = []
        var rest = bytes[...]
        while let length = rest.withUnsafeBytes(\.messageLength), rest.count >= 5 + length {
            messages.append(Array(rest.dropFirst(5).prefix(length)))
            rest = rest.dropFirst(5 + length)
        }
        return messages
    }
}

/// A client's connection to a ``CountedService``, for the calls of one method.
///
/// The bytes of requests are made beforehand, and those of answers are read afterwards. So nothing
/// but the service runs while its instructions are counted.
final class CountedConnection: CountedClient {
    private let channel: EmbeddedChannel
    private let outlet: Outlet
    private let session: ClientSession
    private let protocolName: CountedProtocol
    private let headers: CountedHeaders
    /// The fields of each header block that are the same, and what compresses them if the table
    /// changes.
    private let fields: [(name: String, value: String)]
    private var table = TableEncoder()
    /// The answers in the order of their calls, as far as they were read.
    private(set) var answers: [CountedAnswer] = []

    init(
        to service: CountedService, path: String, in protocolName: CountedProtocol = .grpc,
        room: Int = CountLimits.answerBytes
    ) throws {
        let outlet = Outlet(capacity: room)
        headers = service.headers
        (self.outlet, self.protocolName) = (outlet, protocolName)
        let key = (name: "authorization", value: "Bearer \(BenchKey.text)")
        let metadata = headers.differInTime ? [key] : [key, protocolName.timeout]
        fields =
            [
                (":path", path), (":authority", "counted"),
                ("content-type", protocolName.rawValue), ("te", "trailers"),
                ("user-agent", "relationbench"),
            ] + metadata
        session = try ClientSession(
            FloodHeaders(
                path: path, authority: "counted", contentType: protocolName.rawValue,
                metadata: metadata))
        channel = EmbeddedChannel(handler: outlet, loop: service.eventLoop)
        try service.serve(channel)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        // Our settings, and then the answer to the server's.
        for _ in 0..<2 {
            try feed(takeOutput())
            service.settle()
            try read()
        }
    }

    /// The bytes of calls that begin together, on new streams.
    func input(_ messages: ArraySlice<[UInt8]>) throws(FloodError) -> ByteBuffer {
        for message in messages {
            let body = protocolName == .grpc ? [UInt8](enveloping: message) : message
            let stream = try open(body)
            stream.pointee.context = answers.count
            answers.append(CountedAnswer())
        }
        return takeOutput()
    }

    private func takeOutput() -> ByteBuffer {
        defer { session.output.removeAll(keepingCapacity: true) }
        return ByteBuffer(bytes: session.output)
    }

    /// Begins the next call, with the fields of its number.
    private func open(_ body: [UInt8]) throws(FloodError) -> StreamPointer {
        let own = headers.fields(answers.count)
        guard headers == .added else {
            return try session.open(
                body, own.flatMap { FloodHeaders.field($0.name, $0.value) })
        }
        // `:scheme http` is entry 6 of the static table.
        let block = [0x86] + table.block(fields + own, packed: Set(own.map(\.name)))
        return try session.open(body, instead: block)
    }

    /// Hands bytes to the service as one read of a socket.
    func feed(_ bytes: ByteBuffer) throws { try channel.writeInbound(bytes) }

    /// Reads what has come into ``answers``.
    func read() throws(FloodError) {
        try session.receive(outlet.bytes)
        outlet.clear()
        guard session.goAway == nil else { throw FloodError("the server ended all calls") }
        while let (stream, events) = session.nextReady() {
            let call = stream.pointee.context
            answers[call].bytes += stream.pointee.input.bytes
            session.drop(stream.pointee.input.count, of: stream)
            guard events.contains(.closed) else { continue }
            guard stream.isRemoteEnded else { throw FloodError("the server ended a call") }
            answers[call].httpStatus = stream.httpStatus
            answers[call].grpcStatus = stream.grpcStatus
            answers[call].isEnded = true
            session.release(stream)
        }
    }
}

/// The end of a channel: keeps a copy of what is written, as a socket does.
final class Outlet: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private let memory: UnsafeMutableRawBufferPointer
    private var count = 0

    init(capacity: Int) { memory = .allocate(byteCount: capacity, alignment: 16) }

    deinit { memory.deallocate() }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        bytes.withUnsafeReadableBytes { bytes in
            precondition(bytes.count <= memory.count - count, "the answers are too long to keep")
            // The room after `count` was just checked.
            UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        }
        count += bytes.readableBytes
        promise?.succeed(())
    }

    func flush(context: ChannelHandlerContext) {}

    /// All that was written since ``clear()``.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    func clear() { count = 0 }
}
