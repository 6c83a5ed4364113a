import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Sends bodies to one host, over HTTP/1.1, on connections that it keeps.
actor PostClient {
    private let origin: PostOrigin
    private let answerSeconds: Int64
    private let tls: NIOSSLContext?
    private var idle: [any Channel] = []

    /// - Parameter answerSeconds: How long an answer may let itself be waited for.
    init(
        _ origin: PostOrigin, answerSeconds: Int64 = MigrationLimits.answerSeconds
    ) throws(MigrationError) {
        self.origin = origin
        self.answerSeconds = answerSeconds
        guard origin.isEncrypted else {
            tls = nil
            return
        }
        do {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.minimumTLSVersion = .tlsv12
            tls = try NIOSSLContext(configuration: configuration)
        } catch {
            throw MigrationError("TLS cannot be set up: \(error)")
        }
    }

    /// The answer to a body; any error means that there is none, and that the call may be repeated.
    ///
    /// - Parameter headers: Further headers.
    func post(
        _ target: String, _ body: [UInt8], as type: String = "application/json",
        headers: [(String, String)] = []
    ) async throws -> PostAnswer {
        let channel = try await connection()
        let loop = channel.eventLoop
        let promise = loop.makePromise(of: PostAnswer.self)
        let late = loop.scheduleTask(in: .seconds(answerSeconds)) { [answerSeconds] in
            promise.fail(MigrationError("no answer within \(answerSeconds) seconds"))
            channel.close(promise: nil)
        }
        var head = HTTPRequestHead(
            version: .http1_1, method: .POST, uri: target,
            headers: [
                "host": origin.authority, "content-type": type,
                "content-length": "\(body.count)", "user-agent": "relationctl",
            ])
        for (name, value) in headers { head.headers.add(name: name, value: value) }
        channel.writeAndFlush(PostExchange(head: head, body: body, answer: promise))
            .whenFailure { promise.fail($0) }
        defer { late.cancel() }
        do {
            let answer = try await promise.futureResult.get()
            if answer.isKept, idle.count < MigrationLimits.keptConnections {
                idle.append(channel)
            } else {
                channel.close(promise: nil)
            }
            return answer
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    func close() {
        for channel in idle { channel.close(promise: nil) }
        idle = []
    }

    private func connection() async throws -> any Channel {
        while let channel = idle.popLast() {
            if channel.isActive { return channel }
        }
        let (host, tls) = (origin.host, tls)
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(MigrationLimits.connectSeconds))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
                        try pipeline.addHandler(
                            NIOSSLClientHandler(
                                context: tls, serverHostname: isAddress ? nil : host))
                    }
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(PostConnection())
                }
            }
            .connect(host: host, port: origin.port).get()
    }
}

/// A scheme, a host and a port.
package struct PostOrigin: Sendable, Equatable {
    package let isEncrypted: Bool
    package let host: String
    package let port: Int

    /// The text of the header `host`.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isEncrypted ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Reads `https://HOST`, `http://HOST:PORT` or `HOST`, which is reached over TLS.
    ///
    /// - Parameter allowsZero: Whether the port may be 0, which stands for a free one.
    package init(_ text: String, allowsZero: Bool = false) throws(MigrationError) {
        var rest = Substring(text)
        isEncrypted = !rest.hasPrefix("http://")
        for scheme in ["http://", "https://"] where rest.hasPrefix(scheme) {
            rest = rest.dropFirst(scheme.utf8.count)
        }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        let failure = MigrationError("\(text) is not a host, as in https://console.tim.qq.com")
        var port = isEncrypted ? 443 : 80
        if let colon = rest.lastIndex(of: ":"), !rest.hasSuffix("]") {
            guard let number = UInt16(rest[rest.index(after: colon)...]), number > 0 || allowsZero
            else {
                throw failure
            }
            port = Int(number)
            rest = rest[..<colon]
        }
        if rest.hasPrefix("["), rest.hasSuffix("]") { rest = rest.dropFirst().dropLast() }
        guard !rest.isEmpty, rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x2f }) else {
            throw failure
        }
        host = String(rest)
        self.port = port
    }
}
