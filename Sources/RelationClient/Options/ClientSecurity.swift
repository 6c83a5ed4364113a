internal import GRPCClient
internal import GRPCWire

/// Certificates or a key in PEM, from a file or from memory.
///
/// A text of it never has the bytes.
public struct PEM: Sendable, CustomStringConvertible, CustomReflectable {
    let source: PEMSource

    /// The contents of a file, which is read when the client is made.
    public static func file(_ path: String) -> PEM { PEM(source: .file(path)) }

    /// The bytes themselves.
    public static func bytes(_ bytes: [UInt8]) -> PEM { PEM(source: .bytes(bytes)) }

    /// The path of the file, or the number of the bytes.
    public var description: String {
        switch source {
        case .file(let path), .read(_, let path): "file \(path)"
        case .bytes(let bytes): "\(bytes.count) bytes, hidden"
        }
    }

    /// The description, without parts.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Whether and how a connection is encrypted.
public struct ClientSecurity: Sendable {
    private let parts: Parts?

    private struct Parts {
        let authorities: PEM?
        let certificate: (chain: PEM, key: PEM)?
        let serverName: String?
    }

    /// Nothing is encrypted: for servers on the same machine.
    public static let plaintext = ClientSecurity(parts: nil)

    /// TLS 1.2 or later.
    ///
    /// - Parameters:
    ///   - authorities: The certificates of the authorities that sign servers' certificates. If it
    ///     is nil, the client trusts the authorities that the system trusts.
    ///   - certificate: The client's own certificate, with those that lead to its issuer, and its
    ///     key.
    ///   - serverName: The name, or the IP address, that the server's certificate must have,
    ///     whatever host is connected to; nil means the host's own.
    public static func tls(
        authorities: PEM? = nil, certificate: (chain: PEM, key: PEM)? = nil,
        serverName: String? = nil
    ) -> ClientSecurity {
        ClientSecurity(
            parts: Parts(
                authorities: authorities, certificate: certificate, serverName: serverName))
    }

    /// The rule that a part breaks; nil if there is none.
    var problem: String? {
        guard let name = parts?.serverName else { return nil }
        let isName =
            !name.isEmpty && name.utf8.count <= ServerTarget.longestHost
            && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isName
            ? nil
            : "serverName must have 1 to \(ServerTarget.longestHost) bytes of printable ASCII"
    }

    /// - Parameter above: The protocol above TLS, by its name in ALPN.
    func tls(for above: String = "h2") throws(OptionsError) -> ClientTLS? {
        guard let parts else { return nil }
        do {
            return try ClientTLS(
                authorities: parts.authorities?.source,
                certificate: parts.certificate.map { ($0.chain.source, $0.key.source) },
                serverName: parts.serverName, above: above)
        } catch {
            throw OptionsError("security: \(error)")
        }
    }
}
