import GRPC
import PeerSupport
import RPC
import RelationAPI
import RelationCalls
import RelationModel
import Synchronization
import Testing

@testable import RelationClient

/// Random histories in which the service breaks its streams wherever it likes.
@Suite(.endsWhenHung)
struct ChangesHistoryTests {
    /// Events of one history, and about how many messages come between two breaks.
    private static let events = 250
    private static let messagesPerBreak = 6

    @Test(arguments: 0..<20 as Range<UInt64>)
    func noChangeIsMissedOrSentTwice(seed: UInt64) async throws {
        let clock = FakeClock()
        let watch = ScriptedWatch()
        let (server, port) = try await watch.start()
        let numbers = Mutex(SeededNumbers(seed: seed))
        let client = try Client(
            ClientOptions.patient(port: port), clock: clock
        ) { numbers.withLock { $0.next() } }

        let service = Task {
            var log = FriendLog(seed: seed)
            for await stream in watch.opened { try log.serve(stream, atLeast: Self.events) }
            return log
        }
        let (lost, tell) = AsyncStream<Duration>.makeStream()
        let waiting = Task {
            for await wait in lost {
                await clock.sleepers(1)
                clock.advance(by: wait)
            }
        }
        let options = ChangesOptions(onReconnect: { tell.yield($0.wait) }, heartbeat: nil)
        var copy = FriendCopy()
        for try await message in client.changes(
            WatchRequest.with { $0.scope = .userID("a") }, options: options)
        {
            if let problem = copy.apply(message) {
                Issue.record("seed \(seed): \(problem)")
                break
            }
            if copy.isWhole, copy.sequence >= Self.events { break }
        }
        tell.finish()
        waiting.cancel()
        await client.close()
        await server.shutDownGracefully()
        watch.close()
        let log = try await service.value
        #expect(log.breaks > Self.events / Self.messagesPerBreak / 4, "seed \(seed)")
        #expect(copy.friends == log.friends(at: copy.sequence), "seed \(seed)")
        #expect(log.refusedTokens == 0, "seed \(seed): a token that was void")
    }
}

/// The log of one user's friends, as a service tells it that fails all the time.
private struct FriendLog {
    private struct Change {
        let friend: String
        let isAdded: Bool
    }

    /// Rows of the present state in one message.
    private static let rowsPerMessage = 3

    private var numbers: SeededNumbers
    private var changes: [Change] = []
    /// The first sequence that the log still has.
    private var first = 1
    private(set) var breaks = 0
    /// Tokens of a client that had got RESYNC since.
    private(set) var refusedTokens = 0
    /// Tokens are good from this sequence on, since the client got RESYNC.
    private var leastToken = 0

    init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed ^ 0xC4A9_6E5)
    }

    private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &numbers) == 0 }

    func friends(at sequence: Int) -> Set<String> {
        var friends: Set<String> = []
        for change in changes.prefix(sequence) {
            if change.isAdded {
                friends.insert(change.friend)
            } else {
                friends.remove(change.friend)
            }
        }
        return friends
    }

    private mutating func change() {
        let friends = friends(at: changes.count)
        if chance(3), let gone = friends.sorted().randomElement(using: &numbers) {
            changes.append(Change(friend: gone, isAdded: false))
        } else {
            changes.append(Change(friend: "friend\(changes.count)", isAdded: true))
        }
        if chance(60) { first = max(first, changes.count - 5) }
    }

    private func event(_ sequence: Int) -> WatchResponse {
        let change = changes[sequence - 1]
        return WatchResponse.with {
            $0.resumeToken = "\(sequence)"
            $0.event = .with {
                $0.kind = change.isAdded ? .addFriend : .deleteFriend
                $0.items = [.with { $0.userID = change.friend }]
                $0.userID = "a"
                $0.sequence = Int64(sequence)
            }
        }
    }

    /// The messages of a stream that begins at a token, and the token after each of them.
    private mutating func messages(from token: String) -> [WatchResponse] {
        var messages: [WatchResponse] = []
        var sequence = Int(token)
        let isVoid = token == "nowhere" || sequence.map { $0 + 1 < first } ?? false
        if isVoid {
            messages.append(
                WatchResponse.with { $0.event = .with { $0.kind = .resync } })
        }
        if isVoid || sequence == nil {
            sequence = changes.count
            var rows = friends(at: changes.count).sorted()
            rows.shuffle(using: &numbers)
            while !rows.isEmpty {
                let items = rows.prefix(Self.rowsPerMessage).map { friend in
                    ChangeItem.with { $0.userID = friend }
                }
                rows.removeFirst(items.count)
                messages.append(
                    WatchResponse.with {
                        $0.event = .with {
                            $0.kind = .state
                            $0.items = items
                            $0.syncType = .friends
                        }
                    })
            }
            messages.append(
                WatchResponse.with {
                    $0.resumeToken = "\(changes.count)"
                    $0.event = .with {
                        $0.kind = .syncCompleted
                        $0.sequence = Int64(changes.count)
                        $0.syncType = .friends
                    }
                })
        }
        var next = (sequence ?? 0) + 1
        while next <= changes.count {
            messages.append(event(next))
            next += 1
        }
        messages.append(WatchResponse.with { $0.resumeToken = "\(changes.count)" })
        for _ in 0..<Int.random(in: 0...8, using: &numbers) {
            change()
            messages.append(event(changes.count))
        }
        return messages
    }

    /// Tells some of the messages that are due, and then breaks the stream in one of many ways.
    mutating func serve(_ stream: ScriptedWatch.Opened, atLeast events: Int) throws {
        breaks += 1
        if chance(5) {
            let busy: [RPCError] = [
                RPCError(.resourceExhausted, .overloaded, "busy", .retryAfter(milliseconds: 100)),
                RPCError(.resourceExhausted, .throttled, "later", .retryAfter(milliseconds: 3_000)),
                RPCError(.resourceExhausted, "the answers are read too slowly"),
                RPCError(.unavailable, "no server here"), RPCError(.cancelled, "a proxy ended it"),
            ]
            return stream.fail(busy.randomElement(using: &numbers) ?? busy[0])
        }
        for _ in 0..<Int.random(in: 0...5, using: &numbers) { change() }
        let token = stream.request.resumeToken
        if let number = Int(token), number < leastToken { refusedTokens += 1 }
        let all = messages(from: token)
        let count = chance(4) ? all.count : Int.random(in: 0...all.count, using: &numbers)
        var last = token
        for message in all.prefix(count) {
            try stream.send(message)
            last = message.resumeToken.isEmpty ? "nowhere" : message.resumeToken
            if message.event?.kind == .resync { leastToken = changes.count - 8 }
        }
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: stream.fail(RPCError(.unavailable, "the connection was lost"))
        case 1: stream.finish()
        case 2:
            stream.fail(RPCError(.aborted, .slowReader, "slow", metadata: ["resume_token": last]))
        default:
            stream.fail(RPCError(.unavailable, .stopping, "stop", metadata: ["resume_token": last]))
        }
    }
}
