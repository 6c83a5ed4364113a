import HTTP2
import NIOHTTP1

/// Why a request of HTTP/1.1 is refused by its head alone.
struct HTTP1Fault {
    let status: HTTPResponseStatus
    let why: String

    /// Nil if nothing is wrong with the head.
    ///
    /// Heads whose end two programs may find in two places are refused here too, though the parser
    /// refuses most of them: a proxy in front of the server may not.
    init?(_ head: HTTPRequestHead) {
        let fields = head.headers
        let lengths = fields[canonicalForm: "content-length"]
        let codings = fields[canonicalForm: "transfer-encoding"]
        if head.version != .http1_1 {
            self.init(.httpVersionNotSupported, "the version is not HTTP/1.1 or HTTP/2")
        } else if fields["host"].count != 1 {
            self.init(.badRequest, "a request has one host")
        } else if lengths.count > 1 || !lengths.isEmpty && !codings.isEmpty {
            self.init(.badRequest, "a request has one length")
        } else if !codings.isEmpty, codings.count > 1 || codings[0].lowercased() != "chunked" {
            self.init(.notImplemented, "the transfer-encoding is not chunked")
        } else if !head.uri.hasPrefix("/"), head.uri != "*" {
            self.init(.badRequest, "the target is not a path")
        } else {
            return nil
        }
    }

    private init(_ status: HTTPResponseStatus, _ why: String) {
        self.status = status
        self.why = why
    }
}

extension HeaderBlock {
    /// Adds the fields of a request of HTTP/1.1 in the form of HTTP/2.
    ///
    /// - Returns: Whether they are within the bound of a head.
    mutating func append(_ head: HTTPRequestHead, isEncrypted: Bool) -> Bool {
        append(":method", head.method.rawValue)
        append(":scheme", isEncrypted ? "https" : "http")
        append(":path", head.uri)
        append(":authority", head.headers.first(name: "host") ?? "")
        let named = head.headers[canonicalForm: "connection"].map { $0.lowercased() }
        for (name, value) in head.headers {
            let name = name.lowercased()
            // They are about this connection, and HTTP/2 forbids them.
            if Self.connectionFields.contains(name) || named.contains(name) { continue }
            append(name, value)
            guard listBytes <= SessionLimits.headerListBytes else { return false }
        }
        return listBytes <= SessionLimits.headerListBytes
    }

    private static let connectionFields: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "te",
        "trailer", "host", "http2-settings", "expect",
    ]

    private mutating func append(_ name: StaticString, _ value: String) {
        var value = value
        value.withUTF8 { append(name, UnsafeRawBufferPointer($0)) }
    }
}
