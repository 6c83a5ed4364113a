import GRPC
import NIOCore
import NIOEmbedded

/// A client's connection to a ``CountedService``, for the calls of one method.
///
/// The bytes of requests are made beforehand, and those of answers are read afterwards. So nothing
/// but the service runs while its instructions are counted.
final class CountedConnection {
    /// All that came on one stream.
    struct Answer {
        var httpStatus: Int?
        var grpcStatus: Int?
        var bytes: [UInt8] = []
        var isEnded = false

        /// The messages, without their envelopes.
        var messages: [[UInt8]] {
            var messages: [[UInt8]] = []
            var start = 0
            while bytes.count - start >= 5 {
                let end = start + 5 + Int(bytes.uint32(at: start + 1))
                guard end <= bytes.count else { break }
                messages.append(Array(bytes[start + 5..<end]))
                start = end
            }
            return messages
        }
    }

    private let channel: EmbeddedChannel
    private let outlet: Outlet
    private let head: RequestHead
    private let protocolName: CountedProtocol
    /// The flags of the `traceparent` that each call has, with a number of its own.
    private let traceFlags: UInt8?
    private var nextStream: UInt32 = 1
    private var frames = FrameReader()
    private var headers = AnswerHeaders()
    /// The answers by the numbers of their streams, as far as they were read.
    private(set) var answers: [UInt32: Answer] = [:]

    init(
        to service: CountedService, path: String, in protocolName: CountedProtocol = .grpc,
        room: Int = CountLimits.answerBytes
    ) throws {
        let outlet = Outlet(capacity: room)
        traceFlags = service.traceFlags
        self.outlet = outlet
        self.protocolName = protocolName
        head = RequestHead(
            path: path, authority: "counted", contentType: protocolName.rawValue,
            metadata: [
                ("authorization", "Bearer \(BenchKey.text)"), protocolName.timeout,
            ])
        channel = EmbeddedChannel(handler: outlet, loop: service.eventLoop)
        try service.serve(channel)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        try feed(Self.greeting)
        service.settle()
        try read()
    }

    /// Our settings, the answer to the server's, and windows that never end.
    private static var greeting: ByteBuffer {
        var bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        bytes.append(frame: FrameHead(length: 12, kind: .settings, flags: 0, stream: 0))
        bytes.append(setting: SettingCode.enablePush, 0)
        bytes.append(setting: SettingCode.initialWindowBytes, UInt32(FloodLimits.windowBytes))
        bytes.append(
            frame: FrameHead(length: 0, kind: .settings, flags: FrameFlags.acknowledge, stream: 0))
        bytes.append(frame: FrameHead(length: 4, kind: .windowUpdate, flags: 0, stream: 0))
        bytes.append(
            bigEndian: UInt32(FloodLimits.windowBytes - FloodLimits.initialWindowBytes))
        return ByteBuffer(bytes: bytes)
    }

    /// The bytes of calls that begin together, on new streams.
    func input(_ messages: some Sequence<[UInt8]>) -> ByteBuffer {
        var bytes: [UInt8] = []
        for message in messages {
            let body = RequestBody(
                Flood.Request(message: message, answer: nil), isBare: protocolName != .grpc)
            var block = nextStream == 1 ? head.first : head.later
            if let traceFlags { block += Self.traceParent(UInt64(nextStream), traceFlags) }
            bytes.append(
                frame: FrameHead(
                    length: block.count, kind: .headers, flags: FrameFlags.endHeaders,
                    stream: nextStream))
            bytes += block
            let start = bytes.count
            bytes += body.frames
            for offset in body.streamOffsets {
                bytes.patch(bigEndian: nextStream, at: start + offset)
            }
            nextStream += 2
        }
        return ByteBuffer(bytes: bytes)
    }

    /// The field of a trace, in HPACK's form that no table keeps.
    private static func traceParent(_ number: UInt64, _ flags: UInt8) -> [UInt8] {
        let trace = TraceContext(high: number, low: number, spanID: number, flags: flags)
        let (name, value) = (Array("traceparent".utf8), Array(trace.text.utf8))
        return [0, UInt8(name.count)] + name + [UInt8(value.count)] + value
    }

    /// Hands bytes to the service as one read of a socket.
    func feed(_ bytes: ByteBuffer) throws {
        try channel.writeInbound(bytes)
    }

    /// Reads what has come into ``answers``.
    func read() throws(FloodError) {
        let bytes = outlet.take()
        var start = 0
        while start < bytes.count {
            start += try frames.fill { (buffer) throws(FloodError) in
                let part = bytes[start..<min(start + buffer.count, bytes.count)]
                buffer.copyBytes(from: part)
                return part.count
            }
            while let frame = try frames.next() { try take(frame) }
        }
    }

    private func take(_ frame: FrameReader.Frame) throws(FloodError) {
        let stream = frame.head.stream
        var answer = answers[stream] ?? Answer()
        switch frame.head.kind {
        case .data: answer.bytes += frames.bytes[frame.payload]
        case .headers:
            guard frame.head.flags & FrameFlags.endHeaders != 0 else {
                throw FloodError("the server sent a header block in parts")
            }
            try headers.read(frames.bytes, frame.payload) { meaning in
                switch meaning {
                case .grpcStatus(let status): answer.grpcStatus = status
                case .httpStatus(let status): answer.httpStatus = status
                case .other: break
                }
            }
        case .resetStream, .goAway: throw FloodError("the server ended a call, or all of them")
        default: return
        }
        if frame.head.flags & FrameFlags.endStream != 0 { answer.isEnded = true }
        answers[stream] = answer
    }

    /// Takes the answers that have ended, in the order of their calls.
    func takeEnded() -> [Answer] {
        let ended = answers.filter(\.value.isEnded).sorted { $0.key < $1.key }
        for (stream, _) in ended { answers[stream] = nil }
        return ended.map(\.value)
    }
}

/// The end of a channel: keeps a copy of what is written, as a socket does.
private final class Outlet: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private let memory: UnsafeMutableRawBufferPointer
    private var count = 0

    init(capacity: Int) {
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        memory.deallocate()
    }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        let bytes = unwrapOutboundIn(data)
        bytes.withUnsafeReadableBytes { bytes in
            precondition(bytes.count <= memory.count - count, "the answers are too long to keep")
            // The room behind `count` was just checked.
            UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        }
        count += bytes.readableBytes
        promise?.succeed(())
    }

    func flush(context: ChannelHandlerContext) {}

    /// Takes all that was written.
    func take() -> [UInt8] {
        defer { count = 0 }
        return Array(memory[..<count])
    }
}
