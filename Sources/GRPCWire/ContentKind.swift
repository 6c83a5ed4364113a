import HTTP2

/// The kind of content that a `content-type` names for a request or its answer.
package enum ContentKind {
    /// Messages of gRPC, in protobuf.
    case grpc
    /// Messages of gRPC, in a format that is not known here.
    case otherFormat
    /// Content that is not gRPC.
    case foreign

    package init(_ contentType: UnsafeRawBufferPointer?) {
        self = contentType.map(Self.kind) ?? .foreign
    }

    private static func kind(of contentType: UnsafeRawBufferPointer) -> ContentKind {
        guard contentType.hasPrefix("application/grpc") || begins(contentType, "application/grpc")
        else { return .foreign }
        let prefix = StaticString("application/grpc").utf8CodeUnitCount
        guard contentType.count > prefix else { return .grpc }
        switch contentType[prefix] {
        case UInt8(ascii: ";"): return .grpc
        case UInt8(ascii: "+"):
            let rest = UnsafeRawBufferPointer(rebasing: contentType[prefix...])
            guard rest.hasPrefix("+proto") || begins(rest, "+proto") else { return .otherFormat }
            return rest.count == 6 || rest[6] == UInt8(ascii: ";") ? .grpc : .otherFormat
        default: return .foreign
        }
    }

    /// Whether a text begins with these letters, in any case: types of content have none (RFC 9110,
    /// section 8.3.1).
    private static func begins(_ text: UnsafeRawBufferPointer, _ letters: StaticString) -> Bool {
        let count = letters.utf8CodeUnitCount
        guard text.count >= count else { return false }
        // The signs between these letters have the bit already.
        return letters.withUTF8Buffer { letters in
            (0..<count).allSatisfy { text[$0] | 0x20 == letters[$0] }
        }
    }
}
