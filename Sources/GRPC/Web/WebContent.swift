import GRPCWire
import HTTP2
import RPC

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
