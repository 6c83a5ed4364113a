import ArgumentParser
import GRPC
import Logging

/// Who may come in, and how what they say is encrypted.
struct SecurityOptions: ParsableArguments {
    @Option(help: "The server's certificate, and those that lead from it to its issuer, in PEM.")
    var tlsCert: String?

    @Option(help: "The key of that certificate, in PEM.")
    var tlsKey: String?

    @Option(
        help: """
            Who signs the certificates of clients: authorities, in PEM. A client may then show \
            one, and one that is registered stands for an API key. A client's own certificate \
            does not work here, not even one that signs itself.
            """)
    var clientCA: String?

    @Flag(help: "Refuse clients without a certificate.")
    var requireClientCert = false

    @Flag(help: "Listen on an address that others reach, without TLS.")
    var allowPlaintext = false

    @Flag(help: "Listen on an address that others reach, without credentials: as --insecure does.")
    var allowAnonymous = false

    var isEncrypted: Bool { tlsCert != nil }

    /// - Throws: `ValidationError`, which names what is missing.
    func check(for address: ListenAddress) throws {
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert and --tls-key come together")
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
                \(address) is reached from other machines: it needs --tls-cert and --tls-key, or \
                --allow-plaintext
                """)
        }
    }

    /// How to encrypt; nil if it is not asked for.
    ///
    /// - Throws: ``Failure``, which says which file is not good.
    func tls() throws -> ServerTLS? {
        guard let tlsCert, let tlsKey else { return nil }
        var files = TLSFiles(certificate: tlsCert, key: tlsKey, clientAuthorities: clientCA)
        files.requiresClientCertificate = requireClientCert
        do throws(TLSFault) {
            return try ServerTLS(files)
        } catch {
            throw Failure(error.description)
        }
    }

    /// Takes the files of TLS anew.
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
