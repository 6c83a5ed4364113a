package import GRPCWire
import NIOCore
package import NIOSSL
import NIOTLS
import Support
import Synchronization

/// The paths of the files from which TLS is set up, all in PEM.
package struct TLSFiles: Sendable, Equatable {
    /// The path of the server's own certificate, followed in the file by those that lead from it to
    /// the one that clients trust.
    package var certificate: String
    /// The key of that certificate: the one part that may be given without a file.
    package var key: PEMSource
    /// The path of the authorities that sign client certificates; nil asks clients for no
    /// certificate.
    package var clientAuthorities: String?
    /// Whether a client without a certificate is refused.
    package var requiresClientCertificate = false

    package init(certificate: String, key: String, clientAuthorities: String? = nil) {
        self.init(
            certificate: certificate, key: .file(key), clientAuthorities: clientAuthorities)
    }

    package init(certificate: String, key: PEMSource, clientAuthorities: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.clientAuthorities = clientAuthorities
    }
}

/// How a server encrypts: which certificate it shows its clients, and which authorities it trusts.
///
/// Connections that are made after ``reload()`` use the new files; older connections keep what they
/// began with.
package final class ServerTLS: Sendable {
    /// The setup for connections that are made at present.
    fileprivate struct Present {
        let configuration: TLSConfiguration
        /// When the last of the clients' authorities expires; nil if clients are asked for no
        /// certificate.
        ///
        /// No certificate that they signed is valid after that.
        let authoritiesEndMs: Int64?
        var context: NIOSSLContext
        let madeMs: Int64
    }

    /// Files that were read, and are not used yet.
    package struct Renewal {
        fileprivate let files: TLSFiles
        fileprivate let present: Present
    }

    private let files: Mutex<TLSFiles>
    private let protocols: [String]
    let clock: WallClock
    private let present: Mutex<Present>

    /// - Parameters:
    ///   - protocols: The protocols above TLS, by their names in ALPN.
    ///   - clock: The clock by which certificates are checked after each handshake.
    package init(
        _ files: TLSFiles, protocols: [String] = ["h2", "http/1.1"],
        clock: @escaping WallClock = ServerTLS.systemClock
    ) throws(TLSSetupError) {
        self.files = Mutex(files)
        self.protocols = protocols
        self.clock = clock
        present = Mutex(try Self.read(files, protocols, at: clock()))
    }

    /// Reads the files again.
    ///
    /// Sessions that began before cannot be resumed: their clients must show their certificates
    /// again.
    ///
    /// - Throws: ``TLSSetupError`` if the files cannot be used; then the old setup stays.
    package func reload() throws(TLSSetupError) {
        apply(try renewal(nil))
    }

    /// The certificates of other files, or of the same files now, for ``apply(_:)``.
    ///
    /// So several setups change together, or none does.
    ///
    /// - Throws: ``TLSSetupError`` if the files cannot be used.
    package func renewal(_ others: TLSFiles?) throws(TLSSetupError) -> Renewal {
        let files = others ?? self.files.withLock { $0 }
        return Renewal(files: files, present: try Self.read(files, protocols, at: clock()))
    }

    /// Uses what was read for the connections that come.
    package func apply(_ renewal: Renewal) {
        let new = renewal.present
        files.withLock { $0 = renewal.files }
        present.withLock { $0 = new }
    }

    /// The context for a new connection.
    ///
    /// A client that resumes a session shows its certificate by it. TLS does not check that
    /// certificate again. We check its own span, but not its issuers, which we do not learn. A
    /// session can be resumed only in the context in which it began, so a context is replaced after
    /// some time.
    func context() throws -> (NIOSSLContext, authoritiesEndMs: Int64?) {
        let now = clock()
        return try present.withLock { present in
            let age = now - present.madeMs
            if present.authoritiesEndMs != nil, !(0..<CallLimits.sessionMilliseconds ~= age) {
                present = Present(
                    configuration: present.configuration,
                    authoritiesEndMs: present.authoritiesEndMs,
                    context: try NIOSSLContext(configuration: present.configuration), madeMs: now)
            }
            return (present.context, present.authoritiesEndMs)
        }
    }

    /// The handler of a new connection that speaks another protocol than gRPC.
    package func handler() throws -> NIOSSLServerHandler {
        NIOSSLServerHandler(context: try context().0)
    }

    private static func read(
        _ files: TLSFiles, _ protocols: [String], at now: Int64
    ) throws(TLSSetupError) -> Present {
        let chain = try TLSSetupError.certificates("the certificate", .file(files.certificate))
            .map { NIOSSLCertificateSource.certificate($0) }
        let key = try TLSSetupError.key(files.key)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain, privateKey: .privateKey(key))
        configuration.setRules()
        configuration.applicationProtocols = protocols
        var end: Int64?
        if let authorities = files.clientAuthorities {
            let roots = try TLSSetupError.authorities(
                "the client authorities", authorities, areStrict: true)
            end = roots.map { CertificateSpan($0).endMs }.max()
            configuration.trustRoots = .certificates(roots)
            configuration.certificateVerification =
                files.requiresClientCertificate ? .noHostnameVerification : .optionalVerification
        }
        let context = try TLSSetupError.context(
            configuration, (.file(files.certificate), files.key))
        return Present(
            configuration: configuration, authoritiesEndMs: end, context: context, madeMs: now)
    }

    /// The machine's clock.
    package static let systemClock: WallClock = { SystemClock.wall.milliseconds }
}
