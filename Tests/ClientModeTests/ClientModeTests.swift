import RelationClient
import Testing

// This module has Swift's features `NonisolatedNonsendingByDefault` and `defaultIsolation` of the
// main actor. The code that an application writes with them compiles here, and runs.

/// The article's interceptor.
nonisolated struct Sourced: ClientInterceptor {
    let source: String

    func intercept<Answer: Sendable>(
        _ call: CallContext, _ next: @concurrent (CallContext) async throws -> Answer
    ) async throws -> Answer {
        var call = call
        call.options.metadata["x-request-source"] = source
        return try await next(call)
    }
}

/// An interceptor of the main actor.
@MainActor final class Counting: ClientInterceptor {
    var calls = 0

    func intercept<Answer: Sendable>(
        _ call: CallContext, _ next: @Sendable @concurrent (CallContext) async throws -> Answer
    ) async throws -> Answer {
        calls += 1
        return try await next(call)
    }
}

/// An interceptor that is an actor.
actor Remembering: ClientInterceptor {
    private(set) var paths: [String] = []

    func intercept<Answer: Sendable>(
        _ call: CallContext, _ next: @Sendable @concurrent (CallContext) async throws -> Answer
    ) async throws -> Answer {
        paths.append(call.path)
        return try await next(call)
    }
}

struct ClientModeTests {
    private func credential() async throws -> ClientCredential { .apiKey("key") }

    @Test func interceptorsOfEveryIsolationRun() async throws {
        let (counting, remembering) = (Counting(), Remembering())
        var options = ClientOptions(host: "127.0.0.1", port: 1)
        options.interceptors = [Sourced(source: "inbox"), counting, remembering]
        options.retries = nil
        options.credential = .provided { try await credential() }
        let client = try Client(options)
        let request = CheckFriendsRequest.with {
            $0.userID = "alice"
            $0.userIDs = ["bob"]
        }
        await #expect(throws: CallError.self) {
            try await client.call(FriendMethods.checkFriends, request)
        }
        #expect(counting.calls == 1)
        #expect(await remembering.paths == [FriendMethods.checkFriends.path])
        await client.close()
    }

    @Test func loopsAndClosuresOfTheClientCompile() async throws {
        let client = Client(host: "127.0.0.1", port: 1)
        var received = 0
        let options = ChangesOptions(
            onReconnect: { reconnection in
                Task { @MainActor in print(reconnection.attempt) }
            }, givesUpAfter: .zero)
        do {
            for try await message in client.changes(
                WatchRequest.with { $0.scope = .userID("a") }, options: options)
            {
                received += message.event == nil ? 0 : 1
            }
        } catch let error as CallError {
            #expect(error.code == .unavailable)
        }
        await client.close()
        await #expect(throws: CallError.self) { try await client.friends(of: "a").all() }
        await #expect(throws: CallError.self) {
            for try await page in client.loggedChanges(of: "a", since: 1) {
                received += page.events.count
            }
        }
        let stream = client.stream(AccountMethods.importAccounts)
        let sender = Task {
            try await stream.send(
                ImportAccountsRequest.with { $0.row = .with { $0.userID = "a" } })
        }
        await #expect(throws: CallError.self) { for try await _ in stream { received += 1 } }
        await #expect(throws: CallError.self) { try await sender.value }
        await #expect(throws: CallError.self) { _ = try await client.profiles(of: ["a"], as: "b") }
        #expect(received == 0)
    }
}
