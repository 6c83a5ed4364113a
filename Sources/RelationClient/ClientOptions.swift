internal import GRPC

/// The address of a server, and the credentials that a client shows to it.
///
/// ```swift
/// var options = ClientOptions(host: "relation.example", port: 7450)
/// options.security = .tls()
/// options.credential = .apiKey(key)
/// let client = try Client(options)
/// ```
public struct ClientOptions: Sendable {
    /// The name or the address of the server.
    public var host: String
    /// The port of the server.
    public var port: Int
    /// The path of the server's socket, instead of a host and a port.
    public var socketPath: String?
    /// The app to act in: needed with the operator's key and with a client certificate.
    public var appID: UInt32?
    /// The credential to show with each call; nil for a server that asks for none.
    public var credential: ClientCredential?
    /// Whether and how connections are encrypted.
    public var security = ClientSecurity.plaintext
    /// Whether calls go on when the server is stopped and started again, each within its timeout.
    ///
    /// A call that was not sent waits for the server. A call whose answer was lost is made again if
    /// it reads, or if it writes with a request id. A write without one fails, because it may have
    /// been done. A stream has no timeout: it waits for the server until it is cancelled, and
    /// breaks when the server ends.
    public var goesOnOverRestarts = false
    /// Whether requests are compressed by gzip, and answers may be.
    public var isCompressing = false

    /// The longest answer that is received, in bytes.
    ///
    /// No server of this version sends more than 4,000,000.
    public var maxReceivedMessageBytes = CallLimits.messageBytes
    /// The longest request that is sent, in bytes.
    ///
    /// No server of this version accepts more than 4,194,304.
    public var maxSentMessageBytes = CallLimits.messageBytes

    /// Creates the options of a server that encrypts nothing and asks for no credential.
    public init(host: String = "127.0.0.1", port: Int = 7450) {
        self.host = host
        self.port = port
    }

    var metadata: Metadata {
        var metadata = Metadata()
        if let appID { metadata.append("x-app-id", "\(appID)") }
        switch credential {
        case .apiKey(let key): metadata.append("authorization", "Bearer \(key)")
        case .userSig(let token): metadata.append("authorization", "UserSig \(token)")
        case nil: break
        }
        return metadata
    }
}

/// The credential that a caller shows beside a client certificate, or instead of one.
public enum ClientCredential: Sendable {
    /// A backend's or an operator's key.
    case apiKey(String)
    /// A user's signature (TLSSigAPIv2).
    case userSig(String)
}

/// Whether and how a connection is encrypted.
public struct ClientSecurity: Sendable {
    private let files: Files?

    private struct Files {
        let authorities: String?
        let certificate: (path: String, key: String)?
        let serverName: String?
    }

    /// Nothing is encrypted: for servers on the same machine.
    public static let plaintext = ClientSecurity(files: nil)

    /// TLS 1.2 or later.
    ///
    /// - Parameters:
    ///   - authorities: A file with the certificates of the authorities that sign servers'
    ///     certificates, in PEM. If it is nil, the client trusts the authorities that the system
    ///     trusts.
    ///   - certificate: The files of the client's own certificate and of its key, in PEM.
    ///   - serverName: The name that the server's certificate must have, unless the certificate has
    ///     the address of the connection; nil means the name of the host.
    public static func tls(
        authorities: String? = nil, certificate: (path: String, key: String)? = nil,
        serverName: String? = nil
    ) -> ClientSecurity {
        ClientSecurity(
            files: Files(
                authorities: authorities, certificate: certificate, serverName: serverName))
    }

    func tls() throws -> ClientTLS? {
        guard let files else { return nil }
        return try ClientTLS(
            authorities: files.authorities, certificate: files.certificate,
            serverName: files.serverName)
    }
}
