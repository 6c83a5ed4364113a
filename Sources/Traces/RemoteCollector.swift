import GRPCClient
package import RPC

/// A collector that is reached by a channel of this package.
package final class RemoteCollector: Collector {
    private static let path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

    package let name: String
    private let channel: Channel
    private let headers: Metadata
    private let timeout: Duration

    package init(_ options: CollectorOptions) {
        let target = ServerTarget.host(options.host, port: options.port)
        var configuration = ClientConfiguration(servers: [target])
        configuration.tls = options.tls
        configuration.userAgent = "OTel-OTLP-Exporter-relationd"
        name = target.description
        channel = Channel(configuration)
        headers = options.headers
        timeout = options.timeout
    }

    package func export(_ request: [UInt8]) async throws(RPCError) -> [UInt8] {
        try await channel.unary(
            Self.path, request, metadata: headers, deadline: .after(timeout))
    }

    package func close() async {
        await channel.close()
    }
}
