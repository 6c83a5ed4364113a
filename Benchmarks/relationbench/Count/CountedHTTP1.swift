import GRPC
import NIOCore
import NIOEmbedded

/// A client of HTTP/1.1 that keeps its connection to a ``CountedService``, and has one call at a
/// time.
final class CountedHTTP1: CountedClient {
    private let channel: EmbeddedChannel
    private let outlet: Outlet
    private let headers: CountedHeaders
    /// The head of a request up to the fields of its own.
    private let head: String
    private(set) var answers: [CountedAnswer] = []
    /// The calls whose requests were made.
    private var count = 0

    init(
        to service: CountedService, path: String, in protocolName: CountedProtocol,
        room: Int = CountLimits.answerBytes
    ) throws {
        let outlet = Outlet(capacity: room)
        (self.outlet, headers) = (outlet, service.headers)
        let timeout = protocolName.timeout
        head = """
            POST \(path) HTTP/1.1\r
            host: counted\r
            user-agent: relationbench\r
            accept: */*\r
            authorization: Bearer \(BenchKey.text)\r
            \(timeout.name): \(timeout.value)\r
            content-type: \(protocolName.rawValue)\r

            """
        channel = EmbeddedChannel(handler: outlet, loop: service.eventLoop)
        try service.serve(channel)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    func input(_ messages: ArraySlice<[UInt8]>) throws(FloodError) -> ByteBuffer {
        var buffer = ByteBuffer()
        for message in messages {
            let own = headers.fields(count).map { "\($0.name): \($0.value)\r\n" }.joined()
            buffer.writeString("\(head)\(own)content-length: \(message.count)\r\n\r\n")
            buffer.writeBytes(message)
            count += 1
        }
        return buffer
    }

    func feed(_ bytes: ByteBuffer) throws { try channel.writeInbound(bytes) }

    func read() throws(FloodError) {
        var rest = outlet.bytes[...]
        while !rest.isEmpty {
            let (answer, bytes) = try Self.answer(UnsafeRawBufferPointer(rebasing: rest))
            answers.append(answer)
            rest = rest.dropFirst(bytes)
        }
        outlet.clear()
    }

    /// The answer with which the bytes begin, and how many it has.
    private static func answer(
        _ bytes: UnsafeRawBufferPointer
    ) throws(FloodError) -> (CountedAnswer, Int) {
        let line = Array("\r\n\r\n".utf8)
        let end = (0...max(0, bytes.count - line.count)).first {
            bytes[$0...].prefix(line.count).elementsEqual(line)
        }
        guard let end, bytes.count >= line.count else { throw FloodError("a head has no end") }
        let lines = String(decoding: bytes[..<end], as: UTF8.self)
            .split(separator: "\r\n", omittingEmptySubsequences: true)
        let name = "content-length: "
        guard let status = lines.first?.split(separator: " ").dropFirst().first,
            let length = lines.first(where: { $0.hasPrefix(name) })
                .flatMap({ Int($0.dropFirst(name.count)) }),
            bytes.count >= end + line.count + length
        else { throw FloodError("an answer has no status, or no length") }
        var answer = CountedAnswer()
        answer.httpStatus = Int(status)
        answer.bytes = Array(bytes[(end + line.count)...].prefix(length))
        answer.isEnded = true
        return (answer, end + line.count + length)
    }
}
