import EchoSupport
import Foundation
import Logging
import PeerSupport
import Synchronization

@testable import GRPC
@testable import GRPCWire

/// A real server with the test methods on a free port.
enum LiveServer {
    static func run<Result>(
        host: String = "127.0.0.1", loops: Int = 1, graceSeconds: Int64 = 5,
        maxConnections: Int = CallLimits.connections,
        reflection: [UInt8] = [], tls: ServerTLS? = nil,
        _ body: (Server, ListeningAddress, EchoService) async throws -> Result
    ) async throws -> Result {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let service = EchoService()
        let health = Health()
        health.set(.notServing, for: "test.Echo")
        var configuration = ServerConfiguration(host: host, loops: loops)
        configuration.graceSeconds = graceSeconds
        configuration.maxConnections = maxConnections
        configuration.tls = tls
        let server = Server(
            configuration: configuration,
            dispatchers: [service, health, try Reflection(descriptorSets: [reflection])],
            logger: logger)
        // A handle keeps its loop alive, and the loop keeps the service alive.
        defer { service.waiting.withLock { $0 = [] } }
        let address = try await server.start()
        do {
            let result = try await body(server, address, service)
            await server.shutDownGracefully()
            return result
        } catch {
            await server.shutDownGracefully()
            throw error
        }
    }

    /// The path of a script of these tests.
    static func script(_ name: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "Python").appending(path: name)
    }
}
