import GRPCClient
import GRPCWire
import NIOCore
import NIOSSL
import Synchronization

/// How connections to receivers are encrypted: which authorities are trusted, and which certificate
/// is shown.
///
/// The name of the host must stand in the receiver's certificate in any case. Receivers share
/// connections only if they share this object.
package final class WebhookTLS: Sendable {
    /// Why TLS cannot be set up, in words that name no secret.
    package struct SetupError: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    private enum State {
        /// The authorities of the system are not read yet: that takes milliseconds, and a process
        /// may never need them.
        case unread
        case made(NIOSSLContext?)
    }

    private let state: Mutex<State>

    /// Nil if TLS cannot be set up on this machine.
    var context: NIOSSLContext? {
        state.withLock { state in
            if case .made(let context) = state { return context }
            let context = try? NIOSSLContext(configuration: Self.rules)
            state = .made(context)
            return context
        }
    }

    /// Trusts the authorities that the system trusts, and shows no certificate.
    package static let system = WebhookTLS()

    private init() {
        state = Mutex(.unread)
    }

    /// - Parameters:
    ///   - authorities: The authorities that sign receivers' certificates, in PEM; nil trusts those
    ///     that the system trusts.
    ///   - certificate: The certificate that is shown to receivers that ask for one, with those
    ///     that lead to its issuer, and its key, in PEM.
    package init(
        authorities: [UInt8]? = nil, certificate: (chain: [UInt8], key: [UInt8])? = nil
    ) throws(SetupError) {
        var configuration = Self.rules
        if let authorities {
            configuration.trustRoots = .certificates(
                try Self.parsing("the authorities are not certificates in PEM") {
                    try NIOSSLCertificate.fromPEMBytes(authorities)
                })
        }
        if let certificate {
            configuration.certificateChain =
                try Self.parsing("the certificate is none in PEM") {
                    try NIOSSLCertificate.fromPEMBytes(certificate.chain)
                }.map { .certificate($0) }
            configuration.privateKey = .privateKey(
                try Self.parsing("the key is none in PEM without a passphrase") {
                    try NIOSSLPrivateKey(bytes: certificate.key, format: .pem)
                })
        }
        let rules = configuration
        let context = try Self.parsing("the key does not belong to the certificate") {
            try NIOSSLContext(configuration: rules)
        }
        state = Mutex(.made(context))
    }

    private static var rules: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        configuration.shutdownTimeout = .milliseconds(WebhookLimits.closeMilliseconds)
        return configuration
    }

    /// Whether a certificate is for a host.
    ///
    /// A `*` stands for the whole first label, before at least two more (RFC 6125).
    static func names(_ certificate: NIOSSLCertificate, hold host: String) -> Bool {
        let wanted = host.split(separator: ".", omittingEmptySubsequences: false)
        return certificate._subjectAlternativeNames().contains { name in
            guard case .dnsName = name.nameType else { return false }
            let text = String(decoding: name.contents, as: UTF8.self).lowercased()
            let labels = text.split(separator: ".", omittingEmptySubsequences: false)
            if labels == wanted { return true }
            return labels.count >= 3 && labels.count == wanted.count && labels[0] == "*"
                && labels.dropFirst() == wanted.dropFirst()
        }
    }

    private static func parsing<Result>(
        _ words: String, _ body: () throws -> Result
    ) throws(SetupError) -> Result {
        do {
            return try body()
        } catch {
            throw SetupError(description: words)
        }
    }
}

extension WebhookFailure.TLSFailure {
    /// The failure that an error of TLS stands for; nil if it is none of TLS.
    init?(_ error: any Error) {
        if error as? NIOSSLExtraError == .failedToValidateHostname {
            self = .otherName
            return
        }
        guard error is NIOSSLError || error is BoringSSLError else { return nil }
        let words = "\(error)"
        if words.contains("CERTIFICATE_VERIFY_FAILED") {
            self = .untrusted
        } else if words.contains("WRONG_VERSION_NUMBER") || words.contains("HTTP_REQUEST") {
            self = .notTLS
        } else if Self.alertsOfCertificates.contains(where: words.contains) {
            self = .asksCertificate
        } else if case .handshakeFailed = error as? NIOSSLError {
            self = .other
        } else {
            // The end of a connection, which has its own words.
            return nil
        }
    }

    /// The failure that the words of a call of gRPC stand for.
    ///
    /// - Parameter isLasting: Whether each further connection would end in the same way.
    /// - Returns: Nil if the words are those of no failure of TLS.
    init?(ofCall words: String, isLasting: Bool) {
        if isLasting {
            let asks = Self.alertsOfCertificates.contains(where: words.contains)
            self = asks ? .asksCertificate : words.contains("ALERT_") ? .other : .noGRPC
        } else if words.contains(TLSSetupError.silence) {
            self = .silent
        } else if words.contains(TLSSetupError.closedHandshake) {
            self = .other
        } else {
            return nil
        }
    }

    /// The alerts of a receiver that wants a certificate, or another one.
    private static let alertsOfCertificates = [
        "ALERT_CERTIFICATE_REQUIRED", "ALERT_BAD_CERTIFICATE", "ALERT_UNKNOWN_CA",
        "ALERT_CERTIFICATE_UNKNOWN", "ALERT_CERTIFICATE_EXPIRED", "ALERT_CERTIFICATE_REVOKED",
        "ALERT_UNSUPPORTED_CERTIFICATE", "ALERT_ACCESS_DENIED",
    ]
}
