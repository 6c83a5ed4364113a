import GRPCWire
import HTTP2
import NIOHTTP1
import RPC

/// The head of a request of HTTP/1.1, as far as it was read.
///
/// Its fields are kept as they came. They are judged together when the head is complete.
///
/// - Important: It belongs to its reader. Why properties are `@exclusivity(unchecked)` is said at
///   ``ServerCall``.
final class HTTP1Head {
    /// The body that follows a head.
    enum Body {
        case none
        case bytes(Int)
        case chunks
    }

    @exclusivity(unchecked) private(set) var isHTTP11 = false
    /// The method, the target and perhaps the host of a whole address, with names of HTTP/2.
    @exclusivity(unchecked) private var line = HeaderBlock()
    @exclusivity(unchecked) private var fields = HeaderBlock()

    /// Whether the client ends the connection after the answer.
    @exclusivity(unchecked) private(set) var isLast = false
    /// Whether the client waits for a word before it sends the body.
    @exclusivity(unchecked) private(set) var asksWhetherToSend = false
    @exclusivity(unchecked) private(set) var hasBody = false
    @exclusivity(unchecked) private(set) var hasChunks = false
    /// Whether fields are named that belong to the connection, and not to the request.
    @exclusivity(unchecked) private var namesFields = false

    /// Whether the first line was read.
    var hasLine: Bool { line.count > 0 }

    deinit {
        line.free()
        fields.free()
    }

    func reset() {
        line.reset(keeping: SessionLimits.pooledBufferBytes)
        fields.reset(keeping: SessionLimits.pooledBufferBytes)
        (isLast, asksWhetherToSend, namesFields) = (false, false, false)
        (hasBody, hasChunks) = (false, false)
    }

    var method: UnsafeRawBufferPointer { line.value(of: ":method") ?? .empty }
    var target: UnsafeRawBufferPointer { line.value(of: ":path") ?? .empty }
    /// The host of a whole address counts, and not the field.
    var host: UnsafeRawBufferPointer {
        line.value(of: ":authority") ?? field("host", from: fields.makeIterator()) ?? .empty
    }

    private func field(
        _ name: StaticString, from rest: HeaderBlock.Iterator
    ) -> UnsafeRawBufferPointer? {
        var rest = rest
        while let field = rest.next() {
            if field.name.isEqual(ignoringCase: name) { return field.value }
        }
        return nil
    }

    func begin(
        _ method: UnsafeRawBufferPointer, _ target: UnsafeRawBufferPointer, isHTTP11: Bool
    ) {
        self.isHTTP11 = isHTTP11
        line.append(":method", method)
        line.append(":path", target)
    }

    /// Takes the first line whose target is a whole address.
    func begin(
        _ method: UnsafeRawBufferPointer, _ target: String, host: String, isHTTP11: Bool
    ) {
        var (target, host) = (target, host)
        target.withUTF8 { begin(method, UnsafeRawBufferPointer($0), isHTTP11: isHTTP11) }
        host.withUTF8 { line.append(":authority", UnsafeRawBufferPointer($0)) }
    }

    func append(_ field: HeaderField) {
        fields.append(field.name, field.value)
    }

    // MARK: - When it is complete

    /// Judges the fields that say how the request goes on.
    ///
    /// - Returns: The body that follows the head.
    func complete() throws(HTTP1Error) -> Body {
        var hosts = 0
        var lengths = 0
        var codings = 0
        var length: UnsafeRawBufferPointer?
        var coding: UnsafeRawBufferPointer?
        var connection = ConnectionWords()
        var rest = fields.makeIterator()
        while let field = rest.next() {
            switch field.name.count {
            case 4 where field.name.isEqual(ignoringCase: "host"): hosts += 1
            case 14 where field.name.isEqual(ignoringCase: "content-length"):
                lengths += 1
                length = length ?? field.value
            case 17 where field.name.isEqual(ignoringCase: "transfer-encoding"):
                codings += 1
                coding = coding ?? field.value
            case 10 where field.name.isEqual(ignoringCase: "connection"):
                connection.add(field.value)
            case 6 where field.name.isEqual(ignoringCase: "expect"):
                asksWhetherToSend =
                    asksWhetherToSend
                    || field.value.words.contains { $0.isEqual(ignoringCase: "100-continue") }
            default: break
            }
        }
        isLast = connection.isLast(isHTTP11: isHTTP11)
        namesFields = connection.namesFields
        // A whole address has its host.
        if line.count > 2 { hosts = 1 }
        guard hosts == 1 || hosts == 0 && !isHTTP11 else {
            throw HTTP1Error("a request has one host")
        }
        guard lengths + min(codings, 1) <= 1 else { throw HTTP1Error("a request has one length") }
        if let coding {
            guard isHTTP11 else { throw HTTP1Error("HTTP/1.0 has no transfer-encoding") }
            guard codings == 1, coding.isEqual(ignoringCase: "chunked") else {
                throw HTTP1Error(.notImplemented, "the transfer-encoding is not chunked")
            }
            (hasBody, hasChunks) = (true, true)
            return .chunks
        }
        guard let length else { return .none }
        // A number of 18 digits is within 64 bits, and beyond every bound.
        guard (1...18).contains(length.count), length.allSatisfy({ $0 &- 0x30 <= 9 }) else {
            throw HTTP1Error("the content-length is not a number of bytes")
        }
        let count = length.reduce(0) { $0 &* 10 &+ Int($1 &- 0x30) }
        guard count > 0 else { return .none }
        hasBody = true
        return .bytes(count)
    }

    // MARK: - Its forms

    /// The head in SwiftNIO's form.
    var nio: HTTPRequestHead {
        var head = HTTPRequestHead(
            version: isHTTP11 ? .http1_1 : .http1_0,
            method: HTTPMethod(rawValue: String(decoding: method, as: UTF8.self)),
            uri: String(decoding: target, as: UTF8.self))
        var rest = fields.makeIterator()
        while let field = rest.next() {
            head.headers.add(
                name: String(decoding: field.name, as: UTF8.self),
                value: String(decoding: field.value, as: UTF8.self))
        }
        if let host = line.value(of: ":authority") {
            head.headers.replaceOrAdd(name: "host", value: String(decoding: host, as: UTF8.self))
        }
        return head
    }

    /// Adds the fields in the form of HTTP/2.
    ///
    /// - Returns: Whether they are within the bound of a header section.
    func write(to block: inout HeaderBlock, isEncrypted: Bool) -> Bool {
        block.append(":method", method)
        block.append(":scheme", isEncrypted ? "https" : "http")
        block.append(":path", target)
        block.append(":authority", host)
        let named = namesFields ? namedFields() : []
        var rest = fields.makeIterator()
        while let field = rest.next() {
            if Self.isOfConnection(field.name) { continue }
            if !named.isEmpty, named.contains(Self.lowercased(field.name)) { continue }
            block.append(lowering: field.name, field.value)
            guard block.listBytes <= SessionLimits.headerListBytes else { return false }
        }
        return block.listBytes <= SessionLimits.headerListBytes
    }

    /// Whether a field is about this connection, so that HTTP/2 forbids it.
    private static func isOfConnection(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 2: name.isEqual(ignoringCase: "te")
        case 4: name.isEqual(ignoringCase: "host")
        case 6: name.isEqual(ignoringCase: "expect")
        case 7: name.isEqual(ignoringCase: "upgrade") || name.isEqual(ignoringCase: "trailer")
        case 10:
            name.isEqual(ignoringCase: "connection") || name.isEqual(ignoringCase: "keep-alive")
        case 14: name.isEqual(ignoringCase: "http2-settings")
        case 16: name.isEqual(ignoringCase: "proxy-connection")
        case 17: name.isEqual(ignoringCase: "transfer-encoding")
        default: false
        }
    }

    /// The names of further fields that are about this connection.
    private func namedFields() -> Set<[UInt8]> {
        var names: Set<[UInt8]> = []
        var rest = fields.makeIterator()
        while let field = rest.next() {
            guard field.name.isEqual(ignoringCase: "connection") else { continue }
            for word in field.value.words { names.insert(Self.lowercased(word)) }
        }
        return names
    }

    private static func lowercased(_ name: UnsafeRawBufferPointer) -> [UInt8] {
        name.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
    }
}

/// The words of the fields called `connection`.
private struct ConnectionWords {
    private var closes = false
    private var keeps = false
    /// Words about the end of the connection.
    private var count = 0
    private(set) var namesFields = false

    mutating func add(_ value: UnsafeRawBufferPointer) {
        for word in value.words {
            if word.isEqual(ignoringCase: "close") {
                closes = true
                count += 1
            } else if word.isEqual(ignoringCase: "keep-alive") {
                keeps = true
                count += 1
            } else {
                namesFields = true
            }
        }
    }

    /// Whether the client ends the connection; one that says two things does.
    func isLast(isHTTP11: Bool) -> Bool {
        if closes || count > 1 { return true }
        return !keeps && !isHTTP11
    }
}

extension UnsafeRawBufferPointer {
    fileprivate static var empty: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// The words of a list with commas.
    fileprivate var words: [UnsafeRawBufferPointer] {
        split(separator: UInt8(ascii: ",")).map {
            UnsafeRawBufferPointer(rebasing: Metadata.trimmed($0))
        }
    }
}
