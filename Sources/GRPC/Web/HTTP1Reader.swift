package import NIOCore
package import NIOHTTP1

/// Reads the requests of a client of HTTP/1.1 from its bytes, part by part.
///
/// It keeps to the letter of RFC 9112 and does nothing else. It refuses all that two programs may
/// read in two ways. No field changes how bytes are read but those of the length: a client that
/// asks for another protocol is read on as one of HTTP/1.1, and so is one that asks for a tunnel.
package struct HTTP1Reader {
    private enum State {
        /// The line of a request comes, or a field of it.
        case head
        /// So many bytes of a body come.
        case body(Int)
        case chunkLine
        case chunk(Int)
        case chunkEnd
        case trailers
        case end
    }

    private var state = State.head
    private var line: RequestLine?
    private var headers = HTTPHeaders()
    /// Bytes of the present header block, or of the present trailers, whose lines were taken.
    private var takenBytes = 0
    /// Bytes of the next line that were looked at in vain for its end.
    private var searchedBytes = 0
    private let headBytes: Int

    /// - Parameter headBytes: The bytes of a header block, of a line before a chunk, or of
    ///   trailers.
    package init(headBytes: Int) {
        self.headBytes = headBytes
    }

    /// Whether the next part is a header block.
    package var isBetweenRequests: Bool {
        if case .head = state { line == nil } else { false }
    }

    /// Whether bytes of a header block are what comes next.
    var isAtHead: Bool {
        if case .head = state { true } else { false }
    }

    /// Whether a header block, a chunk's line or trailers have begun and not ended.
    ///
    /// - Parameter waiting: The bytes that were not taken yet.
    func isInsideLines(_ waiting: Int) -> Bool {
        switch state {
        case .head: line != nil || waiting > 0
        case .chunkLine: waiting > 0
        case .chunkEnd, .trailers: true
        case .body, .chunk, .end: false
        }
    }

    /// Takes the next part from the buffer; nil if more bytes are needed.
    ///
    /// - Throws: Why the client is refused. Nothing is to be read after that.
    package mutating func next(
        _ buffer: inout ByteBuffer
    ) throws(HTTP1Fault) -> HTTPServerRequestPart? {
        while true {
            switch state {
            case .head:
                guard let text = try takeLine(&buffer) else { return nil }
                guard let head = try take(text) else { continue }
                return .head(head)
            case .body(let left), .chunk(let left):
                if let part = takeBody(&buffer, left) { return part }
                if left > 0 { return nil }
            case .chunkLine:
                guard let text = try takeLine(&buffer) else { return nil }
                takenBytes = 0
                let size = try ChunkLine.size(text)
                state = size == 0 ? .trailers : .chunk(size)
            case .chunkEnd:
                guard let text = try takeLine(&buffer) else { return nil }
                takenBytes = 0
                guard text.readableBytes == 0 else {
                    throw HTTP1Fault("a chunk is longer than its size")
                }
                state = .chunkLine
            case .trailers:
                guard let text = try takeLine(&buffer) else { return nil }
                // No call has a use for them.
                if text.readableBytes > 0 { _ = try HTTP1Field(text) } else { state = .end }
            case .end:
                state = .head
                takenBytes = 0
                return .end(nil)
            }
        }
    }

    /// Takes what has come of a body or of a chunk; nil if nothing has, or nothing is left.
    private mutating func takeBody(_ buffer: inout ByteBuffer, _ left: Int)
        -> HTTPServerRequestPart?
    {
        let count = min(left, buffer.readableBytes)
        let isChunk = if case .chunk = state { true } else { false }
        // It is not longer than what can be read.
        let part = count > 0 ? buffer.readSlice(length: count)! : nil
        if count == left {
            state = isChunk ? .chunkEnd : .end
        } else {
            state = isChunk ? .chunk(left - count) : .body(left - count)
        }
        return part.map { .body($0) }
    }

    /// Takes a line without its end; nil if the end has not come.
    private mutating func takeLine(_ buffer: inout ByteBuffer) throws(HTTP1Fault) -> ByteBuffer? {
        let rest = buffer.readableBytesView.dropFirst(searchedBytes)
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        let count = end.map { $0 - buffer.readerIndex + 1 } ?? buffer.readableBytes
        guard takenBytes + count <= headBytes else { throw tooLong }
        guard end != nil else {
            searchedBytes = count
            return nil
        }
        searchedBytes = 0
        takenBytes += count
        // It has a byte at least, the line feed.
        var text = buffer.readSlice(length: count)!
        guard text.readableBytesView.dropLast().last == UInt8(ascii: "\r") else {
            throw HTTP1Fault("a line ends with LF alone")
        }
        text.moveWriterIndex(to: text.writerIndex - 2)
        return text
    }

    private var tooLong: HTTP1Fault {
        switch state {
        case .head:
            HTTP1Fault(
                .requestHeaderFieldsTooLarge, "the fields take more than \(headBytes) bytes")
        case .trailers:
            HTTP1Fault(
                .requestHeaderFieldsTooLarge, "the trailers take more than \(headBytes) bytes")
        default: HTTP1Fault("the line before a chunk takes more than \(headBytes) bytes")
        }
    }

    // MARK: - Header blocks

    /// Takes a line of a header block; gives the header block when it is complete.
    private mutating func take(_ text: ByteBuffer) throws(HTTP1Fault) -> HTTPRequestHead? {
        guard let line else {
            // One empty line may stand before a request: some clients end a body with it.
            if text.readableBytes == 0, takenBytes == 2 { return nil }
            self.line = try RequestLine(text)
            return nil
        }
        guard text.readableBytes == 0 else {
            let field = try HTTP1Field(text)
            headers.add(name: field.name, value: field.value)
            return nil
        }
        var head = HTTPRequestHead(version: line.version, method: line.method, uri: line.path)
        if let authority = line.authority {
            // The host of a whole address counts, and not the field.
            headers.replaceOrAdd(name: "host", value: authority)
        }
        swap(&head.headers, &headers)
        self.line = nil
        headers = HTTPHeaders()
        takenBytes = 0
        state = try Self.length(of: head)
        return head
    }

    /// The state after a header block: a body of a known length follows, chunks, or nothing.
    private static func length(of head: HTTPRequestHead) throws(HTTP1Fault) -> State {
        let fields = head.headers
        guard fields["host"].count == 1 || fields["host"].isEmpty && head.version == .http1_0 else {
            throw HTTP1Fault("a request has one host")
        }
        let lengths = fields["content-length"]
        let codings = fields["transfer-encoding"]
        guard lengths.count + (codings.isEmpty ? 0 : 1) <= 1 else {
            throw HTTP1Fault("a request has one length")
        }
        if let coding = codings.first {
            guard head.version == .http1_1 else {
                throw HTTP1Fault("HTTP/1.0 has no transfer-encoding")
            }
            guard codings.count == 1, coding.lowercased() == "chunked" else {
                throw HTTP1Fault(.notImplemented, "the transfer-encoding is not chunked")
            }
            return .chunkLine
        }
        guard let length = lengths.first else { return .end }
        // A number of 18 digits is within 64 bits, and beyond every bound.
        guard (1...18).contains(length.utf8.count),
            length.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") <= 9 }), let count = Int(length)
        else { throw HTTP1Fault("the content-length is no number of bytes") }
        return count == 0 ? .end : .body(count)
    }
}

/// The first line of a request.
private struct RequestLine {
    let method: HTTPMethod
    let path: String
    /// The host of a target that is a whole address.
    private(set) var authority: String?
    let version: HTTPVersion

    init(_ text: ByteBuffer) throws(HTTP1Fault) {
        let words = text.readableBytesView.split(
            separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, !words.contains(where: \.isEmpty) else {
            throw HTTP1Fault("a request begins with a method, a target and a version")
        }
        guard words[0].count <= CallLimits.methodBytes, words[0].allSatisfy(HTTP1Field.isOfName)
        else { throw HTTP1Fault("the method is malformed") }
        method = HTTPMethod(rawValue: String(decoding: words[0], as: UTF8.self))
        switch String(decoding: words[2], as: UTF8.self) {
        case "HTTP/1.1": version = .http1_1
        case "HTTP/1.0": version = .http1_0
        default: throw HTTP1Fault("the version is not HTTP/1.1")
        }
        guard words[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw HTTP1Fault("the target is malformed")
        }
        let target = String(decoding: words[1], as: UTF8.self)
        guard !target.hasPrefix("/"), target != "*" else {
            path = target
            return
        }
        let scheme = ["http://", "https://"].first { target.lowercased().hasPrefix($0) }
        guard let scheme, method != .CONNECT else { throw HTTP1Fault("the target is not a path") }
        let rest = target.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard BrowserRules.isHost(String(authority)) else {
            throw HTTP1Fault("the target has no host")
        }
        self.authority = String(authority)
        let tail = rest.dropFirst(authority.count)
        path = tail.hasPrefix("/") ? String(tail) : "/" + tail
    }
}

/// A field of a header block, or of trailers.
private struct HTTP1Field {
    let name: String
    /// The value without the blanks around it.
    let value: String

    init(_ text: ByteBuffer) throws(HTTP1Fault) {
        let line = text.readableBytesView
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw HTTP1Fault("a field has no colon")
        }
        let name = line[..<colon]
        // A line that begins with a blank would go on with the field before it.
        guard !name.isEmpty, name.allSatisfy(Self.isOfName) else {
            throw HTTP1Fault("the name of a field is malformed")
        }
        var value = line[(colon + 1)...].drop(while: Self.isBlank)
        while let last = value.last, Self.isBlank(last) { value.removeLast() }
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw HTTP1Fault("the value of a field has a control character")
        }
        self.name = String(decoding: name, as: UTF8.self)
        self.value = String(decoding: value, as: UTF8.self)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Whether the byte may stand in a name: RFC 9110 calls this a token.
    static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

/// The line before a chunk: its size, and extensions, which no program uses.
private enum ChunkLine {
    static func size(_ text: ByteBuffer) throws(HTTP1Fault) -> Int {
        let line = text.readableBytesView
        let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
        // Fifteen digits are within 64 bits, and beyond every bound.
        guard (1...15).contains(digits.count), digits.allSatisfy(isDigit),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw HTTP1Fault("the size of a chunk is malformed") }
        let rest = line[digits.endIndex...]
        let after = rest.drop { $0 == 0x20 || $0 == 0x09 }
        guard after.isEmpty ? rest.isEmpty : after.first == UInt8(ascii: ";"),
            rest.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { throw HTTP1Fault("the extension of a chunk is malformed") }
        return size
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
