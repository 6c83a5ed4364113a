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
        guard contentType.hasPrefix("application/grpc") else { return .foreign }
        let prefix = StaticString("application/grpc").utf8CodeUnitCount
        guard contentType.count > prefix else { return .grpc }
        switch contentType[prefix] {
        case UInt8(ascii: ";"): return .grpc
        case UInt8(ascii: "+"):
            let rest = UnsafeRawBufferPointer(rebasing: contentType[prefix...])
            guard rest.hasPrefix("+proto") else { return .otherFormat }
            return rest.count == 6 || rest[6] == UInt8(ascii: ";") ? .grpc : .otherFormat
        default: return .foreign
        }
    }
}
