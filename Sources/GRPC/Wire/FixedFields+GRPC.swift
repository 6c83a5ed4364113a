import HTTP2

extension FixedFields {
    /// The head of a response that messages or trailers follow.
    static let responseHead = FixedFields([
        (":status", "200"), ("content-type", "application/grpc"),
    ])

    /// The head of a call to a client that wants to know how it may compress.
    static let responseHeadWithEncodings = FixedFields([
        (":status", "200"), ("content-type", "application/grpc"),
        ("grpc-accept-encoding", MessageEncoding.accepted),
    ])

    /// The head of a response whose messages may be compressed.
    static func responseHead(_ encoding: MessageEncoding) -> FixedFields {
        switch encoding {
        case .identity: responseHead
        case .deflate: deflateHead
        case .gzip: gzipHead
        }
    }

    private static let deflateHead = packedHead(.deflate)
    private static let gzipHead = packedHead(.gzip)

    private static func packedHead(_ encoding: MessageEncoding) -> FixedFields {
        FixedFields([
            (":status", "200"), ("content-type", "application/grpc"),
            ("grpc-encoding", encoding.name),
            ("grpc-accept-encoding", MessageEncoding.accepted),
        ])
    }

    /// The head of a page that is none of gRPC's.
    static let plainHead = FixedFields([(":status", "200"), ("content-type", "text/plain")])

    /// The trailers of a call that succeeded.
    static let success = FixedFields([("grpc-status", "0")])

    /// What a request without a gRPC content type gets.
    static let unsupportedMediaType = FixedFields([
        (":status", "415"), ("content-type", "application/grpc"), ("grpc-status", "3"),
        ("grpc-message", "the content-type is not application/grpc"),
    ])

    /// What a request by another method than POST gets.
    static let methodNotAllowed = FixedFields([
        (":status", "405"), ("allow", "POST"), ("content-type", "application/grpc"),
        ("grpc-status", "13"), ("grpc-message", "the method is not POST"),
    ])
}
