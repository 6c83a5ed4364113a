import Crypto
import NIOCore
import NIOSSL
import NIOTLS
import Synchronization

/// Why TLS cannot be set up, in words for whoever starts the server.
package struct TLSFault: Error, CustomStringConvertible {
    package let description: String
}

/// Where the files are from which TLS is set up, all in PEM.
package struct TLSFiles: Sendable, Equatable {
    /// The own certificate first, then those that lead from it to the one that clients trust.
    package var certificate: String
    package var key: String
    /// Those who sign client certificates; nil asks clients for none.
    package var clientAuthorities: String?
    /// Whether a client without a certificate is refused.
    package var requiresClientCertificate = false

    package init(certificate: String, key: String, clientAuthorities: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.clientAuthorities = clientAuthorities
    }
}

/// How a server encrypts: what it shows its clients, and whom it believes.
///
/// Connections that are made after ``reload()`` have the new files; those that are there keep what
/// they began with.
package final class ServerTLS: Sendable {
    private let files: TLSFiles
    private let context: Mutex<NIOSSLContext>

    package init(_ files: TLSFiles) throws(TLSFault) {
        self.files = files
        context = Mutex(try Self.context(files))
    }

    /// Reads the files again.
    ///
    /// - Throws: ``TLSFault`` if they are not good; then what was before stays.
    package func reload() throws(TLSFault) {
        let new = try Self.context(files)
        context.withLock { $0 = new }
    }

    /// Adds what comes before `connection` in its channel's pipeline.
    func secure(
        _ connection: ServerConnection, in pipeline: ChannelPipeline.SynchronousOperations
    ) throws {
        let context = context.withLock { $0 }
        try pipeline.addHandler(NIOSSLServerHandler(context: context))
        try pipeline.addHandler(HandshakeCheck(connection))
    }

    private static func context(_ files: TLSFiles) throws(TLSFault) -> NIOSSLContext {
        let chain = try TLSFault.naming("the certificate \(files.certificate)") {
            try NIOSSLCertificate.fromPEMFile(files.certificate).map {
                NIOSSLCertificateSource.certificate($0)
            }
        }
        guard !chain.isEmpty else {
            throw TLSFault(description: "\(files.certificate) holds no certificate")
        }
        let key = try TLSFault.naming("the key \(files.key)") {
            try NIOSSLPrivateKey(file: files.key, format: .pem)
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain, privateKey: .privateKey(key))
        configuration.setRules()
        if let authorities = files.clientAuthorities {
            let roots = try TLSFault.naming("the client authorities \(authorities)") {
                try NIOSSLCertificate.fromPEMFile(authorities)
            }
            configuration.trustRoots = .certificates(roots)
            configuration.certificateVerification =
                files.requiresClientCertificate ? .noHostnameVerification : .optionalVerification
        }
        return try TLSFault.naming("TLS with \(files.certificate) and \(files.key)") {
            try NIOSSLContext(configuration: configuration)
        }
    }
}

extension TLSFault {
    /// Runs `body`, whose errors say too little by themselves.
    static func naming<Result>(
        _ what: String, _ body: () throws -> Result
    ) throws(TLSFault) -> Result {
        do {
            return try body()
        } catch {
            throw TLSFault(description: "\(what) cannot be used: \(error)")
        }
    }
}

extension TLSConfiguration {
    /// What RFC 9113 asks of TLS under HTTP/2: version 1.2 or later, the protocol named in the
    /// handshake, and of the older version only suites with forward secrecy that authenticate what
    /// they encrypt.
    mutating func setRules() {
        minimumTLSVersion = .tlsv12
        applicationProtocols = ["h2"]
        cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
            .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        shutdownTimeout = .seconds(CallLimits.closeSeconds)
    }
}

/// Ends a connection whose client has not chosen HTTP/2 in the handshake, and notes whose
/// certificate it has shown.
///
/// It stands between TLS and the connection, and leaves the pipeline when the handshake is done.
final class HandshakeCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let connection: ServerConnection

    init(_ connection: ServerConnection) {
        self.connection = connection
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let name) = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        guard name == "h2" else { return context.close(promise: nil) }
        do {
            let operations = context.pipeline.syncOperations
            if let certificate = try operations.nioSSL_peerCertificate() {
                connection.showed(Array(SHA256.hash(data: try certificate.toDERBytes())))
            }
            operations.removeHandler(context: context, promise: nil)
        } catch {
            // A certificate that has no bytes was not shown.
            context.close(promise: nil)
        }
    }
}
