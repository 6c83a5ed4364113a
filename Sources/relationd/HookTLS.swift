import GRPCClient
import GRPCWire
import TextFiles
import Webhooks

/// How connections to the receivers of hooks are encrypted, in each form.
struct HookTLS: Sendable {
    let web: WebhookTLS
    /// Nil for none: receivers are then called without TLS alone.
    let calls: ClientTLS?

    /// Trusts the authorities that the system trusts, and shows no certificate.
    static var system: HookTLS { HookTLS(web: .system, calls: .system) }
}

extension Configuration {
    /// The receivers of hooks; nil if no hooks are allowed.
    ///
    /// - Throws: ``FatalError``, which names the file that cannot be used.
    func receivers() throws -> HookReceivers? {
        guard isOn(.hooks) else { return nil }
        var policy = AddressPolicy()
        policy.allowedHosts = words(.hookHosts).map { $0.lowercased() }
        policy.allowsPrivateAddresses = isOn(.hookAllowPrivate)
        policy.allowsPlainHTTP = isOn(.hookAllowPlaintext)
        return HookReceivers(policy, try hookTLS())
    }

    /// The certificates of hooks; a file is read once for all forms, so it may be a stream.
    ///
    /// - Throws: ``FatalError``, which names the setting and the file that cannot be used.
    func hookTLS() throws -> HookTLS {
        guard isOn(.hooks), isSet(.hookCA) || isSet(.hookCert) else { return .system }
        let authorities = try pem(.hookCA, "the authorities")
        if let authorities {
            try usable(name(.hookCA)) { () throws(TLSSetupError) in
                _ = try ClientTLS(authorities: .read(authorities.bytes, path: authorities.path))
            }
        }
        guard let chain = try pem(.hookCert, "the certificate"),
            let key = try pem(.hookKey, "the key")
        else {
            return try hookTLS(authorities, nil)
        }
        return try hookTLS(authorities, (chain, key))
    }

    private typealias File = (bytes: [UInt8], path: String)

    private func hookTLS(
        _ authorities: File?, _ certificate: (chain: File, key: File)?
    ) throws -> HookTLS {
        let names =
            certificate == nil ? name(.hookCA) : "\(name(.hookCert)) and \(name(.hookKey))"
        var calls: ClientTLS?
        try usable(names) { () throws(TLSSetupError) in
            calls = try ClientTLS(
                authorities: authorities.map { .read($0.bytes, path: $0.path) },
                certificate: certificate.map {
                    (
                        .read($0.chain.bytes, path: $0.chain.path),
                        .read($0.key.bytes, path: $0.key.path)
                    )
                })
        }
        do throws(WebhookTLS.SetupError) {
            let web = try WebhookTLS(
                authorities: authorities?.bytes,
                certificate: certificate.map { ($0.chain.bytes, $0.key.bytes) })
            return HookTLS(web: web, calls: calls)
        } catch {
            throw FatalError("\(names): \(error.description)")
        }
    }

    private func usable(
        _ names: String, _ body: () throws(TLSSetupError) -> Void
    ) throws {
        do throws(TLSSetupError) {
            try body()
        } catch {
            throw FatalError("\(names): \(error.description)")
        }
    }

    /// The file that a setting names; nil if it is not set.
    private func pem(_ setting: Setting, _ purpose: String) throws -> File? {
        guard let path = text(setting) else { return nil }
        do throws(InputFileError) {
            return (try SmallFile.bytes(of: path, atMost: CallLimits.certificateFileBytes), path)
        } catch {
            throw FatalError("\(name(setting)): \(purpose) \(error)")
        }
    }
}
