import GRPC
import PeerSupport
import RPC
import RelationAPI
import RelationCalls
import Synchronization
import Testing

@testable import RelationClient

/// Credentials and metadata, as the server gets them.
@Suite(.endsWhenHung) struct CredentialTests {
    private static let expired = RPCError(
        .unauthenticated, .credentialExpired, "the credential has expired")

    /// A function that gives out another key each time.
    private func keys() -> ClientCredential {
        let count = Mutex(0)
        return .provided {
            .apiKey("key \(count.withLock { $0 += 1; return $0 })")
        }
    }

    @Test func credentialsThatDoNotChangeGoWithEachCall() async throws {
        for (credential, value) in [
            (ClientCredential.apiKey("1.a.b"), "Bearer 1.a.b"), (.userSig("sig"), "UserSig sig"),
        ] {
            try await ScriptedService.run {
                $0.credential = credential
                $0.appID = 7
            } _: { _ in
                .answer([])
            } _: { client, service, _ in
                try await client.read()
                try await client.write()
                #expect(service.seen.map(\.authorization) == [value, value])
                #expect(service.seen.map(\.appID) == ["7", "7"])
            }
        }
    }

    @Test func aFunctionIsAskedBeforeEachAttempt() async throws {
        try await ScriptedService.run {
            $0.credential = keys()
        } _: {
            $0.number < 3 ? .fail(RPCError(.unavailable, "away")) : .answer([])
        } _: { client, service, _ in
            try await client.read()
            let expected = ["Bearer key 1", "Bearer key 2", "Bearer key 3"]
            #expect(service.seen.map(\.authorization) == expected)
        }
    }

    @Test func aCredentialThatHasExpiredIsReplacedOnce() async throws {
        try await ScriptedService.run {
            $0.credential = keys()
            // It needs no retries, and takes no time.
            $0.retries = nil
        } _: {
            $0.authorization == "Bearer key 1" ? .fail(Self.expired) : .answer([])
        } _: { client, service, clock in
            try await client.write()
            #expect(service.seen.map(\.authorization) == ["Bearer key 1", "Bearer key 2"])
            #expect(clock.sleeps.isEmpty)
        }
        try await ScriptedService.run {
            $0.credential = keys()
        } _: { _ in
            .fail(Self.expired)
        } _: { client, service, _ in
            let error = try #require(await failure { try await client.write() })
            #expect(error.code == .unauthenticated && error.attempts == 2)
            #expect(error.knownReason == .credentialExpired)
            #expect(service.seen.count == 2)
        }
    }

    private struct NoKey: Error {}

    @Test func anErrorOfTheFunctionIsTheErrorOfTheCall() async throws {
        try await ScriptedService.run {
            $0.credential = .provided { throw NoKey() }
        } _: { _ in
            .answer([])
        } _: { client, service, _ in
            await #expect(throws: NoKey.self) { try await client.read() }
            #expect(service.seen.isEmpty)
        }
        try await ScriptedService.run {
            $0.credential = .provided { .provided { .apiKey("key") } }
        } _: { _ in
            .answer([])
        } _: { client, service, _ in
            await #expect(throws: OptionsError.self) { try await client.read() }
            #expect(service.seen.isEmpty)
        }
    }

    @Test func metadataOfACallReplacesThatOfTheClient() async throws {
        try await ScriptedService.run {
            $0.appID = 7
            $0.credential = .apiKey("1.a.b")
        } _: { _ in
            .answer([])
        } _: { client, service, _ in
            let options = CallOptions(metadata: ["x-app-id": "8", "x-test": "here"])
            try await client.read(options: options)
            try await client.read()
            #expect(service.seen.map(\.appID) == ["8", "7"])
            #expect(service.seen.map(\.test) == ["here", nil])
            #expect(service.seen.map(\.authorization) == ["Bearer 1.a.b", "Bearer 1.a.b"])
        }
    }

    @Test(arguments: [
        "X-Test": "x", "x test": "x", "grpc-x": "x", "x-test-bin": "x", "x-test": "\n", "": "x",
    ])
    func metadataThatCannotBeSentEndsTheCall(_ name: String, _ value: String) async throws {
        try await ScriptedService.run { _ in
            .answer([])
        } _: { client, service, _ in
            let options = CallOptions(metadata: [name: value])
            let error = try #require(await failure { try await client.read(options: options) })
            #expect(error.code == .invalidArgument)
            #expect(service.seen.isEmpty)
        }
    }

    @Test func metadataKeepsItsOrderAndItsRepetitions() {
        var metadata: CallMetadata = ["a": "1", "b": "2"]
        #expect(!metadata.isEmpty && CallMetadata().isEmpty)
        metadata.append("a", "3")
        #expect(metadata.entries.map(\.value) == ["1", "2", "3"])
        #expect(metadata["a"] == "1" && metadata["c"] == nil)
        metadata["a"] = "4"
        #expect(metadata.entries.map(\.name) == ["b", "a"] && metadata["a"] == "4")
        metadata["a"] = nil
        #expect(metadata == ["b": "2"])
    }
}
