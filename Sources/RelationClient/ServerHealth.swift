internal import GRPCWire

/// Whether a server takes calls, and which process it is.
package struct ServerHealth: Sendable {
    package var isServing = false
    /// The name of the process; nil from a server of an earlier version.
    package var instance: String?
}

extension Client {
    private static let healthCheck = Method<HealthCheckRequest, HealthCheckResponse>(
        "grpc.health.v1.Health", "Check", .open, for: .services)

    /// Asks for the health of the server, which needs no credential.
    package func serverHealth(timeout: Duration) async throws -> ServerHealth {
        var health = ServerHealth()
        let coder = Self.healthCheck.responseCoder
        try await exchange(
            AnyMethod(Self.healthCheck), [[]], options: CallOptions(timeout: timeout),
            head: { health.instance = $0(ServerInstance.header) }
        ) { answer in
            health.isServing = try Self.message(answer, coder).status == .serving
        }
        return health
    }
}
