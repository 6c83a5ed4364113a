import GRPCWire
import Glibc
import HTTP2
import Memory
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

    /// A part of a request.
    enum Step {
        /// The header section is complete; it is ``head``.
        case head
        /// Bytes of the body are there, in that range of those that were given.
        case body(Range<Int>)
        case end
    }

    private var state = State.head
    /// The header section that was read last, or comes now.
    let head = HTTP1Head()
    /// Bytes of the present header section, or of the present trailers, whose lines were taken.
    private var takenBytes = 0
    /// Bytes of the next line in which its end was searched and not found.
    private var searchedBytes = 0
    private let headBytes: Int

    /// Where the header section that was read last has the digits of its length, if both came in
    /// one piece.
    private(set) var lengthRange: Range<Int>?
    /// Where that header section is; nil if it came in several pieces.
    private(set) var headRange: Range<Int>?
    private var headStart: Int?

    /// - Parameter headBytes: The bytes of a header section, of a line before a chunk, or of
    ///   trailers.
    package init(headBytes: Int) {
        self.headBytes = headBytes
    }

    /// Whether the next part is a header section.
    package var isBetweenRequests: Bool {
        if case .head = state { !head.hasLine } else { false }
    }

    /// Whether nothing of the next header section was looked at.
    var isFresh: Bool { isBetweenRequests && takenBytes == 0 && searchedBytes == 0 }

    /// Whether bytes of a header section are what comes next.
    var isAtHead: Bool {
        if case .head = state { true } else { false }
    }

    /// Whether a header section, a chunk's line or trailers have begun and not ended.
    ///
    /// - Parameter waiting: The bytes that were not taken yet.
    func isInsideLines(_ waiting: Int) -> Bool {
        switch state {
        case .head: head.hasLine || waiting > 0
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
    ) throws(HTTP1Error) -> HTTPServerRequestPart? {
        var used = 0
        var step: Step?
        // A closure of the package would lose the error's type.
        var failure: HTTP1Error?
        buffer.withUnsafeReadableBytes { bytes in
            do throws(HTTP1Error) { step = try advance(bytes, &used) } catch { failure = error }
        }
        if let failure { throw failure }
        guard case .body(let range)? = step else {
            buffer.moveReaderIndex(forwardBy: used)
            return step.map { if case .head = $0 { .head(head.nio) } else { .end(nil) } }
        }
        buffer.moveReaderIndex(forwardBy: range.lowerBound)
        // It is not longer than what can be read.
        return .body(buffer.readSlice(length: range.count)!)
    }

    /// Takes the next part of the bytes; nil if more are needed.
    ///
    /// - Parameter used: How many bytes were taken; the others must come again with more of them.
    /// - Throws: Why the client is refused. Nothing is to be read after that.
    mutating func advance(
        _ bytes: UnsafeRawBufferPointer, _ used: inout Int
    ) throws(HTTP1Error) -> Step? {
        headStart = isFresh ? used : nil
        while true {
            switch state {
            case .head:
                guard let line = try readLine(bytes, &used) else { return nil }
                guard try parse(line, in: bytes) else { continue }
                headRange = headStart.map { $0..<used }
                return .head
            case .body(let left), .chunk(let left):
                if let part = readBody(bytes, &used, left) { return .body(part) }
                if left > 0 { return nil }
            case .chunkLine:
                guard let line = try readLine(bytes, &used) else { return nil }
                takenBytes = 0
                let size = try ChunkLine.size(line)
                state = size == 0 ? .trailers : .chunk(size)
            case .chunkEnd:
                guard let line = try readLine(bytes, &used) else { return nil }
                takenBytes = 0
                guard line.isEmpty else { throw HTTP1Error("a chunk is longer than its size") }
                state = .chunkLine
            case .trailers:
                guard let line = try readLine(bytes, &used) else { return nil }
                // No call has a use for them.
                if line.isEmpty { state = .end } else { _ = try HTTP1Field.read(line) }
            case .end:
                begin()
                return .end
            }
        }
    }

    /// Takes a header section that was recognised as one that was read before, which is followed by
    /// so many bytes of a body.
    mutating func skipHead(_ bodyBytes: Int) {
        state = bodyBytes == 0 ? .end : .body(bodyBytes)
    }

    /// Waits for the next request.
    private mutating func begin() {
        state = .head
        takenBytes = 0
        head.reset()
    }

    /// Takes what has come of a body or of a chunk; nil if nothing has, or nothing is left.
    private mutating func readBody(
        _ bytes: UnsafeRawBufferPointer, _ used: inout Int, _ left: Int
    ) -> Range<Int>? {
        let count = min(left, bytes.count - used)
        let isChunk = if case .chunk = state { true } else { false }
        if count == left {
            state = isChunk ? .chunkEnd : .end
        } else {
            state = isChunk ? .chunk(left - count) : .body(left - count)
        }
        guard count > 0 else { return nil }
        used += count
        return used - count..<used
    }

    /// Takes a line without its end; nil if the end has not come.
    private mutating func readLine(
        _ bytes: UnsafeRawBufferPointer, _ used: inout Int
    ) throws(HTTP1Error) -> UnsafeRawBufferPointer? {
        let start = used
        let end = bytes.firstIndex(of: UInt8(ascii: "\n"), from: start + searchedBytes)
        let count = (end.map { $0 + 1 } ?? bytes.count) - start
        guard takenBytes + count <= headBytes else { throw tooLong }
        guard end != nil else {
            searchedBytes = count
            return nil
        }
        searchedBytes = 0
        takenBytes += count
        used += count
        guard count >= 2, bytes[used - 2] == UInt8(ascii: "\r") else {
            throw HTTP1Error("a line ends with LF alone")
        }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<used - 2])
    }

    private var tooLong: HTTP1Error {
        switch state {
        case .head:
            HTTP1Error(
                .requestHeaderFieldsTooLarge, "the fields take more than \(headBytes) bytes")
        case .trailers:
            HTTP1Error(
                .requestHeaderFieldsTooLarge, "the trailers take more than \(headBytes) bytes")
        default: HTTP1Error("the line before a chunk takes more than \(headBytes) bytes")
        }
    }

    // MARK: - Header sections

    /// Takes a line of a header section.
    ///
    /// - Returns: Whether the header section is complete.
    private mutating func parse(
        _ line: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer
    ) throws(HTTP1Error) -> Bool {
        guard head.hasLine else {
            // One empty line may stand before a request: some clients end a body with it.
            if line.isEmpty, takenBytes == 2 { return false }
            lengthRange = nil
            try RequestLine.read(line, into: head)
            return false
        }
        guard line.isEmpty else {
            let field = try HTTP1Field.read(line)
            head.append(field)
            // The value is a part of the bytes.
            if field.name.count == 14, field.name.isEqual(ignoringCase: "content-length"),
                let start = bytes.baseAddress, let value = field.value.baseAddress
            {
                lengthRange = value - start..<value - start + field.value.count
            }
            return false
        }
        takenBytes = 0
        state =
            switch try head.complete() {
            case .none: .end
            case .bytes(let count): .body(count)
            case .chunks: .chunkLine
            }
        return true
    }
}

/// The first line of a request.
private enum RequestLine {
    static func read(_ line: UnsafeRawBufferPointer, into head: HTTP1Head) throws(HTTP1Error) {
        let blank = UInt8(ascii: " ")
        guard let first = line.firstIndex(of: blank, from: 0),
            let second = line.firstIndex(of: blank, from: first + 1),
            line.firstIndex(of: blank, from: second + 1) == nil,
            first > 0, second > first + 1, line.count > second + 1
        else { throw HTTP1Error("a request begins with a method, a target and a version") }
        let method = UnsafeRawBufferPointer(rebasing: line[..<first])
        let target = UnsafeRawBufferPointer(rebasing: line[(first + 1)..<second])
        let version = UnsafeRawBufferPointer(rebasing: line[(second + 1)...])
        guard method.count <= CallLimits.methodBytes, HTTP1Field.isName(method) else {
            throw HTTP1Error("the method is malformed")
        }
        let isHTTP11 = version.isEqual(to: "HTTP/1.1")
        guard isHTTP11 || version.isEqual(to: "HTTP/1.0") else {
            throw HTTP1Error("the version is not HTTP/1.1")
        }
        guard target.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw HTTP1Error("the target is malformed")
        }
        guard target.first != UInt8(ascii: "/"), !target.isEqual(to: "*") else {
            return head.begin(method, target, isHTTP11: isHTTP11)
        }
        let (path, host) = try split(
            String(decoding: target, as: UTF8.self), isTunnel: method.isEqual(to: "CONNECT"))
        head.begin(method, path, host: host, isHTTP11: isHTTP11)
    }

    /// The parts of a target that is a whole address.
    private static func split(
        _ target: String, isTunnel: Bool
    ) throws(HTTP1Error) -> (path: String, host: String) {
        let scheme = ["http://", "https://"].first { target.lowercased().hasPrefix($0) }
        guard let scheme, !isTunnel else { throw HTTP1Error("the target is not a path") }
        let rest = target.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard BrowserRules.isHost(String(authority)) else {
            throw HTTP1Error("the target has no host")
        }
        let tail = rest.dropFirst(authority.count)
        return (tail.hasPrefix("/") ? String(tail) : "/" + tail, String(authority))
    }
}

/// A field of a header section, or of trailers.
private enum HTTP1Field {
    /// The field of a line; the value has no blanks around it.
    static func read(_ line: UnsafeRawBufferPointer) throws(HTTP1Error) -> HeaderField {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":"), from: 0) else {
            throw HTTP1Error("a field has no colon")
        }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        // A line that begins with a blank would go on with the field before it.
        guard !name.isEmpty, isName(name) else {
            throw HTTP1Error("the name of a field is malformed")
        }
        var (start, end) = (colon + 1, line.count)
        while start < end, isBlank(line[start]) { start += 1 }
        while end > start, isBlank(line[end - 1]) { end -= 1 }
        let value = UnsafeRawBufferPointer(rebasing: line[start..<end])
        guard
            PrintableASCII.arePrintable(value)
                || value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { throw HTTP1Error("the value of a field has a control character") }
        return HeaderField(name: name, value: value)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Whether all bytes may stand in a name: RFC 9110 calls this a token.
    static func isName(_ name: UnsafeRawBufferPointer) -> Bool {
        for byte in name {
            let isLetter = (byte | 0x20) &- 0x61 < 26
            guard isLetter || byte == UInt8(ascii: "-") || isOther(byte) else { return false }
        }
        return true
    }

    private static func isOther(_ byte: UInt8) -> Bool {
        byte &- 0x30 <= 9 || "!#$%&'*+.^_`|~".utf8.contains(byte)
    }
}

/// The line before a chunk: its size, and extensions, which no program uses.
private enum ChunkLine {
    static func size(_ line: UnsafeRawBufferPointer) throws(HTTP1Error) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
        // Fifteen digits are within 64 bits, and beyond every bound.
        guard (1...15).contains(digits.count), digits.allSatisfy(isDigit),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw HTTP1Error("the size of a chunk is malformed") }
        let rest = line[digits.endIndex...]
        let after = rest.drop { $0 == 0x20 || $0 == 0x09 }
        guard after.isEmpty ? rest.isEmpty : after.first == UInt8(ascii: ";"),
            rest.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { throw HTTP1Error("the extension of a chunk is malformed") }
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

extension UnsafeRawBufferPointer {
    /// The index of the first such byte from `start` on.
    fileprivate func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard let base = baseAddress, start < count,
            let found = memchr(base + start, Int32(byte), count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}
