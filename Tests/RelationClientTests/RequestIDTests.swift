import GRPC
import Memory
import PeerSupport
import Protobuf
import ProtobufWitness
import RPC
import RelationAPI
import RelationModel
import Synchronization
import Testing

@testable import RelationClient

/// The ids that the client gives to writes, so that no write is done twice.
@Suite(.endsWhenHung) struct RequestIDTests {
    private func options(
        of request: [UInt8]
    ) throws -> WriteOptions? {
        try Client.message(request, FriendMethods.addFriends.requestCoder).options
    }

    @Test func allAttemptsOfACallHaveOneIDAndEachCallAnother() async throws {
        try await ScriptedService.run {
            $0.retries?.budget = nil
        } _: {
            $0.number.isMultiple(of: 3) ? .answer([]) : .fail(RPCError(.unavailable, "away"))
        } _: { client, service, _ in
            for _ in 0..<50 { try await client.write() }
            let ids = try service.seen.map { try options(of: $0.request)?.requestID ?? "" }
            #expect(ids.count == 150)
            for call in 0..<50 {
                #expect(Set(ids[(3 * call)..<(3 * call + 3)]).count == 1)
            }
            #expect(Set(ids).count == 50)
            let length = 2 * RequestIDField.randomBytes
            #expect(ids.allSatisfy { $0.utf8.count == length && $0.utf8.count <= 64 })
        }
    }

    @Test(arguments: [
        WriteOptions.with { $0.requestID = "mine" },
        WriteOptions.with {
            $0.requestID = "mine"
            $0.deviceID = "phone"
        },
        WriteOptions.with { $0.dryRun = true }, WriteOptions.with { $0.deviceID = "phone" },
        WriteOptions.with { $0.allOrNothing = true }, WriteOptions(),
    ])
    func whatTheCallerSetStays(_ own: WriteOptions) async throws {
        try await ScriptedService.run { _ in
            .answer([])
        } _: { client, service, _ in
            let request = AddFriendsRequest.with {
                $0.userID = "ann"
                $0.options = own
                $0.items = [.with { $0.userID = "ben" }]
            }
            _ = try await client.call(FriendMethods.addFriends, request)
            let sent = try Client.message(
                service.seen[0].request, FriendMethods.addFriends.requestCoder)
            var expected = request
            if own.requestID.isEmpty, !own.dryRun {
                expected.options?.requestID = try #require(sent.options).requestID
                #expect(sent.options?.requestID.isEmpty == false)
            }
            #expect(sent == expected)
        }
    }

    @Test func readsHaveNoID() async throws {
        try await ScriptedService.run { _ in
            .answer([])
        } _: { client, service, _ in
            try await client.read()
            let request = ListFriendsRequest.with { $0.userID = "ann" }
            let bytes = try Client.bytes(of: request, FriendMethods.listFriends.requestCoder)
            #expect(service.seen[0].request == bytes)
        }
    }

    @Test func aReportOfPresenceNeedsNoIDAndIsMadeAgain() async throws {
        try await ScriptedService.run {
            $0.number < 3 ? .fail(RPCError(.unavailable, "away")) : .answer([])
        } _: { client, service, _ in
            _ = try await client.call(PresenceMethods.reportPresence, ReportPresenceRequest())
            #expect(service.seen.map(\.request) == [[], [], []])
        }
    }

    /// An id is merged into the options of any write, whatever else the request has.
    @Test func everyWriteTakesTheID() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        var count = 0
        for method in ServiceTable.all where method.access == .write && method.shape == .unary {
            try check(method.typed, seed)
            count += 1
        }
        #expect(count > 30)
    }

    private func check<M: TypedMethod>(_ typed: M, _ seed: UInt64) throws {
        let method = typed.method
        let words: Comment = "seed \(seed): \(method.path)"
        for rarity: UInt64 in [1, 2, 4, .max] {
            let (bytes, plain) = try Arena.temporary { (arena) throws(CodecError) in
                var random = RandomMessages(seed: seed, arena, rarity: rarity)
                let message = random.next(M.Request.self)
                return (try method.requestCoder.bytes(message, arena), message)
            }
            var marked = bytes
            if !RequestIDField.isOnce(bytes) { RequestIDField.append(to: &marked, .system) }
            #expect(RequestIDField.isOnce(marked), words)
            let request = try #require(plain as Any as? any WriteRequest, words)
            try expect(marked, toBe: request, method.requestCoder, words)
        }
    }

    private func expect<W: WriteRequest, M: CodedMessage>(
        _ bytes: [UInt8], toBe request: W, _ coder: Coder<M>, _ words: Comment
    ) throws {
        let sent = try #require(try Client.message(bytes, coder) as? W, words)
        var expected = request
        let id = try #require(sent.options, words).requestID
        var options = expected.options ?? WriteOptions()
        #expect(!id.isEmpty || options.dryRun, words)
        options.requestID = id
        expected.options = options
        #expect(sent == expected, words)
    }

    @Test(
        arguments: [
            [0x12], [0x12, 0x05, 0x0A], [0x0B], [0x80], [0x0F],
            [UInt8](repeating: 0xFF, count: 20),
            [0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        ] as [[UInt8]])
    func bytesThatAreNoMessageAreNotOnce(_ bytes: [UInt8]) {
        #expect(!RequestIDField.isOnce(bytes))
        // Nor if an id stands before them.
        #expect(!RequestIDField.isOnce([0x12, 0x03, 0x0A, 0x01, 0x61] + bytes))
        #expect(RequestIDField.isOnce([0x12, 0x03, 0x0A, 0x01, 0x61]))
    }

    /// A server that does a write once for each id, and loses answers before or after.
    private final class Ledger: Sendable {
        private let state: Mutex<(numbers: SeededNumbers, done: [String: Int], count: Int)>

        init(seed: UInt64) {
            state = Mutex((SeededNumbers(seed: seed), [:], 0))
        }

        /// How often each id came, and how many writes were done.
        var done: [String: Int] { state.withLock { $0.done } }

        func accept(_ id: String) -> ScriptedService.Step {
            state.withLock { state in
                let dice = Int.random(in: 0..<5, using: &state.numbers)
                let lost = RPCError(.unavailable, "the connection was lost")
                if dice == 0 { return .fail(lost) }
                // Without an id each attempt is a write of its own.
                state.count += id.isEmpty ? 1 : 0
                state.done[id.isEmpty ? "none \(state.count)" : id, default: 0] += 1
                return dice < 3 ? .fail(lost) : .answer([])
            }
        }
    }

    @Test(arguments: 0..<5)
    func noWriteIsDoneTwiceWhereAnswersAreLost(round: Int) async throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        let ledger = Ledger(seed: seed)
        try await ScriptedService.run(seed: seed) {
            $0.retries?.maxAttempts = 50
            $0.retries?.budget = nil
        } _: { seen in
            do {
                let request = try Client.message(
                    seen.request, FriendMethods.addFriends.requestCoder)
                return ledger.accept(request.options?.requestID ?? "")
            } catch {
                return .fail(RPCError(.internalError, "\(error)"))
            }
        } _: { client, service, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask { for _ in 0..<25 { try await client.write() } }
                }
                try await group.waitForAll()
            }
            #expect(ledger.done.count == 200, "seed \(seed)")
            #expect(ledger.done.values.contains { $0 > 1 }, "seed \(seed): no answer was lost")
            #expect(service.seen.count > 200)
        }
    }
}
