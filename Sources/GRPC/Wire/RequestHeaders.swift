import GRPCWire
import HTTP2
import Memory
import NIOCore
import Protobuf
import RPC

/// The fields of a request that the server needs before it looks at messages.
///
/// They are views into the stream's header block, made in one pass over its fields.
struct RequestHeaders {
    private(set) var path = UnsafeRawBufferPointer(start: nil, count: 0)
    private var method = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var contentType: UnsafeRawBufferPointer?
    /// The time that the client allows, as it says it; nil if it says none.
    private(set) var timeout: UnsafeRawBufferPointer?
    private var encodingName: UnsafeRawBufferPointer?
    private var badField: UnsafeRawBufferPointer?
    /// Whether the client waits for a word before it sends its request's body.
    private(set) var asksWhetherToSend = false

    /// Why the request is answered without running it.
    struct RequestRefusal {
        let code: Status.Code
        let message: String
        /// Whether the answer says which encodings are known.
        let encodings: Bool

        init(_ code: Status.Code, _ message: String, encodings: Bool) {
            self.code = code
            self.message = message
            self.encodings = encodings
        }
    }

    /// - Parameter known: The fields of a header block that is known, which are not in the block.
    init(_ block: HeaderBlock, beside known: HeaderBlock? = nil) {
        if let known { add(known) }
        add(block)
    }

    private mutating func add(_ block: HeaderBlock) {
        var fields = block.makeIterator()
        while let field = fields.next() { add(field) }
    }

    /// The names of the fields whose values differ in each call: its time, its number, and its
    /// position in a trace.
    ///
    /// An object that a layer keeps with a cached header block must not depend on any of them.
    static let openNames: [StaticString] = [
        "grpc-timeout", "traceparent", "tracestate", "baggage", "x-request-id", "request-id",
        "x-correlation-id", "b3", "x-b3-traceid", "x-b3-spanid", "x-b3-parentspanid",
        "grpc-trace-bin", "x-cloud-trace-context", "x-amzn-trace-id", "uber-trace-id",
        "x-datadog-trace-id", "x-datadog-parent-id", "sentry-trace",
    ]

    /// The time that the client allows, and whether all values are well formed, by the open fields
    /// of a cached header block.
    static func open(
        in block: HeaderBlock
    ) -> (timeout: UnsafeRawBufferPointer?, areGood: Bool) {
        var timeout: UnsafeRawBufferPointer?
        var areGood = true
        var fields = block.makeIterator()
        for _ in 0..<block.count {
            guard let field = fields.next() else { break }
            // Of `openNames` those of gRPC alone begin with a g, and one of these is so long.
            if field.name.first == UInt8(ascii: "g") {
                if field.name.count == 12 { timeout = field.value }
            } else if !isPrintable(field.value) {
                areGood = false
            }
        }
        return (timeout, areGood)
    }

    private mutating func add(_ field: HeaderField) {
        let name = field.name
        switch name.count {
        case 5 where name.isEqual(to: ":path"): path = field.value
        case 6 where name.isEqual(to: "expect"):
            asksWhetherToSend = field.value.isEqual(ignoringCase: "100-continue")
        case 7 where name.isEqual(to: ":method"): method = field.value
        case 12 where name.isEqual(to: "content-type"): contentType = field.value
        case 12 where name.isEqual(to: "grpc-timeout"): timeout = field.value
        case 13 where name.isEqual(to: "grpc-encoding"): encodingName = field.value
        default: judge(field)
        }
    }

    /// Notes the name of a metadata field whose value is malformed.
    private mutating func judge(_ field: HeaderField) {
        let name = field.name
        guard name.first != UInt8(ascii: ":"), !name.hasPrefix("grpc-") else { return }
        if !Self.isPrintable(field.value) { badField = name }
        if Metadata.isBinary(name), Metadata.binaryValues(field.value) == nil { badField = name }
    }

    private static func isPrintable(_ value: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset &+ 8 <= value.count {
            let word = value.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard PrintableASCII.arePrintable(word) || arePrintable(value, offset, offset &+ 8)
            else {
                return false
            }
            offset &+= 8
        }
        return arePrintable(value, offset, value.count)
    }

    /// Looks at bytes one by one, and lets tabs pass: tabs around a value are white space, which is
    /// removed where the value is read.
    private static func arePrintable(
        _ value: UnsafeRawBufferPointer, _ start: Int, _ end: Int
    ) -> Bool {
        var offset = start
        while offset < end {
            let byte = value[offset]
            guard PrintableASCII.arePrintable(byte) || byte == 0x09 else { return false }
            offset &+= 1
        }
        return true
    }

    /// Whether the request is a call of gRPC in protobuf, and so in no protocol of the web.
    var isGRPC: Bool {
        guard method.isEqual(to: "POST"), case .grpc = ContentKind(contentType) else {
            return false
        }
        return true
    }

    /// Returns why a call of gRPC cannot be run, or nil if it can.
    ///
    /// The order of the checks is: metadata, encoding.
    func refusal() -> RequestRefusal? {
        if let badField = badFieldName {
            return RequestRefusal(
                .internalError, "the metadata \(badField) is malformed", encodings: false)
        }
        if let encodingName, MessageEncoding(encodingName) == nil {
            let name = String(decoding: encodingName.prefix(32), as: UTF8.self)
            return RequestRefusal(
                .unimplemented, "the message encoding \(name) is not known here", encodings: true)
        }
        return nil
    }

    /// The name of a metadata field whose value is malformed.
    var badFieldName: String? { badField.map { String(decoding: $0, as: UTF8.self) } }

    var isGet: Bool { method.isEqual(to: "GET") }
    var isPost: Bool { method.isEqual(to: "POST") }
    var isOptions: Bool { method.isEqual(to: "OPTIONS") }

    /// How messages of the request may be compressed, once ``refusal()`` has found nothing.
    var encoding: MessageEncoding { encodingName.flatMap { MessageEncoding($0) } ?? .identity }
}
