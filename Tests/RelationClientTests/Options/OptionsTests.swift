import GRPC
import Logging
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationService
import Storage
import Testing

@testable import RelationAdmission
@testable import RelationClient

/// The effects of a client's options on its calls.
struct OptionsTests {
    /// Runs `body` with a client of a server that has one app.
    private func withClient(
        _ options: (inout ClientOptions) -> Void, _ body: (Client) async throws -> Void
    ) async throws {
        var settings = AppSettings.tim
        settings.makesAccountsImplicitly = true
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = try RelationServer(
            store: MemoryStore(), authenticator: .open(to: Apps([App(id: 1, settings: settings)])),
            configuration: ServerConfiguration(), descriptors: Contract.descriptors, logger: logger)
        var chosen = ClientOptions(port: try await server.start().port)
        options(&chosen)
        let client = try Client(chosen)
        try await body(client)
        await client.close()
        await server.stop()
    }

    /// The end of a call that adds `count` friends.
    private func add(_ count: Int, _ client: Client) async throws -> String {
        var request = AddFriendsRequest()
        request.userID = "ann"
        for number in 0..<count {
            var item = AddFriend()
            item.userID = "friend \(number)"
            request.items.append(item)
        }
        do {
            _ = try await client.call(FriendMethods.addFriends, request)
            return "OK"
        } catch let error as CallError {
            return error.code.description
        }
    }

    @Test func theServiceTakesAnIDBehindTheBytesOfEveryWrite() async throws {
        try await withClient { _ in
        } _: { client in
            for method in ServiceTable.all where method.access == .write && method.shape == .unary {
                let error = await failure { _ = try await client.call(method, []) }
                // The call may be refused, but its bytes are understood.
                #expect(
                    error?.code != .internalError, "\(method.path): \(String(describing: error))")
                #expect(error?.knownReason != .malformedMessage)
            }
        }
    }

    @Test func theServiceDoesARequestIDOnce() async throws {
        try await withClient { _ in
        } _: { client in
            var request = try Client.bytes(
                of: AddFriendsRequest.with {
                    $0.userID = "ann"
                    $0.items = [.with { $0.userID = "ben" }]
                },
                FriendMethods.addFriends.requestCoder)
            RequestIDField.append(to: &request, .system)
            for isSecond in [false, true] {
                let bytes = try await client.call(AnyMethod(FriendMethods.addFriends), request)
                let answer = try Client.message(bytes, FriendMethods.addFriends.responseCoder)
                #expect(answer.replayed == isSecond)
                #expect(answer.results.map(\.code) == [.success])
            }
        }
    }

    @Test func aRawCallSendsAndAnswersBytesAsTheyAre() async throws {
        try await withClient { _ in
        } _: { client in
            let method = FriendMethods.addFriends
            let request = AddFriendsRequest.with {
                $0.userID = "ann"
                $0.items = [.with { $0.userID = "ben" }]
            }
            let raw = RawMessage(try request.serializedBytes())
            let answer = try await client.call(method.raw, raw)
            let results = try AddFriendsResponse(serializedBytes: answer.bytes).results
            #expect(results.map(\.code) == [.success])
            let error = await failure {
                let once = CallOptions(retries: false)
                _ = try await client.call(method.raw, RawMessage([0x1A, 5]), options: once)
            }
            #expect(error?.knownReason == .malformedMessage)
        }
    }

    @Test func aRequestThatIsTooLongIsNotSent() async throws {
        try await withClient {
            $0.maxSentMessageBytes = 100
        } _: { client in
            let few = try await add(1, client)
            #expect(few == "OK")
            let many = try await add(20, client)
            #expect(many == "RESOURCE_EXHAUSTED")
        }
    }

    @Test func anAnswerThatIsTooLongIsNotTaken() async throws {
        try await withClient {
            $0.maxReceivedMessageBytes = 100
        } _: { client in
            let few = try await add(1, client)
            #expect(few == "OK")
            let many = try await add(20, client)
            #expect(many == "RESOURCE_EXHAUSTED")
        }
    }

    /// Options that cannot be used, and the words that name the option.
    struct Refusal: Sendable {
        let words: String
        let change: @Sendable (inout ClientOptions) -> Void

        init(_ words: String, _ change: @escaping @Sendable (inout ClientOptions) -> Void) {
            self.words = words
            self.change = change
        }
    }

    @Test(arguments: [
        Refusal("servers: name at least one") { $0.servers = [] },
        Refusal("servers: ") { $0.servers.append(.host("http://example", port: 7450)) },
        Refusal("servers: ") { $0.servers.append(.host("example", port: 0)) },
        Refusal("servers: ") { $0.servers.append(.host("", port: 7450)) },
        Refusal("servers: ") { $0.servers.append(.host("a\nb", port: 7450)) },
        Refusal("servers: ") { $0.servers.append(.host("a\0b", port: 7450)) },
        Refusal("servers: ") { $0.servers.append(.host("relätion.example", port: 7450)) },
        Refusal("servers: the port 65536 ") { $0.servers.append(.host("example", port: 65_536)) },
        Refusal("servers: the port -1 ") { $0.servers.append(.host("127.0.0.1", port: -1)) },
        Refusal("servers: ") { $0.servers.append(.host("::1", port: .max)) },
        Refusal("servers: ") { $0.servers.append(.unixSocket(path: "")) },
        Refusal("servers: ") { $0.servers.append(.unixSocket(path: "/run/a\0b")) },
        Refusal("servers: name at most 100") {
            $0.servers = (0...100).map { .host("server-\($0)", port: 7450) }
        },
        Refusal("credential: the key is empty") { $0.credential = .apiKey("") },
        Refusal("credential: the key has the end of a line") { $0.credential = .apiKey("key\n") },
        Refusal("credential: the signature has the end of a line") {
            $0.credential = .userSig("sig\r\n")
        },
        Refusal("credential: the key begins") { $0.credential = .apiKey("key ") },
        Refusal("credential: the key has characters") { $0.credential = .apiKey("schlüssel") },
        Refusal("credential: the key has 8193 bytes") {
            $0.credential = .apiKey(String(repeating: "k", count: 8_193))
        },
        Refusal("timeout: ") { $0.timeout = .seconds(-1) },
        Refusal("timeout: ") { $0.timeout = .seconds(Int64.min) },
        Refusal("keepalive: ") { $0.keepalive = .seconds(Int64.min) },
        Refusal("maxReceivedMessageBytes: ") { $0.maxReceivedMessageBytes = .max },
        Refusal("maxSentMessageBytes: ") { $0.maxSentMessageBytes = .max },
        Refusal("retries.longestWait: ") { $0.retries?.longestWait = .seconds(Int64.max) },
        Refusal("retries.firstWait: ") { $0.retries?.firstWait = .seconds(Int64.min) },
        Refusal("retries.jitter: ") { $0.retries?.jitter = .nan },
        Refusal("security: serverName ") { $0.security = .tls(serverName: "") },
        Refusal("security: serverName ") { $0.security = .tls(serverName: "a\nb") },
        Refusal("timeout: ") { $0.timeout = .zero },
        Refusal("keepalive: ") { $0.keepalive = ClientOptions.leastKeepalive - .nanoseconds(1) },
        Refusal("keepalive: ") { $0.keepalive = ClientOptions.longestKeepalive + .nanoseconds(1) },
        Refusal("maxReceivedMessageBytes: ") { $0.maxReceivedMessageBytes = 0 },
        Refusal("maxSentMessageBytes: ") { $0.maxSentMessageBytes = -1 },
        Refusal("retries.maxAttempts: ") { $0.retries?.maxAttempts = 0 },
        Refusal("retries.maxAttempts: ") { $0.retries?.maxAttempts = RetryPolicy.mostAttempts + 1 },
        Refusal("retries.firstWait: ") { $0.retries?.firstWait = .zero },
        Refusal("retries.longestWait: ") { $0.retries?.longestWait = .milliseconds(99) },
        Refusal("retries.multiplier: ") { $0.retries?.multiplier = 0.9 },
        Refusal("retries.multiplier: ") { $0.retries?.multiplier = .nan },
        Refusal("retries.multiplier: ") {
            $0.retries?.multiplier = RetryPolicy.highestMultiplier.nextUp
        },
        Refusal("retries.jitter: ") { $0.retries?.jitter = 1.01 },
        Refusal("retries.jitter: ") { $0.retries?.jitter = -0.01 },
        Refusal("retries.budget.tokens: ") { $0.retries?.budget?.tokens = 0 },
        Refusal("retries.budget.tokens: ") {
            $0.retries?.budget?.tokens = RetryBudget.mostTokens + 1
        },
        Refusal("retries.budget.ratio: ") { $0.retries?.budget?.ratio = 0 },
        Refusal("retries.budget.ratio: ") {
            $0.retries?.budget?.ratio = RetryBudget.highestRatio.nextUp
        },
        Refusal("security: ") { $0.security = .tls(authorities: .file("/no/such/file")) },
        Refusal("security: ") { $0.security = .tls(authorities: .bytes([1, 2, 3])) },
    ])
    func optionsThatCannotBeUsedAreRefusedInWords(_ refusal: Refusal) throws {
        var options = ClientOptions(host: "relation.example")
        refusal.change(&options)
        let error = #expect(throws: OptionsError.self) { try Client(options) }
        #expect(error?.description.hasPrefix(refusal.words) == true, "\(String(describing: error))")
    }

    @Test func optionsAtTheirBoundsAreTaken() throws {
        var options = ClientOptions(servers: [
            .host("::1", port: 1), .host("relation.example", port: 65_535),
            .unixSocket(path: "/run/relation.sock"),
        ])
        options.keepalive = ClientOptions.leastKeepalive
        options.retries?.maxAttempts = RetryPolicy.mostAttempts
        options.retries?.multiplier = RetryPolicy.highestMultiplier
        options.retries?.budget = RetryBudget(
            tokens: RetryBudget.mostTokens, ratio: RetryBudget.highestRatio)
        _ = try Client(options)
        options.keepalive = ClientOptions.longestKeepalive
        options.retries?.maxAttempts = 1
        options.retries?.multiplier = 1
        options.retries?.budget = RetryBudget(tokens: 1, ratio: 0.001)
        _ = try Client(options)
        options.keepalive = nil
        options.retries?.budget = nil
        _ = try Client(options)
    }
}
