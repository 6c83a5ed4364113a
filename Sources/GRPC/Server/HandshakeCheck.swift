import Digests
import GRPCWire
import NIOCore
import NIOSSL
import NIOTLS

/// Checks the result of a TLS handshake.
///
/// It ends a connection whose client's certificate is not valid now. Otherwise it notes the
/// certificate that the client has shown, and which version of HTTP was agreed.
///
/// It checks the certificate after every handshake: TLS checks nothing when a client resumes a
/// session, and the certificate may have expired since the session began.
///
/// It is between TLS and the connection in the pipeline, and removes itself when all is well.
/// Otherwise no bytes of the client reach the connection.
final class HandshakeCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let connection: ServerConnection
    private let authoritiesEndMs: Int64
    private let clock: WallClock
    private let lastWords: LastWords
    private var isRefused = false

    /// - Parameter authoritiesEndMs: The time from which on no certificate that the authorities
    ///   signed is valid.
    init(
        _ connection: ServerConnection, _ authoritiesEndMs: Int64, _ lastWords: LastWords,
        _ clock: @escaping WallClock
    ) {
        self.connection = connection
        self.authoritiesEndMs = authoritiesEndMs
        self.lastWords = lastWords
        self.clock = clock
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let name) = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        do {
            let operations = context.pipeline.syncOperations
            if let certificate = try operations.nioSSL_peerCertificate() {
                let span = CertificateSpan(certificate).ending(by: authoritiesEndMs)
                if let violation = span.violation(at: clock()) {
                    return refuse(violation, nil, context)
                }
                let digest = SHA256.digest(of: try certificate.toDERBytes())
                connection.noteCertificate(digest, span, by: clock)
            }
            // A client that names no protocol knows of none but HTTP/1.1.
            if name == "h2" { connection.speakHTTP2() } else { connection.speakHTTP1() }
            // From here on the connection itself sees to its end.
            operations.removeHandler(lastWords, promise: nil)
            operations.removeHandler(context: context, promise: nil)
        } catch {
            // A certificate whose bytes cannot be read counts as not shown.
            refuse("failed_tls_handshake", PlainError(error).description, context)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isRefused { context.fireChannelRead(data) }
    }

    private func refuse(
        _ violation: StaticString, _ why: String?, _ context: ChannelHandlerContext
    ) {
        isRefused = true
        connection.logViolation(violation, why)
        context.close(promise: nil)
    }
}

extension ServerTLS {
    /// Adds the handlers that come before `connection` in its channel's pipeline.
    func secure(
        _ connection: ServerConnection, in pipeline: ChannelPipeline.SynchronousOperations
    ) throws {
        let (context, authoritiesEndMs) = try context()
        let lastWords = LastWords()
        try pipeline.addHandler(lastWords)
        try pipeline.addHandler(NIOSSLServerHandler(context: context))
        try pipeline.addHandler(
            HandshakeCheck(connection, authoritiesEndMs ?? .max, lastWords, clock))
    }
}
