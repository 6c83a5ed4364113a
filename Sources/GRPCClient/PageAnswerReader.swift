import GRPCWire
import NIOCore

/// Gathers an answer until the server closes the connection.
final class PageAnswerReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let maxBytes: Int
    private let answered: EventLoopPromise<[UInt8]>
    private var bytes: [UInt8] = []
    private var failure: (any Error)?

    init(_ maxBytes: Int, _ answered: EventLoopPromise<[UInt8]>) {
        self.maxBytes = maxBytes
        self.answered = answered
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytesView
        if bytes.count > maxBytes {
            answered.fail(
                AdminRequestError(description: "the answer has more than \(maxBytes) bytes"))
            context.close(promise: nil)
        } else if case .encrypted? = ForeignServer(bytes) {
            answered.fail(AdminRequestError(description: ForeignServer.encrypted.words))
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The end of a connection without TLS's close_notify cuts no answer of a known length.
        failure = error
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !bytes.isEmpty {
            answered.succeed(bytes)
        } else if let failure {
            // A server of TLS 1.3 refuses a client's certificate only after the handshake.
            let words = PlainError(failure).description
            let isAlert = words.contains("ALERT")
            answered.fail(
                AdminRequestError(
                    description: isAlert ? TLSSetupError(handshake: failure).description : words))
        } else {
            answered.fail(AdminRequestError(description: ForeignServer.silence))
        }
        context.fireChannelInactive()
    }
}
