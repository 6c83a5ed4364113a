import NIOCore
import NIOHTTP1
import NIOPosix

/// Listens for requests of TIM's REST API, over HTTP/1.1, and hands them to a proxy.
package struct ProxyListener: Sendable {
    private let channel: any Channel

    /// - Throws: The system's error, for example if the address is in use.
    package init(_ proxy: TIMProxy, host: String, port: Int) async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try ProxyConnection.add(to: pipeline, proxy)
                }
            }
            .bind(host: host, port: port).get()
    }

    /// The port that it listens at.
    package var port: Int { channel.localAddress?.port ?? 0 }

    /// Waits until it has stopped listening.
    package func wait() async throws {
        try await channel.closeFuture.get()
    }
}
