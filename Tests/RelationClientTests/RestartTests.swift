import GRPC
import GRPCClient
import Logging
import NIOCore
import PeerSupport
import Protobuf
import RPC
import RelationAPI
import RelationClient
import RelationCore
import RelationModel
import RelationRuntime
import RelationService
import Storage
import Synchronization
import Testing

@testable import RelationAdmission

/// Our client, with servers that stop and come back.
@Suite(.endsWhenHung)
struct RestartTests {
    private static let hosts = Atomic(0)

    private let store = HeldStore()
    /// An address that only this test uses.
    ///
    /// On a shared one, another process may take the port while the server is away.
    private let host = "127.0.77.\(hosts.add(1, ordering: .relaxed).newValue)"

    private func start(
        port: Int = 0, store: HeldStore? = nil
    ) async throws -> (server: RelationServer, port: Int) {
        var settings = AppSettings.tim
        settings.makesAccountsImplicitly = true
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        var configuration = ServerConfiguration(host: host, port: port)
        // On a busy machine a held store may take longer to be let go than the usual grace.
        configuration.graceSeconds = 20 * 60
        let server = try RelationServer(
            store: store ?? self.store,
            authenticator: .open(to: Apps([App(id: 1, settings: settings)])),
            configuration: configuration, descriptors: Contract.descriptors, logger: logger)
        return (server, try await server.start().port)
    }

    /// - Parameter goesOn: Whether calls wait for the server and are made again.
    private func client(_ port: Int, goesOn: Bool = true) throws -> Client {
        var options = ClientOptions.patient(host: host, port: port)
        options.waitsForReady = goesOn
        if !goesOn { options.retries = nil }
        return try Client(options)
    }

    private func adding(_ friend: String, to user: String, id: String = "") -> AddFriendsRequest {
        var request = AddFriendsRequest()
        request.userID = user
        var item = AddFriend()
        item.userID = friend
        request.items = [item]
        if !id.isEmpty {
            var options = WriteOptions()
            options.requestID = id
            request.options = options
        }
        return request
    }

    @Test func writesThatWaitForTheStoreWhenTheServerStopsAreAnswered() async throws {
        let (server, port) = try await start()
        let client = try client(port, goesOn: false)
        _ = try await client.call(FriendMethods.addFriends, adding("b", to: "a"))
        let health = Channel(ClientConfiguration(host: host, port: port))
        let watch = health.serverStreaming("/grpc.health.v1.Health/Watch", [])
        #expect(try await watch.next() == [8, 1])
        store.hold()
        let writes = (0..<40).map { number in
            Task {
                try await client.call(
                    FriendMethods.addFriends, adding("friend\(number)", to: "a\(number)"))
            }
        }
        await store.held()
        let stop = Task { await server.stop() }
        // The end of this watch shows that the connections knew of the stop.
        #expect(try await watch.next() == [8, 2])
        await #expect(throws: RPCError(.unavailable, "")) { try await watch.next() }
        store.release()
        var answered = 0
        for write in writes {
            // A write that had not reached the server by then was not accepted, and fails safely.
            if case .success(let answer) = await write.result {
                #expect(answer.results.map(\.code) == [.success])
                answered += 1
            }
        }
        #expect(answered > 0)
        await stop.value
        await health.close()
        await client.close()
    }

    @Test(arguments: [false, true])
    func readsAndWritesGoOnOverRestarts(cancels: Bool) async throws {
        var (server, port) = try await start()
        let client = try client(port)
        let isDone = Flag()
        let writers = (0..<4).map { writer in
            Task {
                var count = 0
                while !isDone.isSet {
                    count += 1
                    let answer = try await client.call(
                        FriendMethods.addFriends,
                        adding("friend\(count)", to: "user\(writer)"),
                        timeout: .untilHung)
                    // A second execution would be refused, since the friend would exist already.
                    #expect(answer.results.map(\.code) == [.success])
                    var list = ListFriendsRequest()
                    list.userID = "user\(writer)"
                    let page = try await client.call(
                        FriendMethods.listFriends, list, timeout: .untilHung)
                    #expect(page.totalSize == Int32(count))
                }
                return count
            }
        }
        for _ in 0..<6 {
            // This server has answered something before it stops.
            _ = try await client.call(
                FriendMethods.addFriends, adding("x", to: "y"), timeout: .untilHung)
            if cancels { server.cancelRunningCalls() }
            await server.stop()
            server = try await start(port: port).server
        }
        isDone.set()
        for writer in writers { #expect(try await writer.value > 0) }
        await client.close()
        await server.stop()
    }

    @Test func changesGoOnOverRestarts() async throws {
        var (server, port) = try await start()
        let client = try client(port)
        _ = try await client.call(FriendMethods.addFriends, adding("x", to: "ann"))
        var request = WatchRequest()
        request.scope = .userID("ann")
        request.kinds = [.addFriend]
        let changes = client.changes(request).makeAsyncIterator()
        var sequences: [Int64] = []
        for round in 0..<4 {
            _ = try await client.call(
                FriendMethods.addFriends, adding("friend\(round)", to: "ann", id: "r\(round)"),
                timeout: .untilHung)
            while sequences.count <= round {
                let answer = try #require(try await changes.next())
                guard let event = answer.event else { continue }
                if event.kind == .addFriend { sequences.append(event.sequence) }
                if round == 0, event.kind == .state, event.sequence > 1 {
                    // The state was read after the first of the events.
                    sequences.append(event.sequence)
                }
            }
            await server.stop()
            server = try await start(port: port).server
        }
        #expect(sequences == [2, 3, 4, 5])
        await client.close()
        await server.stop()
    }

    @Test func aWriteWithoutRequestIDIsNotMadeTwice() async throws {
        let (server, port) = try await start()
        let client = try client(port)
        _ = try await client.call(FriendMethods.addFriends, adding("b", to: "a"))
        store.hold()
        // Without retries the client makes no request id.
        let lost = Task {
            try await client.call(
                FriendMethods.addFriends, adding("c", to: "a"), options: CallOptions(retries: false)
            )
        }
        await store.held()
        let kept = Task {
            try await client.call(
                FriendMethods.addFriends, adding("d", to: "a", id: "once"), timeout: .untilHung)
        }
        let stop = Task { await server.stop() }
        server.cancelRunningCalls()
        // The write may have been done: only the caller can decide how to go on.
        do {
            _ = try await lost.value
            Issue.record("the write was answered")
        } catch let error as CallError {
            #expect(error.code == .unavailable)
        }
        store.release()
        await stop.value
        let (next, _) = try await start(port: port)
        let answer = try await kept.value
        #expect(answer.results.map(\.code) == [.success])
        await client.close()
        await next.stop()
    }

    /// A stop waits for commits on a thread of its own: all tasks share one thread a processor.
    @Test func stopsThatWaitForTheStoreHoldUpNoOtherTask() async throws {
        let stores = (0...System.coreCount).map { _ in HeldStore() }
        let isOver = Flag()
        let wasStuck = Flag()
        let watchdog = WorkThread("watchdog")
        watchdog.run(afterMilliseconds: 120_000) {
            if isOver.isSet { return }
            wasStuck.set()
            for store in stores { store.release() }
        }
        var stops: [Task<Void, Never>] = []
        for store in stores {
            let (server, port) = try await start(store: store)
            let client = try client(port, goesOn: false)
            store.hold()
            let write = Task {
                try await client.call(FriendMethods.addFriends, adding("b", to: "a"))
            }
            await store.held()
            stops.append(Task { await server.stop() })
            server.cancelRunningCalls()
            await #expect(throws: CallError.self) { try await write.value }
            await client.close()
        }
        for _ in 0..<1_000 { await Task.yield() }
        isOver.set()
        for store in stores { store.release() }
        for stop in stops { await stop.value }
        #expect(!wasStuck.isSet)
    }

    @Test func aCallMayWaitForAServerThatComesLater() async throws {
        let (first, port) = try await start()
        await first.stop()
        let client = try client(port, goesOn: false)
        let options = CallOptions(timeout: .untilHung, waitsForReady: true)
        let early = Task {
            try await client.call(
                FriendMethods.addFriends, adding("b", to: "a"), options: options)
        }
        // A call that does not wait shows that an attempt to connect has failed by now.
        await #expect(throws: CallError.self) {
            try await client.call(FriendMethods.addFriends, adding("c", to: "a"))
        }
        let (second, _) = try await start(port: port)
        #expect(try await early.value.results.map(\.code) == [.success])
        await client.close()
        await second.stop()
    }

    @Test func aCallThatDoesNotWaitEndsAfterItsAttempts() async throws {
        let (server, port) = try await start()
        await server.stop()
        let clock = FakeClock(skipsSleeps: true)
        let client = try Client(ClientOptions.patient(host: host, port: port), clock: clock) {
            UInt64.random(in: 0...(.max))
        }
        do {
            _ = try await client.call(FriendMethods.addFriends, adding("b", to: "a"))
            Issue.record("the write was answered")
        } catch let error as CallError {
            #expect(error.code == .unavailable)
            #expect(error.attempts == RetryPolicy().maxAttempts)
            #expect(error.message.contains("\(host):\(port)"))
        }
        #expect(clock.sleeps.count == RetryPolicy().maxAttempts - 1)
        await client.close()
    }
}

/// A signal from one task to others.
private final class Flag: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
}
