package import GRPCWire
import NIOCore
import NIOSSL
import NIOTLS
import Synchronization

/// How a client encrypts: which authorities it trusts, and which certificate it shows.
package struct ClientTLS: Sendable {
    private let context: ClientTLSContext
    private let serverName: String?
    /// The protocol above TLS, by its name in ALPN.
    private let above: String

    /// - Parameters:
    ///   - authorities: The authorities that sign servers' certificates; nil trusts the authorities
    ///     that the system trusts.
    ///   - certificate: The client's own certificate with those that lead to its issuer, and its
    ///     key.
    ///   - serverName: The name, or the IP address, that the server's certificate must have,
    ///     whatever is connected to; nil takes the name of the host, or the address of the
    ///     connection.
    ///   - above: The protocol above TLS, by its name in ALPN.
    package init(
        authorities: PEMSource? = nil, certificate: (chain: PEMSource, key: PEMSource)? = nil,
        serverName: String? = nil, above: String = "h2"
    ) throws(TLSSetupError) {
        var configuration = Self.rules(above: above)
        if let authorities {
            configuration.trustRoots = .certificates(
                try TLSSetupError.authorities("the authorities", authorities))
        }
        if let certificate {
            configuration.certificateChain =
                try TLSSetupError.certificates("the certificate", certificate.chain)
                .map { .certificate($0) }
            configuration.privateKey = .privateKey(try TLSSetupError.key(certificate.key))
        }
        context = ClientTLSContext(try TLSSetupError.context(configuration, certificate))
        self.serverName = serverName
        self.above = above
    }

    /// Trusts the authorities that the system trusts, and shows no certificate.
    ///
    /// The authorities are read when the first connection is secured: that takes milliseconds, and
    /// a process may never make one.
    package static var system: ClientTLS { ClientTLS(context: ClientTLSContext()) }

    private init(context: ClientTLSContext) {
        self.context = context
        serverName = nil
        above = "h2"
    }

    /// The rules of all clients.
    fileprivate static func rules(above: String) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.setRules()
        configuration.applicationProtocols = [above]
        // The handler below looks for the name. NIOSSL would also take a certificate for the
        // address of the connection, which is chosen by whoever answers for a name in DNS.
        configuration.certificateVerification = .noHostnameVerification
        return configuration
    }

    /// Takes everything from files, of which it is given the paths.
    package init(
        authorities: String?, certificate: (path: String, key: String)? = nil,
        serverName: String? = nil
    ) throws(TLSSetupError) {
        try self.init(
            authorities: authorities.map { .file($0) },
            certificate: certificate.map { (.file($0.path), .file($0.key)) },
            serverName: serverName)
    }

    /// Adds the handlers that come before a ``ClientConnection`` in its channel's pipeline.
    ///
    /// - Parameter done: Completed when the handshake ends.
    func secure(
        _ pipeline: ChannelPipeline.SynchronousOperations, _ endpoint: Endpoint,
        _ done: EventLoopPromise<Void>
    ) throws {
        let name = serverName ?? endpoint.target.certificateName
        // TLS has no place for an address in the name that it sends.
        let sent = name.flatMap { CertificateNames.isAddress($0) ? nil : $0 }
        try pipeline.addHandler(
            NIOSSLClientHandler(context: try context.made(), serverHostname: sent))
        let expected = name ?? endpoint.address.ipAddress ?? endpoint.description
        try pipeline.addHandler(ClientHandshake(expected, above, done))
    }
}

/// A context of TLS that is there, or that is made when it is first asked for.
private final class ClientTLSContext: Sendable {
    private let context: Mutex<NIOSSLContext?>

    init(_ context: NIOSSLContext? = nil) {
        self.context = Mutex(context)
    }

    /// - Throws: ``TLSSetupError`` if TLS cannot be set up on this machine; it is tried again the
    ///   next time.
    func made() throws(TLSSetupError) -> NIOSSLContext {
        try context.withLock { (context) throws(TLSSetupError) in
            if let context { return context }
            let made = try TLSSetupError.context(ClientTLS.rules(above: "h2"), nil)
            context = made
            return made
        }
    }
}

/// Waits until the server has proved who it is, and has chosen the protocol above TLS.
final class ClientHandshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let expected: String
    private let above: String
    private let done: EventLoopPromise<Void>

    /// - Parameter expected: The name or the address that the server's certificate must have.
    init(_ expected: String, _ above: String, _ done: EventLoopPromise<Void>) {
        self.expected = expected
        self.above = above
        self.done = done
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let name) = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        guard hasExpectedName(context) else {
            done.fail(otherName(context))
            return context.close(promise: nil)
        }
        guard name == above else {
            let words = above == "h2" ? "HTTP/2" : above
            done.fail(
                TLSSetupError(description: "the server does not speak \(words)", isLasting: true))
            return context.close(promise: nil)
        }
        done.succeed(())
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        done.fail(TLSSetupError(handshake: error))
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        done.fail(TLSSetupError(description: TLSSetupError.closedHandshake))
        context.fireChannelInactive()
    }

    /// Whether the server's certificate has the expected name; no certificate has none.
    private func hasExpectedName(_ context: ChannelHandlerContext) -> Bool {
        let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
        return certificate.map { CertificateNames($0).contain(expected) } ?? false
    }

    private func otherName(_ context: ChannelHandlerContext) -> TLSSetupError {
        let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
        let names = certificate.map { CertificateNames($0).description } ?? "names unknown here"
        return TLSSetupError(
            description: "the server's certificate is for another name or address: it is for "
                + "\(names), and \(expected) was expected", isLasting: true)
    }
}

extension TLSSetupError {
    /// The words for a server that does not answer the handshake.
    package static let closedHandshake =
        "the server closed the connection in the handshake; it may not speak TLS, and this client "
        + "does"

    /// The words for a server that ends a connection after the handshake, and has said nothing.
    ///
    /// In TLS 1.3 the client's handshake ends before the server has looked at the certificate, and
    /// not every server says why it refuses one: gRPC's own does not.
    package static let silence =
        "the server said nothing after the handshake; it may be stopping, or it may ask for a "
        + "certificate that this client does not show"

    /// Explains why a handshake with a server failed.
    init(handshake error: any Error) {
        let words = PlainError(error).description
        let sentence: String? =
            if words.contains("CERTIFICATE_VERIFY_FAILED") {
                "the server's certificate is not signed by a trusted authority, or it is not valid "
                    + "at this time"
            } else if words.contains("WRONG_VERSION_NUMBER") {
                "the server does not speak TLS, and this client does: let the client use no TLS, "
                    + "or look whether the port is right"
            } else if words.contains("ALERT_CERTIFICATE_REQUIRED") {
                "the server asks for a certificate, and this client shows none"
            } else if words.contains("ALERT") {
                "the server refused the TLS handshake"
            } else if words.contains("EOF") {
                Self.closedHandshake
            } else {
                nil
            }
        self.init(
            description: (sentence ?? "the TLS handshake failed") + ": " + words,
            // A server that is stopping ends a handshake too, and one may be short of memory.
            isLasting: sentence != nil && !words.contains("EOF")
                && !words.contains("INTERNAL_ERROR"))
    }
}
