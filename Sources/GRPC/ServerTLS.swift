import Crypto
import Glibc
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
        let chain = try TLSFault.certificates("the certificate", files.certificate)
            .map { NIOSSLCertificateSource.certificate($0) }
        let key = try TLSFault.key(files.key)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain, privateKey: .privateKey(key))
        configuration.setRules()
        if let authorities = files.clientAuthorities {
            let roots = try TLSFault.certificates("the client authorities", authorities)
            configuration.trustRoots = .certificates(roots)
            configuration.certificateVerification =
                files.requiresClientCertificate ? .noHostnameVerification : .optionalVerification
        }
        return try TLSFault.context(configuration, files.certificate, key: files.key)
    }
}

extension TLSFault {
    /// The certificates in a file.
    ///
    /// - Parameter what: What they are for.
    static func certificates(
        _ what: String, _ path: String
    ) throws(TLSFault) -> [NIOSSLCertificate] {
        try reading("\(what) \(path)", path, "no certificate in PEM") {
            try NIOSSLCertificate.fromPEMFile(path)
        }
    }

    /// The key in a file.
    static func key(_ path: String) throws(TLSFault) -> NIOSSLPrivateKey {
        try reading("the key \(path)", path, "no key in PEM that needs no passphrase") {
            try NIOSSLPrivateKey(file: path, format: .pem)
        }
    }

    /// What connections are made with.
    ///
    /// - Parameters:
    ///   - certificate: The path of the own certificate, if there is one.
    ///   - key: The path of its key.
    static func context(
        _ configuration: TLSConfiguration, _ certificate: String?, key: String?
    ) throws(TLSFault) -> NIOSSLContext {
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            guard let certificate, let key, error as? NIOSSLError == .failedToLoadPrivateKey
            else { throw TLSFault(description: "TLS cannot be set up: \(error)") }
            throw TLSFault(
                description: "the key \(key) is not that of the certificate \(certificate)")
        }
    }

    /// Runs `body`, which reads `path`, and whose errors say too little by themselves.
    private static func reading<Result>(
        _ what: String, _ path: String, _ lack: String, _ body: () throws -> Result
    ) throws(TLSFault) -> Result {
        if let problem = unreadable(path) {
            throw TLSFault(description: "\(what) cannot be read: \(problem)")
        }
        do {
            return try body()
        } catch {
            throw TLSFault(description: "\(what) cannot be used: it holds \(lack)")
        }
    }

    /// What the system says against reading a file; nil if it lets us.
    private static func unreadable(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return String(cString: strerror(errno)) }
        defer { close(file) }
        var byte: UInt8 = 0
        // A folder can be opened, and not be read.
        return read(file, &byte, 1) < 0 ? String(cString: strerror(errno)) : nil
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
        guard name == "h2" else {
            connection.complain("not_http2")
            return context.close(promise: nil)
        }
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
