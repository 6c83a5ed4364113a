import NIOSSL
import PeerSupport
import Testing
import Webhooks

/// The sender against receivers with certificates.
@Suite(.endsWhenHung) struct WebhookTLSTests {
    private static func certificates(_ pem: String) throws -> [NIOSSLCertificate] {
        try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8))
    }

    private static func server(
        _ certificate: String, _ key: String, asksCertificate: Bool = false,
        _ change: (inout TLSConfiguration) -> Void = { _ in }
    ) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try certificates(certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)))
        if asksCertificate {
            configuration.trustRoots = .certificates(try certificates(TestCertificates.authority))
            configuration.certificateVerification = .noHostnameVerification
        }
        change(&configuration)
        return configuration
    }

    private static var trusting: WebhookTLS {
        get throws { try WebhookTLS(authorities: Array(TestCertificates.authority.utf8)) }
    }

    private static func outcome(
        of tls: TLSConfiguration?, host: String = "receiver.example", _ own: WebhookTLS
    ) async throws -> Result<Int, WebhookFailure> {
        let receiver = try await ReceiverHarness(tls: tls) { _, _ in ReceiverHarness.ok }
        var settings = WebhookSenderSettings()
        settings.connectTime = .untilHung
        let sender = WebhookSender(settings, resolver: ScriptedResolver())
        var policy = AddressPolicy()
        policy.allowsPrivateAddresses = true
        let endpoint = try WebhookEndpoint(
            "https://\(host):\(receiver.port)/", policy, own, tenant: 1)
        var request = WebhookRequest(endpoint, contentType: "text/plain", body: [])
        request.timeout = .untilHung
        let result: Result<Int, WebhookFailure>
        do throws(WebhookFailure) {
            _ = try await sender.send(request)
            result = .success(try await sender.send(request).status)
        } catch {
            result = .failure(error)
        }
        #expect(receiver.connections == 1 || tls == nil)
        await sender.close()
        await receiver.close()
        return result
    }

    @Test(arguments: [
        ("receiver.example", nil), ("127.0.0.1", nil),
        ("other.example", WebhookFailure.TLSFailure.otherName),
    ])
    func theNameOfTheHostStandsInTheCertificate(
        host: String, tlsFailure: WebhookFailure.TLSFailure?
    ) async throws {
        let tls = try Self.server(TestCertificates.server, TestCertificates.serverKey)
        let result = try await Self.outcome(of: tls, host: host, Self.trusting)
        #expect(result == tlsFailure.map { .failure(.notSecured($0)) } ?? .success(200))
    }

    @Test func anExpiredOrUnknownCertificateIsNotTrusted() async throws {
        let expired = try Self.server(TestCertificates.expired, TestCertificates.expiredKey)
        #expect(
            try await Self.outcome(of: expired, Self.trusting)
                == .failure(.notSecured(.untrusted)))
        let tls = try Self.server(TestCertificates.server, TestCertificates.serverKey)
        #expect(
            try await Self.outcome(of: tls, .system) == .failure(.notSecured(.untrusted)))
    }

    @Test(arguments: [TLSVersion.tlsv12, .tlsv13])
    func aCertificateIsShownToAReceiverThatAsksForOne(version: TLSVersion) async throws {
        let tls = try Self.server(
            TestCertificates.server, TestCertificates.serverKey, asksCertificate: true
        ) { $0.maximumTLSVersion = version }
        let own = try WebhookTLS(
            authorities: Array(TestCertificates.authority.utf8),
            certificate: (
                Array(TestCertificates.client.utf8), Array(TestCertificates.clientKey.utf8)
            ))
        #expect(try await Self.outcome(of: tls, own) == .success(200))
        let result = try await Self.outcome(of: tls, Self.trusting)
        // Before TLS 1.3 a receiver does not say why.
        let tlsFailure: WebhookFailure.TLSFailure = version == .tlsv13 ? .asksCertificate : .other
        #expect(result == .failure(.notSecured(tlsFailure)))
    }

    @Test func aReceiverWithoutTLSOrWithAnOldOneIsRefused() async throws {
        #expect(
            try await Self.outcome(of: nil, Self.trusting) == .failure(.notSecured(.notTLS)))
        let old = try Self.server(TestCertificates.server, TestCertificates.serverKey) {
            $0.minimumTLSVersion = .tlsv1
            $0.maximumTLSVersion = .tlsv11
        }
        guard case .failure(.notSecured) = try await Self.outcome(of: old, Self.trusting) else {
            Issue.record("TLS 1.1 is taken")
            return
        }
    }

    @Test func certificatesThatCannotBeUsedAreNamedAndKeysAreNot() {
        let authority = Array(TestCertificates.authority.utf8)
        let client = Array(TestCertificates.client.utf8)
        let cases: [(authorities: [UInt8]?, chain: [UInt8], key: [UInt8], words: String)] = [
            ([], client, Array(TestCertificates.clientKey.utf8), "authorities"),
            (authority, Array("x".utf8), Array(TestCertificates.clientKey.utf8), "certificate"),
            (authority, client, Array("x".utf8), "key"),
            (authority, client, Array(TestCertificates.serverKey.utf8), "does not belong"),
        ]
        for (authorities, chain, key, words) in cases {
            do throws(WebhookTLS.SetupError) {
                _ = try WebhookTLS(authorities: authorities, certificate: (chain, key))
                Issue.record("it is taken: \(words)")
            } catch {
                #expect(error.description.contains(words) && !error.description.contains("----"))
            }
        }
    }
}
