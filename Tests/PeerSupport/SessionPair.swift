package import HTTP2

/// A client and a server in memory, which exchange only bytes.
package final class SessionPair {
    package let client: Session
    package let server: Session
    package let clientStreams = StreamPool()
    package let serverStreams = StreamPool()

    /// How many bytes are carried at a time.
    package var chunkBytes: Int

    package init(settings: Settings = Settings(), chunkBytes: Int = .max) throws(SessionError) {
        client = try Session(role: .client, pool: clientStreams)
        server = try Session(role: .server, settings: settings, pool: serverStreams)
        self.chunkBytes = chunkBytes
    }

    /// Carries bytes both ways until neither side has any.
    package func exchange() throws(SessionError) {
        while true {
            let up = try client.output()
            try feed(server, up)
            let down = try server.output()
            try feed(client, down)
            if up.isEmpty, down.isEmpty { return }
        }
    }

    private func feed(_ session: Session, _ bytes: [UInt8]) throws(SessionError) {
        var offset = 0
        while offset < bytes.count {
            let end = min(bytes.count, chunkBytes == .max ? .max : offset + chunkBytes)
            try session.receive(Array(bytes[offset..<end]))
            offset = end
        }
    }

    /// The fields of a request that gRPC would send.
    package static func request(_ path: String = "/test.Echo/Unary") -> [(String, String)] {
        [
            (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "test"),
            ("te", "trailers"), ("content-type", "application/grpc"),
        ]
    }

    /// Opens a stream of the client with the fields of a request.
    package func open(
        _ fields: [(String, String)] = request(), body: [UInt8] = [], end: Bool = true
    ) throws(SessionError) -> StreamPointer {
        var block = HeaderBlock(fields)
        defer { block.free() }
        let stream = try client.open(nil, block)
        body.withUnsafeBytes { stream.pointee.output.append($0) }
        if end { client.finish(stream) }
        return stream
    }
}
