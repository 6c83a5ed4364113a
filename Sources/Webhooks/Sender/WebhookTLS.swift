import NIOSSL

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

    let context: Result<NIOSSLContext, SetupError>

    /// Trusts the authorities that the system trusts, and shows no certificate.
    package static let system = WebhookTLS(.makeClientConfiguration())

    /// - Parameters:
    ///   - authorities: The authorities that sign receivers' certificates, in PEM; nil trusts those
    ///     that the system trusts.
    ///   - certificate: The certificate that is shown to receivers that ask for one, with those
    ///     that lead to its issuer, and its key, in PEM.
    package init(
        authorities: [UInt8]? = nil, certificate: (chain: [UInt8], key: [UInt8])? = nil
    ) throws(SetupError) {
        throw SetupError(description: "")
    }

    private init(_ configuration: TLSConfiguration) {
        var configuration = configuration
        configuration.minimumTLSVersion = .tlsv12
        do {
            context = .success(try NIOSSLContext(configuration: configuration))
        } catch {
            context = .failure(SetupError(description: "TLS cannot be set up"))
        }
    }
}
