import ArgumentParser
import RelationClient

/// The options for encryption, of calls and of admin endpoints.
struct Security: ParsableArguments {
    @Flag(help: "Encrypt, and trust the authorities that the system trusts.")
    var tls = false

    @Option(
        help: """
            Encrypt, and trust the authorities in this file (PEM), up to their root. A \
            server's own certificate works only if it signs itself and may sign others.
            """, completion: .file())
    var tlsCA: String?

    @Option(help: "A client certificate (PEM).", completion: .file())
    var tlsCert: String?

    @Option(help: "The key of the client certificate (PEM).", completion: .file())
    var tlsKey: String?

    @Option(
        help: """
            The name, or the IP address, that the server's certificate must have, and no other; \
            if absent, the host's.
            """)
    var tlsName: String?

    func validate() throws {
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert needs --tls-key, and --tls-key needs --tls-cert")
        }
        guard tls || tlsCA != nil || (tlsCert == nil && tlsName == nil) else {
            throw ValidationError("--tls-cert and --tls-name need --tls or --tls-ca")
        }
    }

    /// The files that the options name.
    var files: [NamedFile?] {
        [
            NamedFile("--tls-ca", tlsCA), NamedFile("--tls-cert", tlsCert),
            NamedFile("--tls-key", tlsKey),
        ]
    }

    /// Whether the options ask for encryption.
    var isOn: Bool { tls || tlsCA != nil }

    /// The security that the options ask for.
    var chosen: ClientSecurity { isOn ? encrypted : .plaintext }

    /// Encryption, whether or not the options ask for it.
    var encrypted: ClientSecurity {
        .tls(
            authorities: tlsCA.map { .file($0) },
            certificate: tlsCert.flatMap { path in
                tlsKey.map { (chain: .file(path), key: .file($0)) }
            }, serverName: tlsName)
    }
}
