import RelationAPI
import Testing

@testable import RelationClient

/// Texts of values that have secrets.
struct HiddenSecretTests {
    private static let secret = "swordfish"

    private static func texts(_ value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var printed = ""
        print(value, to: &printed)
        var debugged = ""
        debugPrint(value, to: &debugged)
        return [dumped, printed, debugged, "\(value)", String(reflecting: value)]
    }

    @Test func noTextOfOptionsHasASecret() throws {
        let secret = Self.secret
        var options = ClientOptions(host: "relation.example")
        options.security = .tls(
            authorities: .bytes(Array(secret.utf8)),
            certificate: (.file("/etc/client.pem"), .bytes(Array(secret.utf8))))
        for credential in [
            ClientCredential.apiKey(secret), .userSig(secret),
            .provided { .apiKey(secret) },
        ] {
            options.credential = credential
            let all =
                Self.texts(options) + Self.texts(credential) + Self.texts([credential])
                + Self.texts(Optional(credential))
            for text in all {
                #expect(!text.contains(secret))
                // The bytes of the key, as an array shows them.
                #expect(!text.contains("115, 119, 111"))
                #expect(!text.contains("- 115"))
            }
        }
        #expect("\(options)".contains("relation.example"))
        #expect("\(options)".contains("/etc/client.pem"))
    }

    @Test func noTextOfAClientOrACallHasASecret() throws {
        var options = ClientOptions(host: "relation.example")
        options.credential = .apiKey(Self.secret)
        let client = try Client(options)
        var call = CallOptions()
        for name in ["authorization", "x-api-key", "cookie", "x-session-token"] {
            call.metadata.append(name, Self.secret)
        }
        call.metadata.append("x-request-source", "inbox")
        let context = CallContext(
            service: "a", method: "b", path: "/a/b", isStream: false, options: call)
        let stream = client.stream(ChangeMethods.watch, options: call)
        let changes = client.changes(
            WatchRequest.with { $0.scope = .userID("a") },
            options: ChangesOptions(metadata: call.metadata))
        let values: [Any] = [
            client, call, context, stream, changes, client.friends(of: "a", options: call),
            client.profileCache, client.chainCache,
        ]
        for text in values.flatMap({ Self.texts($0) }) { #expect(!text.contains(Self.secret)) }
        #expect("\(call)".contains("x-request-source: inbox"))
        stream.cancel()
    }
}
