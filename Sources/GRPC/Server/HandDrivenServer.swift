package import Logging
package import NIOCore

/// A server of one loop without its thread and sockets: its owner drives the loop, and makes the
/// channels.
///
/// It depends on nothing but what it is given. So the same calls cost the same
/// instructions, which is what a measurement needs. Channels of other loops may not be given to it.
package final class HandDrivenServer {
    private let loop: ServerLoop

    package init(
        _ dispatchers: [any Dispatcher], on eventLoop: any EventLoop,
        configuration: ServerConfiguration = ServerConfiguration(), logger: Logger
    ) {
        loop = ServerLoop(
            index: 0, eventLoop: eventLoop, methods: MethodTable(dispatchers),
            configuration: configuration, logger: logger)
    }

    /// Serves the connection of `channel`, whose pipeline has no handler behind it.
    package func serve(_ channel: any NIOCore.Channel) throws {
        try channel.pipeline.syncOperations.addHandler(ServerConnection(loop: loop) {})
    }

    /// Stops the timers, which would keep the loop alive; it is called once, at the end.
    package func close() {
        loop.closeAll()
        loop.cancelTimers()
    }
}
