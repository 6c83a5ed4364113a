import HTTP2
import NIOCore

/// The fields of a request that the server needs before it looks at messages.
///
/// They are views into the stream's head, made in one pass over its fields.
struct RequestHead {
    private(set) var path = UnsafeRawBufferPointer(start: nil, count: 0)
    private var method = UnsafeRawBufferPointer(start: nil, count: 0)
    private var contentType: UnsafeRawBufferPointer?
    private var timeout: UnsafeRawBufferPointer?
    private var encodingName: UnsafeRawBufferPointer?
    private var badField: UnsafeRawBufferPointer?

    /// Why the request is answered without running it.
    enum RequestRefusal {
        case fixed(FixedFields)
        case status(Status.Code, String, encodings: Bool)
    }

    init(_ block: HeaderBlock) {
        var fields = block.makeIterator()
        while let field = fields.next() { take(field) }
    }

    private mutating func take(_ field: HeaderField) {
        let name = field.name
        switch name.count {
        case 5 where name.isEqual(to: ":path"): path = field.value
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
            guard isPrintable(word) || arePrintable(value, offset, offset &+ 8) else {
                return false
            }
            offset &+= 8
        }
        return arePrintable(value, offset, value.count)
    }

    /// Whether all eight bytes are from 0x20 to 0x7E, in a few instructions.
    private static func isPrintable(_ word: UInt64) -> Bool {
        let (each, top): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        // A byte borrows into its top bit if it is below 0x20, and carries into it if it is 0x7F;
        // from 0x80 on that bit is set already. A borrow that crosses into the next byte comes from
        // a bad byte.
        return (word | (word &- each &* 0x20) | (word &+ each)) & top == 0
    }

    /// Looks at bytes one by one, and lets tabs pass: tabs around a value are white space, which is
    /// removed where the value is read.
    private static func arePrintable(
        _ value: UnsafeRawBufferPointer, _ start: Int, _ end: Int
    ) -> Bool {
        var offset = start
        while offset < end {
            let byte = value[offset]
            guard byte &- 0x20 <= 0x5E || byte == 0x09 else { return false }
            offset &+= 1
        }
        return true
    }

    /// Returns why the request cannot be run, or nil if it can.
    ///
    /// The order of the checks is: method, content type, metadata, encoding.
    func refusal() -> RequestRefusal? {
        guard method.isEqual(to: "POST") else { return .fixed(.methodNotAllowed) }
        switch ContentKind(contentType) {
        case .grpc: break
        case .otherFormat:
            return .status(
                .unimplemented, "only application/grpc+proto is served", encodings: false)
        case .foreign: return .fixed(.unsupportedMediaType)
        }
        if let badField {
            let name = String(decoding: badField, as: UTF8.self)
            return .status(.internalError, "the metadata \(name) is malformed", encodings: false)
        }
        if let encodingName, MessageEncoding(encodingName) == nil {
            let name = String(decoding: encodingName.prefix(32), as: UTF8.self)
            return .status(
                .unimplemented, "the message encoding \(name) is not known here", encodings: true)
        }
        return nil
    }

    var isGet: Bool { method.isEqual(to: "GET") }

    /// How messages of the request may be compressed, once ``refusal()`` has found nothing.
    var encoding: MessageEncoding { encodingName.flatMap { MessageEncoding($0) } ?? .identity }

    /// The time that the client allows, if it says one; the second value is false if the field is
    /// malformed.
    func allowance() -> (TimeAmount?, isValid: Bool) {
        guard let timeout else { return (nil, true) }
        let amount = Timeout.parse(timeout)
        return (amount, amount != nil)
    }
}
