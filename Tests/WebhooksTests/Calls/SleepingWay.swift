import NIOCore
import NIOPosix
import Synchronization

/// A way to a port of this machine that forgets its connections when a test says so: their bytes
/// reach no side, and neither learns it.
final class SleepingWay: Sendable {
    private struct State {
        var connections = 0
        /// Connections below this number are forgotten.
        var forgotten = 0
    }

    private let state = Mutex(State())
    private let channel: any Channel
    let port: Int

    /// The connections that have come so far.
    var connections: Int { state.withLock { $0.connections } }

    init(to target: Int) async throws {
        let owner = Owner()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { near in
                let number = owner.way.withLock { $0?.connects() } ?? 0
                let isForgotten: @Sendable () -> Bool = {
                    owner.way.withLock { $0?.isForgotten(number) } ?? true
                }
                return ClientBootstrap(group: near.eventLoop)
                    .channelInitializer { far in
                        far.eventLoop.makeCompletedFuture {
                            try far.pipeline.syncOperations.addHandler(End(near, isForgotten))
                            try near.pipeline.syncOperations.addHandler(End(far, isForgotten))
                        }
                    }
                    .connect(host: "127.0.0.1", port: target)
                    .flatMap { _ in near.setOption(.autoRead, value: true) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
        owner.way.withLock { $0 = self }
    }

    /// Forgets all connections that there are.
    func forgets() { state.withLock { $0.forgotten = $0.connections } }

    func close() async { try? await channel.close() }

    private func connects() -> Int {
        state.withLock { state in
            state.connections += 1
            return state.connections - 1
        }
    }

    private func isForgotten(_ number: Int) -> Bool { state.withLock { number < $0.forgotten } }

    /// The way, which its listener needs before it is there.
    private final class Owner: Sendable {
        let way = Mutex<SleepingWay?>(nil)
    }

    /// One end of a connection: what comes in goes out at the other one.
    private final class End: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let other: any Channel
        private let isForgotten: @Sendable () -> Bool

        init(_ other: any Channel, _ isForgotten: @escaping @Sendable () -> Bool) {
            self.other = other
            self.isForgotten = isForgotten
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !isForgotten() else { return }
            other.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            guard !isForgotten() else { return }
            other.close(promise: nil)
        }
    }
}
