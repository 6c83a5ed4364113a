import PeerSupport
import Protobuf
import RelationAPI
import RelationClientTesting
import RelationModel
import Synchronization
import Testing

@testable import RelationClient

/// A client that reads its own writes: what its reads name, and for how long.
@Suite(.endsWhenHung)
struct OwnSequencesTests {
    private let double = RelationDouble()
    private let clock = FakeClock()

    init() {
        let sequences = Mutex<[String: Int64]>([:])
        double.answer(FriendMethods.addFriends) { request in
            let next = sequences.withLock { sequences in
                sequences[request.userID, default: 0] += 1
                return sequences[request.userID] ?? 0
            }
            return .with { $0.sequence = next }
        }
        double.answer(FriendMethods.listFriends) { _ in ListFriendsResponse() }
        double.answer(AppMethods.getApp) { _ in GetAppResponse() }
    }

    private func client(_ reads: Bool = true) throws -> Client {
        var options = ClientOptions()
        options.retries = nil
        options.readsOwnWrites = reads
        return Client(
            options, try options.configuration(), ClientClock(clock), .system, double: double)
    }

    private func write(
        _ client: Client, for user: String, options: CallOptions = CallOptions()
    ) async throws {
        let request = AddFriendsRequest.with {
            $0.userID = user
            $0.items = [.with { $0.userID = "friend" }]
        }
        _ = try await client.call(FriendMethods.addFriends, request, options: options)
    }

    /// The sequence that a read for the user names.
    private func named(
        _ client: Client, for user: String, options: CallOptions = CallOptions(),
        _ own: ReadOptions? = nil
    ) async throws -> MinSequence? {
        let request = ListFriendsRequest.with {
            $0.userID = user
            $0.options = own
        }
        _ = try await client.call(FriendMethods.listFriends, request, options: options)
        return double.requests(of: FriendMethods.listFriends).last?.options?.minSequence
    }

    private func least(_ user: String, _ sequence: Int64) -> MinSequence {
        .with {
            $0.userID = user
            $0.sequence = sequence
        }
    }

    @Test func aReadNamesTheGreatestSequenceOfItsUser() async throws {
        let client = try client()
        #expect(try await named(client, for: "ann") == nil)
        for _ in 0..<3 { try await write(client, for: "ann") }
        try await write(client, for: "ben")
        #expect(try await named(client, for: "ann") == least("ann", 3))
        #expect(try await named(client, for: "ben") == least("ben", 1))
        // A view with the last write has the earlier ones.
        #expect(try await named(client, for: "cat") == least("ben", 1))
    }

    @Test func withoutTheOptionNothingIsNamed() async throws {
        let client = try client(false)
        try await write(client, for: "ann")
        #expect(try await named(client, for: "ann") == nil)
        #expect(!ClientOptions().readsOwnWrites)
    }

    @Test func whatTheRequestNamesStays() async throws {
        let client = try client()
        for _ in 0..<3 { try await write(client, for: "ann") }
        let own = ReadOptions.with { $0.minSequence = .with { $0.sequence = 2 } }
        #expect(try await named(client, for: "ann", own)?.sequence == 2)
        let choice = ReadOptions.with { $0.ifBehind = .fail }
        #expect(try await named(client, for: "ann", choice) == least("ann", 3))
        let sent = double.requests(of: FriendMethods.listFriends).last?.options
        #expect(sent?.ifBehind == .fail)
    }

    @Test func eachAppHasItsOwn() async throws {
        let client = try client()
        let other = CallOptions(metadata: ["x-app-id": "7"])
        try await write(client, for: "ann")
        try await write(client, for: "ann", options: other)
        #expect(try await named(client, for: "ann") == least("ann", 1))
        #expect(try await named(client, for: "ann", options: other) == least("ann", 2))
        #expect(
            try await named(client, for: "cat", options: CallOptions(metadata: ["x-app-id": "8"]))
                == nil)
    }

    @Test func anEmptyIDIsNamedForTheSameCallerAlone() async throws {
        let client = try client()
        try await write(client, for: "")
        #expect(try await named(client, for: "") == least("", 1))
        #expect(try await named(client, for: "cat") == nil)
    }

    @Test func aReadThatActsForNoUserNamesNothing() async throws {
        let client = try client()
        try await write(client, for: "ann")
        _ = try await client.call(AppMethods.getApp, GetAppRequest())
        #expect(double.requests(of: AppMethods.getApp).last?.options == nil)
    }

    @Test func aSequenceIsForgottenWhenNoAnswerIsOlder() async throws {
        let client = try client()
        try await write(client, for: "ann")
        clock.advance(by: OwnWrites.life - .milliseconds(1))
        #expect(try await named(client, for: "ann") == least("ann", 1))
        clock.advance(by: .milliseconds(1))
        #expect(try await named(client, for: "ann") == nil)
    }

    @Test func aSequenceThatTheServerNeverIssuedIsForgotten() async throws {
        let client = try client()
        try await write(client, for: "ann")
        let refusal = CallError(
            code: .invalidArgument, message: "never issued", reason: "SEQUENCE_NOT_ISSUED")
        double.fail(FriendMethods.listFriends, times: 1, refusal)
        #expect(try await named(client, for: "ann") == nil)
        #expect(double.requests(of: FriendMethods.listFriends).count == 2)
        #expect(try await named(client, for: "ann") == nil)
    }

    @Test func asManyUsersAreRememberedAsTheLimitSays() async throws {
        let client = try client()
        for number in 0..<(OwnWrites.mostUsers + 10) { try await write(client, for: "u\(number)") }
        let count = try #require(client.ownWrites?.count)
        #expect(count <= OwnWrites.mostUsers && count >= OwnWrites.mostUsers / 2)
        let last = OwnWrites.mostUsers + 9
        #expect(try await named(client, for: "u0") == least("u\(last)", 1))
        #expect(try await named(client, for: "u\(last)") == least("u\(last)", 1))
    }

    @Test func anEventOfAStreamCountsAsAWrite() async throws {
        let client = try client()
        double.serve(ChangeMethods.watch) { stream in
            _ = try await stream.next()
            try stream.send(
                .with {
                    $0.resumeToken = "t"
                    $0.event = .with {
                        $0.kind = .addFriend
                        $0.userID = "ann"
                        $0.sequence = 9
                    }
                })
        }
        let changes = client.changes(.with { $0.scope = .userID("ann") }).makeAsyncIterator()
        _ = try await changes.next()
        #expect(try await named(client, for: "ann") == least("ann", 9))
        #expect(try await named(client, for: "cat") == nil)
    }

    /// The sequence is merged into the options of any read, whatever else they have.
    @Test func everyReadTakesTheSequence() throws {
        var count = 0
        for method in ServiceTable.all
        where [.read, .scan].contains(method.access) && method.shape == .unary {
            count += try check(method.typed) ? 1 : 0
        }
        #expect(count > 30)
    }

    /// Whether the method is a read for a user.
    private func check<M: TypedMethod>(_ typed: M) throws -> Bool {
        let method = typed.method
        var request = M.Request()
        guard let plain = request as Any as? any ReadRequest, type(of: plain).actsForUser else {
            return false
        }
        for number in [1, 127, 128, Int64.max] {
            let token = OwnWrites.Token(user: "annä", sequence: number, time: .zero)
            var bytes = try Client.bytes(of: request, method.requestCoder)
            token.append(to: &bytes)
            request = try Client.message(bytes, method.requestCoder)
            let sent = request as Any as? any ReadRequest
            #expect(sent?.options?.minSequence == least("annä", number), "\(method.path)")
        }
        return true
    }
}
