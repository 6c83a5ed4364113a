import GRPCWire
import HTTP2

extension FixedFields {
    /// The header block of a response, before messages or trailers.
    static let responseHeaders = FixedFields([
        (":status", "200"), ("content-type", "application/grpc"),
    ])

    /// The header block of a response to a client that asks which encodings the server accepts.
    static let responseHeadersWithEncodings = FixedFields([
        (":status", "200"), ("content-type", "application/grpc"),
        ("grpc-accept-encoding", MessageEncoding.accepted),
    ])

    /// The header block of a response whose messages may be compressed.
    static func responseHeaders(_ encoding: MessageEncoding) -> FixedFields {
        switch encoding {
        case .identity: responseHeaders
        case .deflate: deflateHeaders
        case .gzip: gzipHeaders
        }
    }

    private static let deflateHeaders = packedHeaders(.deflate)
    private static let gzipHeaders = packedHeaders(.gzip)

    private static func packedHeaders(_ encoding: MessageEncoding) -> FixedFields {
        FixedFields([
            (":status", "200"), ("content-type", "application/grpc"),
            ("grpc-encoding", encoding.name),
            ("grpc-accept-encoding", MessageEncoding.accepted),
        ])
    }

    /// The header block of a page that is not gRPC.
    static let plainHeaders = FixedFields([(":status", "200"), ("content-type", "text/plain")])

    /// The trailers of a call that succeeded.
    static let success = FixedFields([("grpc-status", "0")])

    /// The answer to a request whose content type belongs to no protocol that is served.
    static let unsupportedMediaType = FixedFields([
        (":status", "415"), ("content-type", "application/grpc"), ("grpc-status", "3"),
        ("grpc-message", "the content-type is not one that this server takes"),
        (
            "accept-post",
            """
            application/grpc, application/json, application/proto, application/connect+json, \
            application/connect+proto, application/grpc-web, application/grpc-web-text
            """
        ),
    ])

    /// The answer to a request with a method of HTTP that no protocol has for it.
    static let methodNotAllowed = FixedFields([
        (":status", "405"), ("allow", "POST"), ("content-type", "application/grpc"),
        ("grpc-status", "13"), ("grpc-message", "the method is not POST"),
    ])

    /// The answer to a browser whose page may not call.
    static let forbidden = FixedFields([(":status", "403"), ("content-type", "text/plain")])

    /// The answer to a call of gRPC over HTTP/1.1, which has no trailers that gRPC could use.
    static let versionNotSupported = FixedFields([
        (":status", "505"), ("content-type", "application/grpc"), ("grpc-status", "12"),
        ("grpc-message", "gRPC needs HTTP/2; over HTTP/1.1 use Connect or gRPC-Web"),
    ])
}
