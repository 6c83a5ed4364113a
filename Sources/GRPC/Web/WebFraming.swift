import RPC

/// How the messages of a call are framed, by the protocol that the client has chosen.
enum WebFraming: UInt8, Sendable {
    /// gRPC itself: envelopes, and a status in the trailers of HTTP/2.
    case grpc
    /// gRPC-Web: envelopes, of which the last holds the trailers.
    case grpcWeb
    /// gRPC-Web in base64, for clients that read text only.
    case grpcWebText
    /// Connect for one request and one answer: each is a body, and the status is that of HTTP.
    case connect
    /// As `connect`, with the request in the query of a `GET`.
    case connectGet
    /// HTTP alone: each message is a body, and the status is a body too.
    case plain
    /// Connect for streams: envelopes, of which the last holds the status.
    case connectStream

    /// Whether an answer is the body alone.
    var isBare: Bool { isUnaryConnect || self == .plain }

    private var isUnaryConnect: Bool { self == .connect || self == .connectGet }

    var isConnect: Bool { isUnaryConnect || self == .connectStream }

    /// The field by which a request says how its messages are packed.
    var encodingField: StaticString {
        switch self {
        case .grpc, .grpcWeb, .grpcWebText: "grpc-encoding"
        case .connect, .connectGet, .plain: "content-encoding"
        case .connectStream: "connect-content-encoding"
        }
    }

    /// The field by which a request says which packings its client takes.
    var acceptField: StaticString {
        switch self {
        case .grpc, .grpcWeb, .grpcWebText: "grpc-accept-encoding"
        case .connect, .connectGet, .plain: "accept-encoding"
        case .connectStream: "connect-accept-encoding"
        }
    }

    /// The field by which a request says how long its client waits.
    var timeoutField: StaticString { isConnect ? "connect-timeout-ms" : "grpc-timeout" }

    /// The code for a request whose fields cannot be understood.
    var malformed: Status.Code { isConnect ? .invalidArgument : .internalError }
}

/// The form of the messages themselves.
enum MessageFormat: UInt8, Sendable {
    case protobuf
    case json
}
