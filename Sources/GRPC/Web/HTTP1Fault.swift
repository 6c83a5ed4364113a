import HTTP2
package import NIOHTTP1

/// Why a client of HTTP/1.1 is refused by its bytes alone.
package struct HTTP1Fault: Error, Equatable {
    package let status: HTTPResponseStatus
    package let why: String
    /// Whether the client has gone, so that nothing can be sent to it.
    package private(set) var isCutOff = false

    init(_ status: HTTPResponseStatus, _ why: String) {
        self.status = status
        self.why = why
    }

    /// The bytes are malformed.
    init(_ why: String) { self.init(.badRequest, why) }

    /// The client has gone before the end of a request.
    static func cutOff(in part: String) -> HTTP1Fault {
        var fault = HTTP1Fault("the client has closed the connection inside \(part)")
        fault.isCutOff = true
        return fault
    }
}

extension HeaderBlock {
    /// Adds the fields of a request of HTTP/1.1 in the form of HTTP/2.
    ///
    /// - Returns: Whether they are within the bound of a header block.
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
