import EchoSupport
import Foundation
import GRPC
import GRPCWire
import Logging
import Memory
import RPC
import Synchronization

/// A receiver of gRPC at a port of this machine: our own server with the methods of tests.
struct ReceiverServer {
    /// Answers that a receiver gives, and the service of echoes does not.
    private struct Answers: Dispatcher {
        var methods: [ServedMethod] {
            [
                .unary("/test.Receiver/Gone") { _, call in
                    call.fail(
                        RPCError(
                            .failedPrecondition, "no more",
                            trailers: [("webhook-gone", .text("1"))]))
                },
                .unary("/test.Receiver/Headers") { _, call in
                    let names: [StaticString] = ["webhook-id", "x-none", "x-app-id"]
                    let values = names.map { call.metadata($0) ?? "none" }
                    call.respond { $0.append(Array(values.joined(separator: " ").utf8)) }
                },
            ]
        }
    }

    let service = EchoService()
    let port: Int
    private let server: Server

    /// - Parameter isEncrypted: Whether it shows the certificate of `receiver.example`.
    init(port: Int = 0, isEncrypted: Bool = false, asksCertificate: Bool = false) async throws {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        var configuration = ServerConfiguration(port: port)
        configuration.graceSeconds = 0
        if isEncrypted {
            configuration.tls = try Self.tls(asksCertificate: asksCertificate)
        }
        server = Server(
            configuration: configuration, dispatchers: [service, Answers()], logger: logger)
        self.port = try await server.start().port
    }

    private static func tls(asksCertificate: Bool) throws -> ServerTLS {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "receiver-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let certificate = folder.appending(path: "server.pem")
        let authority = folder.appending(path: "authority.pem")
        try Data(TestCertificates.server.utf8).write(to: certificate)
        try Data(TestCertificates.authority.utf8).write(to: authority)
        var files = TLSFiles(
            certificate: certificate.path, key: .bytes(Array(TestCertificates.serverKey.utf8)))
        if asksCertificate {
            files.clientAuthorities = authority.path
            files.requiresClientCertificate = true
        }
        return try ServerTLS(files)
    }

    func close() async {
        // A handle keeps its loop alive, and the loop keeps the service alive.
        service.waiting.withLock { $0 = [] }
        await server.shutDownGracefully()
    }
}
