import GRPC
import Logging
import PeerSupport
import RelationAPI
import RelationCore
import RelationModel
import RelationService
import Storage
import Synchronization
import Testing

@testable import RelationAdmission
@testable import RelationClient

/// Changes of the real service, which is stopped and started again and again.
@Suite(.endsWhenHung)
struct ChangesServiceTests {
    private static let writes = 150
    private static let restarts = 8
    private static let hosts = Atomic(0)

    private let store = MemoryStore()
    /// An address that only this test uses, since another process may take the port meanwhile.
    private let host = "127.0.78.\(hosts.add(1, ordering: .relaxed).newValue)"

    private func start(port: Int = 0) async throws -> (server: RelationServer, port: Int) {
        var settings = AppSettings.tim
        settings.makesAccountsImplicitly = true
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = try RelationServer(
            store: store, authenticator: .open(to: Apps([App(id: 1, settings: settings)])),
            configuration: ServerConfiguration(host: host, port: port),
            descriptors: Contract.descriptors, logger: logger)
        return (server, try await server.start().port)
    }

    /// Adds and deletes friends of a user, each time one, so that each write makes one event.
    private func write(_ client: Client, seed: UInt64) async throws {
        var numbers = SeededNumbers(seed: seed)
        var friends: Set<String> = []
        for _ in 0..<Self.writes {
            let friend = "friend\(Int.random(in: 0..<12, using: &numbers))"
            let results: [FriendResult]
            if friends.insert(friend).inserted {
                let request = AddFriendsRequest.with {
                    $0.userID = "ann"
                    $0.items = [.with { $0.userID = friend }]
                }
                results = try await client.call(
                    FriendMethods.addFriends, request, timeout: .untilHung
                ).results
            } else {
                friends.remove(friend)
                let request = DeleteFriendsRequest.with {
                    $0.userID = "ann"
                    $0.userIDs = [friend]
                }
                results = try await client.call(
                    FriendMethods.deleteFriends, request, timeout: .untilHung
                ).results
            }
            #expect(results.map(\.code) == [.success], "seed \(seed)")
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func aCopyOfTheFriendsStaysRightOverManyRestarts(seed: UInt64) async throws {
        var (server, port) = try await start()
        var options = ClientOptions.patient(host: host, port: port)
        options.waitsForReady = true
        let writer = try Client(options)
        // The copy is begun while nothing is there, or within the writes.
        let writing = Task { try await write(writer, seed: seed) }

        let clock = FakeClock()
        let numbers = Mutex(SeededNumbers(seed: seed))
        let reader = try Client(options, clock: clock) { numbers.withLock { $0.next() } }
        let (lost, tell) = AsyncStream<Duration>.makeStream()
        let waiting = Task {
            for await wait in lost {
                await clock.sleepers(1)
                clock.advance(by: wait)
            }
        }
        let reading = Task {
            let request = WatchRequest.with {
                $0.scope = .userID("ann")
                $0.kinds = [.addFriend, .deleteFriend]
            }
            let options = ChangesOptions(onReconnect: { tell.yield($0.wait) }, heartbeat: nil)
            var copy = FriendCopy()
            for try await message in reader.changes(request, options: options) {
                if let problem = copy.apply(message) {
                    Issue.record("seed \(seed): \(problem)")
                    break
                }
                if copy.isWhole, copy.sequence == Self.writes { break }
            }
            return copy
        }
        var chance = SeededNumbers(seed: seed)
        for _ in 0..<Self.restarts {
            // This server has answered something before it stops.
            _ = try await writer.call(
                FriendMethods.listFriends,
                ListFriendsRequest.with { $0.userID = "bob" }, timeout: .untilHung)
            if Bool.random(using: &chance) { server.cancelRunningCalls() }
            await server.stop()
            server = try await start(port: port).server
        }
        try await writing.value
        let copy = try await reading.value
        let friends = try await writer.friends(of: "ann").all()
        #expect(copy.friends == Set(friends.map(\.userID)), "seed \(seed)")
        #expect(copy.sequence == Self.writes, "seed \(seed)")
        tell.finish()
        waiting.cancel()
        await reader.close()
        await writer.close()
        await server.stop()
    }
}
