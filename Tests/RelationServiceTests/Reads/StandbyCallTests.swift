import Logging
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import GRPC
@testable import GRPCClient
@testable import RelationAdmission
@testable import RelationCalls
@testable import RelationRuntime
@testable import RelationService

/// Calls of a server whose store has a standby that lags.
@Suite struct StandbyCallTests {
    /// A server with one loop, and users of one app.
    private final class Service: Sendable {
        let store: LaggingStore
        private let server: Server
        private let channel: Channel
        private let readers = ReaderPools(threads: 2)
        private let committer: Committer

        init(takesRecentReads: Bool = false, users: [String] = ["ann", "ben", "cat"]) async throws {
            store = LaggingStore(takesRecentReads: takesRecentReads)
            let app = App(id: Authenticator.defaultApp, settings: .tim)
            try store.write(touching: []) { (transaction) throws(StorageError) in
                let ledger = Ledger(
                    app: app, now: Timestamp(milliseconds: 1), origin: Origin(user: nil),
                    transaction: transaction)
                for user in users {
                    _ = try Accounts.create(
                        UserID(stored: user.utf8), nick: user, faceURL: "", in: ledger)
                }
                try ledger.close()
            }
            committer = Committer(store: store)
            let router = Router(
                store: store, committer: committer, readers: readers,
                authenticator: .open(to: Apps([app])),
                clock: ServiceClock { Timestamp(milliseconds: 2) })
            RelationServer.registerCalls(in: router)
            var configuration = ServerConfiguration()
            configuration.loops = 1
            server = Server(
                configuration: configuration, dispatchers: [router], logger: Logger(label: "test"))
            let address = try await server.start()
            channel = Channel(ClientConfiguration(host: address.host, port: address.port))
        }

        func call<Request: CodedMessage, Response: CodedMessage>(
            _ method: Protobuf.Method<Request, Response>, _ request: Request
        ) async throws -> Response {
            let answer = try await channel.unary(
                method.path, try ReadService.bytes(method, request))
            return try Arena.temporary { (arena) throws(CodecError) in
                try method.responseCoder.message(answer, arena)
            }
        }

        /// Adds a friend at the primary, and answers the sequence.
        func add(_ friend: String, to user: String) async throws -> Int64 {
            let answer = try await call(
                FriendMethods.addFriends,
                .with {
                    $0.userID = user
                    $0.force = true
                    $0.items = [.with { $0.userID = friend }]
                })
            return answer.sequence
        }

        func friends(
            of user: String, seeing sequence: Int64? = nil, _ ifBehind: IfBehind = .unspecified
        ) async throws -> [String] {
            let answer = try await call(
                FriendMethods.listFriends,
                .with {
                    $0.userID = user
                    $0.options = .with {
                        $0.ifBehind = ifBehind
                        if let sequence { $0.minSequence = .with { $0.sequence = sequence } }
                    }
                })
            return answer.friends.map(\.userID).sorted()
        }

        func stop() async {
            await channel.close()
            await server.shutDownGracefully { self.readers.close() }
        }
    }

    /// The error of a call that must fail.
    private func error(_ body: () async throws -> some Any) async -> RPCError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? RPCError
        }
    }

    @Test func aReadWithATokenIsAnsweredByAStandbyThatShowsIt() async throws {
        let service = try await Service()
        let first = try await service.add("ben", to: "ann")
        try service.store.follow()
        let second = try await service.add("cat", to: "ann")
        service.store.forgetCounts()
        #expect(try await service.friends(of: "ann", seeing: first) == ["ben"])
        #expect(service.store.reads == 0 && service.store.needs == [.token])
        // It is behind: the primary answers.
        #expect(try await service.friends(of: "ann", seeing: second) == ["ben", "cat"])
        #expect(service.store.reads == 1 && service.store.needs == [.token, .token])
        // Without a token too.
        #expect(try await service.friends(of: "ann") == ["ben", "cat"])
        #expect(service.store.reads == 2 && service.store.needs.count == 2)
        await service.stop()
    }

    @Test func aReadWithoutATokenMayBeOlderIfTheSettingsSaySo() async throws {
        let service = try await Service(takesRecentReads: true)
        try service.store.follow()
        _ = try await service.add("ben", to: "ann")
        service.store.forgetCounts()
        #expect(try await service.friends(of: "ann") == [])
        service.store.isAway = true
        #expect(try await service.friends(of: "ann") == ["ben"])
        #expect(service.store.reads == 1 && service.store.needs == [.recent, .recent])
        await service.stop()
    }

    @Test func aReadFailsOnlyIfItsCallerWantsThat() async throws {
        let service = try await Service()
        try service.store.follow()
        let sequence = try await service.add("ben", to: "ann")
        service.store.forgetCounts()
        for ifBehind in [IfBehind.fail, .wait] {
            let error = await error {
                try await service.friends(of: "ann", seeing: sequence, ifBehind)
            }
            #expect(error?.code == .unavailable)
            #expect(error?.message == "no standby shows the sequence \(sequence) of user ann")
        }
        #expect(service.store.reads == 0)
        let unknown = await error {
            try await service.friends(of: "ann", seeing: sequence, IfBehind(rawValue: 9))
        }
        #expect(unknown?.code == .invalidArgument)
        #expect(unknown?.message.contains("options.if_behind") == true)
        await service.stop()
    }

    @Test func aSequenceThatWasNeverIssuedIsReportedByThePrimary() async throws {
        let service = try await Service()
        try service.store.follow()
        let error = await error { try await service.friends(of: "ann", seeing: 1_000) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("has not reached 1000") == true)
        await service.stop()
    }

    @Test func aUserWhomTheStandbyLacksIsAskedOfThePrimary() async throws {
        let service = try await Service(takesRecentReads: true, users: ["ann"])
        let empty = try LaggingStore().point()
        try service.store.follow(to: empty)
        service.store.forgetCounts()
        #expect(try await service.friends(of: "ann") == [])
        #expect(service.store.reads == 1 && service.store.needs == [.recent])
        await service.stop()
    }

    @Test func suggestionsAndSearchesAskAStandbyInAnyCase() async throws {
        let service = try await Service()
        try service.store.follow()
        service.store.forgetCounts()
        _ = try await service.call(
            FriendMethods.suggestFriends, .with { $0.userID = "ann" })
        _ = try await service.call(
            FriendMethods.searchFriends,
            .with {
                $0.userID = "ann"
                $0.keyword = "b"
            })
        #expect(service.store.needs == [.present, .present] && service.store.reads == 0)
        await service.stop()
    }

    @Test func settingsAndChangesAreReadFromThePrimary() async throws {
        let service = try await Service(takesRecentReads: true)
        try service.store.follow()
        service.store.forgetCounts()
        _ = try await service.call(AppMethods.listClientApps, ListClientAppsRequest())
        _ = try await service.call(ChangeMethods.listChanges, .with { $0.userID = "ann" })
        #expect(service.store.needs == [])
        await service.stop()
    }

    /// Writes at the primary, and reads with tokens that were answered before, while the standby
    /// shows one state after another: no answer lacks what its token has.
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func noReadIsOlderThanItsToken(_ seed: UInt64) async throws {
        var numbers = SeededNumbers(seed: seed)
        let others = (0..<60).map { "friend\($0)" }
        let owners = ["ann", "ben"]
        let service = try await Service(
            takesRecentReads: seed.isMultiple(of: 2), users: owners + others)
        var points = [try service.store.point()]
        // The friends of each owner with the sequences of the writes that added them.
        var written: [String: [(friend: String, sequence: Int64)]] = ["ann": [], "ben": []]
        var shown = 0
        var fromStandby = 0
        for step in 0..<200 {
            let owner = owners.randomElement(using: &numbers) ?? "ann"
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0..<3:
                guard let friend = others.randomElement(using: &numbers),
                    written[owner]?.contains(where: { $0.friend == friend }) == false
                else { continue }
                let sequence = try await service.add(friend, to: owner)
                written[owner]?.append((friend, sequence))
                points.append(try service.store.point())
            case 3..<5:
                // A standby only goes on.
                shown = Int.random(in: shown..<points.count, using: &numbers)
                try service.store.follow(to: points[shown])
            default:
                let log = written[owner] ?? []
                let count = Int.random(in: 0...log.count, using: &numbers)
                let token = count == 0 ? 0 : log[count - 1].sequence
                let needed = Set(log.prefix(count).map(\.friend))
                let choices = [IfBehind.unspecified, .primary, .fail]
                let choice = choices.randomElement(using: &numbers) ?? .unspecified
                let before = service.store.reads
                do {
                    let found = try await service.friends(of: owner, seeing: token, choice)
                    #expect(needed.isSubset(of: found), "seed \(seed), step \(step)")
                    #expect(Set(found).isSubset(of: log.map(\.friend)))
                    if service.store.reads == before { fromStandby += 1 }
                } catch let error as RPCError {
                    #expect(choice == .fail && error.code == .unavailable)
                }
            }
        }
        #expect(fromStandby > 10, "seed \(seed)")
        await service.stop()
    }
}
