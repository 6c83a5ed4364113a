import Testing

@testable import Webhooks

/// Signatures against answers that other programs have given.
@Suite struct SignatureTests {
    /// The example of Standard Webhooks' and Svix' documents.
    @Test func aSignatureIsThatOfTheSpecification() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let headers = StandardWebhooks.headers(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330,
            body: Array(#"{"test": 2432232314}"#.utf8), secrets: [secret])
        #expect(headers.map(\.name) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(
            headers.map(\.value) == [
                "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330",
                "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            ])
        #expect(secret.text == "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        #expect("\(secret)" == "WebhookSecret")
    }

    @Test func asManySecretsSignAsMay() throws {
        let secrets = try (1...5).map { number in
            try #require(WebhookSecret(bytes: Array(repeating: UInt8(number), count: 24)))
        }
        let value = StandardWebhooks.headers(id: "1", seconds: 2, body: [], secrets: secrets)[2]
            .value
        let signatures = value.split(separator: " ")
        #expect(signatures.count == WebhookLimits.secrets && Set(signatures).count == 4)
        #expect(signatures.allSatisfy { $0.hasPrefix("v1,") && $0.utf8.count == 47 })
    }

    @Test(arguments: [
        (23, false), (24, true), (32, true), (64, true), (65, false), (0, false), (1_000, false),
    ])
    func aSecretHasItsLength(count: Int, isOne: Bool) {
        let secret = WebhookSecret(bytes: Array(repeating: 0x61, count: count))
        #expect((secret != nil) == isOne)
        if let secret { #expect(WebhookSecret(secret.text) == secret) }
    }

    @Test(arguments: [
        "", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS!",
        "WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw ",
    ])
    func otherTextsAreNoSecrets(text: String) {
        #expect(WebhookSecret(text) == nil)
    }

    /// The digest is that of the command `printf token1614265330 | sha256sum`.
    @Test func aTIMSignatureIsTheDigestOfTokenAndTime() {
        let items = TIMQuery.items(
            appID: "1400000000", command: "Sns.CallbackFriendAdd", token: "token",
            seconds: 1_614_265_330)
        #expect(
            items.map(\.name) == [
                "SdkAppid", "CallbackCommand", "contenttype", "ClientIP", "OptPlatform", "Sign",
                "RequestTime",
            ])
        #expect(
            items.map(\.value) == [
                "1400000000", "Sns.CallbackFriendAdd", "json", "127.0.0.1", "RESTAPI",
                "023c84d447038bb7e23f8fc7e9e50312b98b97945c9ba97075e2e2d66adb1957", "1614265330",
            ])
        let unsigned = TIMQuery.items(appID: "1", command: "c", token: nil, seconds: 1)
        #expect(unsigned.count == 5)
    }
}
