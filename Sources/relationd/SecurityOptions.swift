import ArgumentParser
import GRPC
import Logging

/// The options for which clients are let in, and how their connections are encrypted.
struct SecurityOptions: ParsableArguments {
    @Option(help: "The server's certificate, and those that lead from it to its issuer, in PEM.")
    var tlsCert: String?

    @Option(help: "The key of that certificate, in PEM.")
    var tlsKey: String?

    @Option(
        help: """
            The authorities that sign the certificates of clients, in PEM. A client may then show \
            a certificate, and a registered one stands for an API key. A client's own certificate \
            does not work here, not even one that signs itself.
            """)
    var clientCA: String?

    @Flag(help: "Refuse clients without a certificate.")
    var requireClientCert = false

    @Flag(help: "Listen without TLS on an address that other machines can reach.")
    var allowPlaintext = false

    @Flag(help: "Ask for no credentials, as --insecure, on an address that others can reach.")
    var allowAnonymous = false

    var isEncrypted: Bool { tlsCert != nil }

    /// - Throws: `ValidationError`, which names what is missing.
    func check(for address: ListenAddress) throws {
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert needs --tls-key, and --tls-key needs --tls-cert")
        }
        guard clientCA == nil || isEncrypted else {
            throw ValidationError("--client-ca needs --tls-cert and --tls-key")
        }
        guard !requireClientCert || clientCA != nil else {
            throw ValidationError("--require-client-cert needs --client-ca")
        }
        guard address.isLocal || isEncrypted || allowPlaintext else {
            throw ValidationError(
                """
                other machines can reach \(address): it needs --tls-cert and --tls-key, or \
                --allow-plaintext
                """)
        }
    }

    /// The settings of TLS; nil if no option asks for TLS.
    ///
    /// - Parameter protocols: The protocols above TLS.
    /// - Throws: ``Failure``, which names the file that cannot be used.
    func tls(for protocols: [String] = ["h2"]) throws -> ServerTLS? {
        guard let tlsCert, let tlsKey else { return nil }
        var files = TLSFiles(certificate: tlsCert, key: tlsKey, clientAuthorities: clientCA)
        files.requiresClientCertificate = requireClientCert
        do throws(TLSFault) {
            return try ServerTLS(files, protocols: protocols)
        } catch {
            throw Failure(error.description)
        }
    }

    /// Reads the files of TLS again.
    func reload(_ tls: ServerTLS?, _ logger: Logger) {
        guard let tls else { return }
        do throws(TLSFault) {
            try tls.reload()
            logger.info("SIGHUP: new connections get the certificate that is there now")
        } catch {
            logger.error("SIGHUP: the certificate stays as it was: \(error)")
        }
    }
}
