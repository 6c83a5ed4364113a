import PeerSupport
import RelationAPI
import RelationClientTesting
import RelationModel
import Synchronization
import Testing

@testable import RelationClient

/// The server in the memory of a test.
@Suite(.endsWhenHung)
struct RelationDoubleTests {
    private static let away = CallError(code: .unavailable, message: "away")

    private static let refusal = CallError(
        code: .notFound, message: "no account", reason: "USER_NOT_FOUND",
        metadata: ["user_id": "ann"], violations: [.init(field: "user_id", rule: "is an account")],
        retryAfter: .milliseconds(1_500))

    private func friendsDouble() -> RelationDouble {
        let double = RelationDouble()
        double.answer(FriendMethods.listFriends) { request in
            .with {
                $0.friends = [.with { $0.userID = "\(request.userID)\(request.pageToken)" }]
                $0.nextPageToken = request.pageToken.isEmpty ? "2" : ""
            }
        }
        return double
    }

    @Test func aListIsReadFromADoublePageByPage() async throws {
        let double = friendsDouble()
        let client = try double.client()
        let options = CallOptions(metadata: ["x-test": "inbox"])
        let friends = try await client.friends(of: "ann", options: options).all()
        #expect(friends.map(\.userID) == ["ann", "ann2"])
        let requests = double.requests(of: FriendMethods.listFriends)
        #expect(requests.map(\.pageToken) == ["", "2"])
        let metadata = double.metadata(of: FriendMethods.listFriends)
        #expect(metadata.map { $0["x-test"] } == ["inbox", "inbox"])
    }

    @Test func aFaultThatPassesIsTriedAgain() async throws {
        let double = friendsDouble()
        double.fail(FriendMethods.listFriends, times: 2, Self.away)
        let client = try double.client(.patient(port: 1))
        try await client.read()
        #expect(double.requests(of: FriendMethods.listFriends).count == 3)
    }

    @Test func aFaultComesAsItWasGiven() async throws {
        let double = friendsDouble()
        double.fail(FriendMethods.listFriends, Self.refusal)
        let client = try double.client()
        for _ in 1...2 { #expect(await failure { try await client.read() } == Self.refusal) }
        let unknown = await failure { try await client.write() }
        #expect(unknown?.code == .unimplemented)
        #expect(unknown?.message == "the double has no answer for \(FriendMethods.addFriends.path)")
    }

    @Test func anAnswerThatDoesNotComeEndsWithTheTimeOut() async throws {
        let double = RelationDouble()
        double.answer(FriendMethods.listFriends) { _ in
            try await Task.sleep(for: .seconds(3_600))
            return .init()
        }
        let client = try double.client()
        let options = CallOptions(timeout: .milliseconds(10), retries: false)
        let error = await failure { try await client.read(options: options) }
        #expect(error?.code == .deadlineExceeded)
    }

    @Test func aStreamIsServedUntilItsFunctionEnds() async throws {
        let double = RelationDouble()
        double.serve(AccountMethods.importAccounts) { stream in
            var users: [String] = []
            while let request = try await stream.next() {
                if let row = request.row { users.append(row.userID) }
            }
            for _ in users { try stream.send(.init()) }
            throw Self.refusal
        }
        let client = try double.client()
        let stream = client.stream(AccountMethods.importAccounts)
        try await stream.send(contentsOf: [
            .with { $0.row = .with { $0.userID = "ann" } },
            .with { $0.row = .with { $0.userID = "ben" } },
        ])
        stream.finishSending()
        _ = try await stream.next()
        _ = try await stream.next()
        #expect(await failure { _ = try await stream.next() } == Self.refusal)
    }

    @Test func changesGoOnOverTheStreamsOfADouble() async throws {
        let double = RelationDouble()
        let count = Mutex(0)
        double.serve(ChangeMethods.watch) { stream in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let request = try await stream.next()
            try stream.send(.with { $0.resumeToken = "\(request?.resumeToken ?? "")\(number)" })
            throw Self.away
        }
        double.fail(ChangeMethods.watch, times: 1, Self.away)
        let client = try double.client()
        let changes = client.changes(.with { $0.scope = .userID("ann") }).makeAsyncIterator()
        #expect(try await changes.next()?.resumeToken == "1")
        #expect(try await changes.next()?.resumeToken == "12")
    }

    @Test func theFunctionOfAStreamIsCancelledWithIt() async throws {
        let double = RelationDouble()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        double.serve(ChangeMethods.watch) { stream in
            while try await stream.next() != nil {}
            try? await Task.sleep(for: .seconds(3_600))
            end.finish()
        }
        let client = try double.client()
        let stream = client.stream(ChangeMethods.watch)
        stream.cancel()
        for await _ in ends {}
        #expect(await failure { _ = try await stream.next() }?.code == .cancelled)
    }

    private final class Seen: ClientInterceptor {
        let users = Mutex<[String]>([])

        func intercept<Answer: Sendable>(
            _ call: CallContext, _ next: (CallContext) async throws -> Answer
        ) async throws -> Answer {
            if let request = call.request(of: FriendMethods.listFriends) {
                users.withLock { $0.append(request.userID) }
            }
            return try await next(call)
        }
    }

    @Test func anInterceptorSeesTheRequestWithItsType() async throws {
        let seen = Seen()
        var options = ClientOptions()
        options.interceptors = [seen]
        options.retries = nil
        let client: any RelationCaller = try friendsDouble().client(options)
        _ = try await client.call(
            FriendMethods.listFriends, ListFriendsRequest.with { $0.userID = "ann" })
        await #expect(throws: CallError.self) {
            _ = try await client.call(
                FriendMethods.addFriends, AddFriendsRequest.with { $0.userID = "ben" })
        }
        #expect(seen.users.withLock { $0 } == ["ann"])
    }
}
