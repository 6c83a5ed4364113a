import GRPCWire
package import NIOCore

/// Closes a connection only when its client has had time to read what was said last.
///
/// A socket that is closed while it has bytes to read takes back what the client has not read. That
/// may be the alert of TLS that says why a certificate is refused, or the answer to half a
/// request. So our half is closed, and what comes is dropped until the client closes its own, for a
/// short time.
///
/// It stands between the socket and TLS, and belongs to its loop.
package final class LastWords: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundIn = ByteBuffer

    private var cutOff: Scheduled<Void>?

    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if cutOff == nil { context.fireChannelRead(data) }
    }

    package func close(
        context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
    ) {
        guard mode == .all, context.channel.isActive else {
            return context.close(mode: mode, promise: promise)
        }
        context.channel.closeFuture.cascade(to: promise)
        guard cutOff == nil else { return }
        let time = TimeAmount.seconds(CallLimits.closeSeconds)
        cutOff = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            context.close(promise: nil)
        }
        context.close(mode: .output, promise: nil)
        // The handler behind this one may have read nothing for a while.
        context.read()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        cutOff?.cancel()
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        cutOff?.cancel()
    }
}
