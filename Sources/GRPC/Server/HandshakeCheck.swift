import Crypto
import NIOCore
import NIOSSL
import NIOTLS

/// Looks at what came of a handshake: ends a connection whose client has not chosen HTTP/2, or
/// whose certificate is not good at this time, and notes whose certificate it has shown.
///
/// That is asked after every handshake: one that takes up a session of before checks nothing by
/// itself, and the certificate may have ended since that began.
///
/// It stands between TLS and the connection, and leaves the pipeline when all is well. Otherwise
/// nothing that the client has sent reaches the connection.
final class HandshakeCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let connection: ServerConnection
    private let authoritiesEndMs: Int64
    private let clock: WallClock
    private var isRefused = false

    /// - Parameter authoritiesEndMs: From when on nothing counts that authorities have signed.
    init(
        _ connection: ServerConnection, _ authoritiesEndMs: Int64, _ clock: @escaping WallClock
    ) {
        self.connection = connection
        self.authoritiesEndMs = authoritiesEndMs
        self.clock = clock
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let name) = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        guard name == "h2" else {
            let why = "the client did not agree on h2 in the handshake of TLS (ALPN)"
            return refuse("not_http2", why, context)
        }
        do {
            let operations = context.pipeline.syncOperations
            if let certificate = try operations.nioSSL_peerCertificate() {
                let span = CertificateSpan(certificate).ending(by: authoritiesEndMs)
                if let offence = span.offence(at: clock()) { return refuse(offence, nil, context) }
                let digest = Array(SHA256.hash(data: try certificate.toDERBytes()))
                connection.showed(digest, span, by: clock)
            }
            operations.removeHandler(context: context, promise: nil)
        } catch {
            // A certificate that has no bytes was not shown.
            refuse("failed_tls_handshake", PlainError(error).description, context)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isRefused { context.fireChannelRead(data) }
    }

    private func refuse(
        _ offence: StaticString, _ why: String?, _ context: ChannelHandlerContext
    ) {
        isRefused = true
        connection.complain(offence, why)
        context.close(promise: nil)
    }
}

extension ServerTLS {
    /// Adds what comes before `connection` in its channel's pipeline.
    func secure(
        _ connection: ServerConnection, in pipeline: ChannelPipeline.SynchronousOperations
    ) throws {
        let (context, authoritiesEndMs) = try context()
        try pipeline.addHandler(NIOSSLServerHandler(context: context))
        try pipeline.addHandler(HandshakeCheck(connection, authoritiesEndMs ?? .max, clock))
    }
}
