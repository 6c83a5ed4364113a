import HTTP2
import Memory
import NIOCore
import NIOHTTP1

/// The head of an answer in HTTP/1.1.
struct HTTP1Answer {
    /// The fields in the form of HTTP/2.
    let fields: HeaderBlock
    /// Whether the answer has no body.
    let isEmpty: Bool
    /// Whether the connection ends after it.
    let isLast: Bool
    let date: String

    /// Lets a client go on that waits before it sends its body.
    static let continueBytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// A whole answer to a request that never became a call.
    static func refusal(_ status: HTTPResponseStatus, _ why: String, at date: String) -> [UInt8] {
        let text = """
            HTTP/1.1 \(status.code) \(status.reasonPhrase)\r
            content-type: text/plain\r
            content-length: \(why.utf8.count + 1)\r
            connection: close\r
            date: \(date)\r
            cache-control: no-store\r
            \r
            \(why)

            """
        return Array(text.utf8)
    }

    /// Bytes beside the fields: the line, the fields that each answer has, and the empty line.
    ///
    /// A field is counted with 32 bytes more than its own, which is more than it needs here.
    private static let usualBytes = 512

    /// Adds the head to the buffer.
    ///
    /// - Returns: Whether the body goes in chunks; nil if a field has bytes that no field may have,
    ///   and then nothing was added.
    func write(to buffer: inout ByteBuffer) -> Bool? {
        var isChunked: Bool?
        buffer.writeWithUnsafeMutableBytes(
            minimumWritableBytes: fields.listBytes + Self.usualBytes
        ) { room in
            // There is room for bytes, so it has a start.
            let start = room.baseAddress!
            var text = HeadText(next: start)
            isChunked = write(&text)
            return isChunked == nil ? 0 : text.next - start
        }
        return isChunked
    }

    private func write(_ text: inout HeadText) -> Bool? {
        let code = fields.value(of: ":status").map(Self.number) ?? 500
        text.add("HTTP/1.1 ")
        text.add(HTTPResponseStatus(statusCode: code))
        let mayHaveBody = code >= 200 && code != 204 && code != 304
        var hasLength = false
        var rest = fields.makeIterator()
        while let field = rest.next() {
            switch field.name.count {
            case 4 where field.name.isEqual(to: "date"): continue
            case 7 where field.name.isEqual(to: ":status"): continue
            case 10 where field.name.isEqual(to: "connection"): continue
            case 13 where field.name.isEqual(to: "cache-control"): continue
            case 14 where field.name.isEqual(to: "content-length"):
                guard mayHaveBody, !isEmpty else { continue }
                hasLength = true
            case 17 where field.name.isEqual(to: "transfer-encoding"): continue
            default: break
            }
            guard Self.isClean(field) else { return nil }
            text.add(field)
        }
        if isEmpty, mayHaveBody {
            text.add("content-length: 0\r\n")
            hasLength = true
        }
        text.add("date: ")
        text.add(date)
        text.add("\r\ncache-control: no-store\r\n")
        if isLast { text.add("connection: close\r\n") }
        let isChunked = mayHaveBody && !hasLength
        if isChunked { text.add("transfer-encoding: chunked\r\n") }
        text.add("\r\n")
        return isChunked
    }

    private static func number(_ digits: UnsafeRawBufferPointer) -> Int {
        digits.reduce(0) { $0 &* 10 &+ Int($1 & 0x0F) }
    }

    /// Whether no byte of the field could end its line.
    private static func isClean(_ field: HeaderField) -> Bool {
        guard PrintableASCII.arePrintable(field.name) else { return false }
        return PrintableASCII.arePrintable(field.value)
            || field.value.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    // MARK: - Chunks

    static func beginChunk(_ count: Int, _ buffer: inout ByteBuffer) {
        buffer.writeString(String(count, radix: 16))
        buffer.writeStaticString("\r\n")
    }

    static func endChunk(_ buffer: inout ByteBuffer) {
        buffer.writeStaticString("\r\n")
    }

    /// Adds the last chunk, without trailers.
    static func endChunks(_ buffer: inout ByteBuffer) {
        buffer.writeStaticString("0\r\n\r\n")
    }
}

/// The text of a head, in memory with room for it.
private struct HeadText {
    /// Where the next byte goes; the caller has seen to the room.
    private(set) var next: UnsafeMutableRawPointer

    init(next: UnsafeMutableRawPointer) { self.next = next }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        next.copyMemory(from: start, byteCount: bytes.count)
        next += bytes.count
    }

    mutating func add(_ text: StaticString) { add(text.rawBytes) }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    mutating func add(_ field: HeaderField) {
        add(field.name)
        add(": ")
        add(field.value)
        add("\r\n")
    }

    mutating func add(_ status: HTTPResponseStatus) {
        guard status != .ok else { return add("200 OK\r\n") }
        add("\(status.code) \(status.reasonPhrase)\r\n")
    }
}
