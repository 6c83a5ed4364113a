import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Sends bodies to one host, over HTTP/1.1, on connections that it keeps.
actor PostClient {
    /// Makes a connection within so many seconds; without a context it is not encrypted.
    typealias Connect =
        @Sendable (PostOrigin, NIOSSLContext?, _ seconds: Int64) async throws -> any Channel

    private let origin: PostOrigin
    private let answerSeconds: Int64
    private let tls: NIOSSLContext?
    private let connect: Connect
    private var idle: [any Channel] = []

    /// - Parameter answerSeconds: How long an answer may let itself be waited for.
    init(
        _ origin: PostOrigin, answerSeconds: Int64 = MigrationLimits.answerSeconds,
        connect: @escaping Connect = PostClient.connected
    ) throws(MigrationError) {
        self.origin = origin
        self.connect = connect
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
        return try await connect(origin, tls, MigrationLimits.connectSeconds)
    }

    private static func connected(
        to origin: PostOrigin, _ tls: NIOSSLContext?, within seconds: Int64
    ) async throws -> any Channel {
        let host = origin.host
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(seconds))
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
