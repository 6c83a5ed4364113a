import GRPC
import PeerSupport
import RPC
import RelationAPI
import RelationModel
import Testing

@testable import RelationClient

/// Values that no rule allows, or that only just fit: each is refused by name or taken, and none
/// ends the process.
@Suite(.endsWhenHung)
struct ExtremeValueTests {
    private static let durations: [Duration] = [
        .seconds(Int64.min), .seconds(-1), .nanoseconds(-1), .zero, .nanoseconds(1),
        .milliseconds(1), .seconds(1), .seconds(86_400), .seconds(9_223_372_036),
        .seconds(9_223_372_037), .seconds(Int64.max), .milliseconds(Int64.max),
        .seconds(Int64.max) * 18,
    ]

    // MARK: Addresses

    @Test(arguments: [
        ("127.0.0.1", 99_999, "port"), ("127.0.0.1", -1, "port"), ("127.0.0.1", 65_536, "port"),
        ("127.0.0.1", 0, "port"), ("::1", .max, "port"), ("relation.example", .min, "port"),
        ("relation.example", 65_536, "port"), ("http://127.0.0.1", 7450, "URL"),
        ("https://relation.example", 443, "URL"), ("", 7450, "host"), (" ", 7450, "host"),
        ("a\nb", 7450, "host"), ("a/b", 7450, "host"), ("user@host", 7450, "host"),
        (String(repeating: "a", count: 1_000_000), 7450, "host"),
    ])
    func everyCallOfAClientWithoutAGoodAddressSaysWhatIsWrong(
        host: String, port: Int, word: String
    ) async throws {
        let client = Client(host: host, port: port, appID: 0)
        var failures: [CallError?] = []
        failures.append(await failure { try await client.read() })
        failures.append(await failure { try await client.write() })
        failures.append(
            await failure { try await client.read(options: .init(waitsForReady: true)) })
        failures.append(
            await failure { _ = try await client.profiles(of: ["a"], as: "b") })
        failures.append(
            await failure {
                let stream = client.stream(AccountMethods.importAccounts)
                try await stream.send(
                    ImportAccountsRequest.with { $0.row = .with { $0.userID = "a" } })
            })
        failures.append(
            await failure {
                for try await _ in client.changes(WatchRequest.with { $0.scope = .userID("a") }) {}
            })
        failures.append(await failure { _ = try await client.friends(of: "a").all() })
        for failure in failures {
            let error = try #require(failure)
            #expect(error.code == .invalidArgument && error.attempts == 0)
            #expect(error.message.contains("servers: ") && error.message.contains(word))
            #expect(error.message.utf8.count < 1_000)
        }
        await client.close()
        #expect(await failure { try await client.read() } != nil)
    }

    // MARK: Times

    @Test(arguments: durations)
    func everyTimeoutEndsACallOrLetsItEnd(_ time: Duration) async throws {
        try await ScriptedService.run { _ in
            .answer([])
        } _: { client, _, _ in
            let error = await failure { try await client.read(options: .init(timeout: time)) }
            if time <= .zero { #expect(error?.code == .deadlineExceeded) }
            if time >= .seconds(86_400) { #expect(error == nil) }
            let stream = client.stream(FriendMethods.listFriends, options: .init(timeout: time))
            stream.cancel()
        }
        // A real clock, and a server that cannot be reached.
        var options = ClientOptions(host: "127.0.0.1", port: 1)
        options.timeout = time
        guard time > .zero else {
            #expect(throws: OptionsError.self) { try Client(options) }
            return
        }
        let client = try Client(options)
        let error = await failure { try await client.read() }
        #expect([.unavailable, .deadlineExceeded].contains(error?.code))
        await client.close()
    }

    @Test(arguments: durations)
    func everyTimeOfAStreamOfChangesIsTaken(_ time: Duration) async throws {
        let watch = ScriptedWatch()
        let (server, port) = try await watch.start()
        // A time that may run out before the message comes is measured by a clock that stands
        // still.
        let isShort = time > .zero && time < .seconds(86_400)
        let options = ClientOptions(host: "127.0.0.1", port: port)
        let client =
            try isShort
            ? Client(options, clock: FakeClock(), chance: { .random(in: 0 ... .max) })
            : Client(options)
        let rows = [
            ChangesOptions(heartbeat: time),
            ChangesOptions(givesUpAfter: time < .zero ? .zero : time, heartbeat: nil),
        ]
        var opened = watch.opened.makeAsyncIterator()
        for options in rows {
            let changes = client.changes(
                WatchRequest.with { $0.scope = .userID("a") }, options: options)
            let task = Task { try await changes.makeAsyncIterator().next() }
            let stream = try #require(await opened.next())
            try stream.send(WatchResponse.with { $0.resumeToken = "t" })
            let message = try await task.value
            #expect(message?.resumeToken == "t")
        }
        await client.close()
        await server.shutDownGracefully()
    }

    @Test(arguments: [UInt64](0..<200))
    func aPolicyOfRetriesIsRefusedOrTaken(seed: UInt64) async throws {
        var numbers = SeededNumbers(seed: seed)
        let doubles = [-1, 0, 0.001, 0.2, 1, 1.5, 10, 1_000, .infinity, .nan, -.infinity]
        let counts = [Int.min, -1, 0, 1, 2, 5, 100, 1_000, .max]
        var policy = RetryPolicy()
        policy.maxAttempts = counts.randomElement(using: &numbers) ?? 0
        policy.firstWait = Self.durations.randomElement(using: &numbers) ?? .zero
        policy.longestWait = Self.durations.randomElement(using: &numbers) ?? .zero
        policy.multiplier = doubles.randomElement(using: &numbers) ?? 0
        policy.jitter = doubles.randomElement(using: &numbers) ?? 0
        policy.budget = RetryBudget(
            tokens: counts.randomElement(using: &numbers) ?? 0,
            ratio: doubles.randomElement(using: &numbers) ?? 0)
        guard policy.problem == nil else { return }
        var repetition = Repetition(policy, isSafe: true)
        let tokens = RetryTokens(policy.budget)
        let error = RPCError(.unavailable, "away")
        for attempts in 1...200 {
            let failure = CallError(error, attempts: attempts)
            let wait = repetition.wait(after: error, failure, tokens, .system)
            #expect(wait.map { $0 >= .zero } ?? true)
            tokens.addForSuccess()
        }
    }

    // MARK: Others

    @Test(arguments: [
        ("", "a"), ("A", "a"), (":path", "/x"), ("te", "x"), ("a b", "c"), ("a", "line\nend"),
        ("a", "\0"), ("a-bin", "x"), ("grpc-timeout", "1S"), ("ä", "b"), ("a", "ä"),
    ])
    func metadataThatCannotBeSentIsNamed(name: String, value: String) async throws {
        try await ScriptedService.run { _ in
            .answer([])
        } _: { client, service, _ in
            var options = CallOptions()
            options.metadata.append(name, value)
            let error = try #require(await failure { try await client.read(options: options) })
            #expect(error.code == .invalidArgument)
            #expect(error.message.contains("metadata"))
            #expect(service.seen.isEmpty)
        }
    }

    @Test(arguments: [Int.min, -1, 0, 1, .max])
    func aCacheTakesEveryBound(_ count: Int) async throws {
        var options = ProfileCacheOptions()
        options.entries = count
        options.bytes = count
        options.maxAge = count < 0 ? .seconds(Int64.min) : .seconds(Int64.max)
        options.missingAge = options.maxAge ?? .zero
        options.fields = ["nick"]
        try await ProfileService.run { service in
            try await service.make("alice", "bob")
            let cache = ProfileCache(service.client, options: options)
            for _ in 0..<2 {
                let found = try await cache.profiles(of: ["bob", "unknown", ""], as: "alice")
                #expect(found.count == 3 && found[0].profile?.nick == "bob")
            }
            #expect(try await cache.profiles(of: [], as: "").isEmpty)
        }
    }

    @Test func aCredentialThatIsProvidedKeepsTheRules() async throws {
        for credential in [ClientCredential.apiKey("a\n"), .apiKey(""), .userSig(" a")] {
            var options = ClientOptions(host: "127.0.0.1", port: 1)
            options.credential = .provided { credential }
            let client = try Client(options)
            let error = await #expect(throws: OptionsError.self) { try await client.read() }
            #expect(error?.description.hasPrefix("credential: the ") == true)
            await client.close()
        }
    }
}
