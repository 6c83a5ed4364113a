import GRPCWire
import HTTP2
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

/// The meaning of a request's content type: the protocol, and the form of its messages.
struct WebContent {
    let framing: WebFraming
    let format: MessageFormat
    /// The content type of the answer, which is that of the request.
    let answer: StaticString

    /// The content types that requests may have.
    ///
    /// gRPC in protobuf is not among them: it has its own way.
    private static let all: [(name: StaticString, WebContent)] = [
        named("application/json", .connect, .json),
        named("application/proto", .connect, .protobuf),
        named("application/connect+json", .connectStream, .json),
        named("application/connect+proto", .connectStream, .protobuf),
        named("application/grpc-web", .grpcWeb, .protobuf),
        named("application/grpc-web+proto", .grpcWeb, .protobuf),
        named("application/grpc-web+json", .grpcWeb, .json),
        named("application/grpc-web-text", .grpcWebText, .protobuf),
        named("application/grpc-web-text+proto", .grpcWebText, .protobuf),
        named("application/grpc+json", .grpc, .json),
    ]

    private static func named(
        _ name: StaticString, _ framing: WebFraming, _ format: MessageFormat
    ) -> (StaticString, WebContent) {
        (name, WebContent(framing: framing, format: format, answer: name))
    }

    /// gRPC in protobuf, for requests that are answered before they become calls.
    static let grpc = WebContent(
        framing: .grpc, format: .protobuf, answer: "application/grpc")

    /// The kinds of a Connect `GET`, whose query has the form of the message.
    static let getJSON = WebContent(
        framing: .connectGet, format: .json, answer: "application/json")
    static let getProtobuf = WebContent(
        framing: .connectGet, format: .protobuf, answer: "application/proto")

    /// The kind of any body of HTTP alone.
    static let plain = WebContent(
        framing: .plain, format: .protobuf, answer: "application/json")

    private init(framing: WebFraming, format: MessageFormat, answer: StaticString) {
        self.framing = framing
        self.format = format
        self.answer = answer
    }

    /// Nil for a content type that no protocol of the web has.
    ///
    /// Parameters are passed over, but for a charset: messages are in UTF-8.
    init?(_ contentType: UnsafeRawBufferPointer) {
        let end = contentType.firstIndex(of: UInt8(ascii: ";")) ?? contentType.count
        let name = UnsafeRawBufferPointer(
            rebasing: Metadata.trimmed(contentType[..<end]))
        guard let found = Self.all.first(where: { name.isEqual(ignoringCase: $0.name) }) else {
            return nil
        }
        self = found.1
        let parameters = UnsafeRawBufferPointer(rebasing: contentType[end...])
        guard format == .json, !Self.isUTF8(parameters) else { return }
        return nil
    }

    /// Whether parameters name no charset, or UTF-8.
    private static func isUTF8(_ parameters: UnsafeRawBufferPointer) -> Bool {
        parameters.split(separator: UInt8(ascii: ";")).allSatisfy { part in
            let part = UnsafeRawBufferPointer(rebasing: Metadata.trimmed(part))
            guard part.hasPrefix("charset=") else { return true }
            let value = UnsafeRawBufferPointer(rebasing: part["charset=".utf8.count...])
            return value.isEqual(ignoringCase: "utf-8")
                || value.isEqual(ignoringCase: "\"utf-8\"")
        }
    }
}
