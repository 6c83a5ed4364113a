import Dispatch
import GRPC
import Logging
import Protobuf
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationClient
import RelationCore
import RelationModel
import RelationService
import Storage
import Synchronization
import Testing

/// One server of several stores in memory: the way of each call to that of its app.
struct FleetTests {
    /// A directory in memory.
    private final class FakeDirectory: StoreDirectory {
        private struct State {
            var version: Int64 = 1
            var places: [UInt32: AppPlace] = [:]
            var requests: [String: UInt32] = [:]
            var last: UInt32 = 1
            var isHeld = false
        }

        private let databases: [DirectoryDatabase]
        private let state = Mutex(State())
        private let gate = DispatchSemaphore(value: 0)

        init(_ names: [String]) {
            databases = names.map { DirectoryDatabase(name: $0, address: $0) }
        }

        func news(after version: Int64) throws(StorageError) -> DirectoryNews {
            state.withLock { state in
                DirectoryNews(
                    version: state.version, databases: databases,
                    places: state.places.values.filter { $0.version > version })
            }
        }

        func willClose() {}

        func allot(
            _ asked: UInt32?, for request: String?, in name: String
        ) throws(StorageError) -> AppPlace {
            if state.withLock({ $0.isHeld }) { gate.wait() }
            return state.withLock { state in
                if let request, let app = state.requests[request], let place = state.places[app] {
                    return place
                }
                if let asked, let place = state.places[asked] { return place }
                state.version += 1
                if asked == nil { state.last += 1 }
                let app = asked ?? state.last
                let place = AppPlace(app: app, database: name, version: state.version)
                state.places[app] = place
                if let request { state.requests[request] = app }
                return place
            }
        }

        func known(_ asked: UInt32?, for request: String?) throws(StorageError) -> AppPlace? {
            state.withLock { state in
                let app = request.flatMap { state.requests[$0] } ?? asked
                return app.flatMap { state.places[$0] }
            }
        }

        var placeCount: Int { state.withLock { $0.places.count } }

        /// Has places wait until ``release()``.
        func hold() { state.withLock { $0.isHeld = true } }

        func release() {
            state.withLock { $0.isHeld = false }
            gate.signal()
        }

        func place(of app: UInt32) -> String? {
            state.withLock { $0.places[app]?.database }
        }
    }

    private struct Served {
        let server: RelationServer
        let directory: FakeDirectory
        let stores: [String: MemoryStore]
        let port: Int

        func client(app: UInt32? = nil) throws -> Client {
            var options = ClientOptions(port: port)
            options.appID = app
            options.retries = nil
            return try Client(options)
        }
    }

    /// Runs `body` with a server of home, `a` and `b`.
    ///
    /// - Parameters:
    ///   - away: The names of databases that cannot be opened.
    ///   - apps: The number of apps that each database has before the server starts.
    ///   - deleted: The names of databases in which one of them is being deleted, and whose places
    ///     the directory counts.
    private func serving(
        away: Set<String> = [], apps count: Int = 0, deleted: Set<String> = [],
        _ body: (Served) async throws -> Void
    ) async throws {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let stores = ["home": MemoryStore(), "a": MemoryStore(), "b": MemoryStore()]
        let home = try #require(stores["home"])
        for store in stores.values where count > 0 { try Self.fill(store, count) }
        let directory = FakeDirectory(["a", "b"])
        for (index, name) in deleted.sorted().enumerated() {
            try Self.beginDeletion(of: UInt32(count), in: #require(stores[name]))
            for app in 0..<UInt32(count) {
                _ = try directory.allot(UInt32(index + 1) * 100_000 + app, for: nil, in: name)
            }
        }
        let apps = try Apps(of: home, at: ServiceClock.system.now())
        let configuration = ServerConfiguration()
        let offer = FleetOffer(
            directory: directory,
            claims: ClaimedApps(loops: configuration.loops, isOpen: true),
            open: { (database) throws(StorageError) in
                guard let store = stores[database.name], !away.contains(database.name) else {
                    throw StorageError(.unavailable, "it is away")
                }
                return store
            },
            rows: { (_) throws(StorageError) in 0 },
            authenticator: { .open(to: $0) }, memory: { ReadCache() })
        let server = try RelationServer(
            store: home, authenticator: .open(to: apps), configuration: configuration,
            fleet: offer, descriptors: Contract.descriptors, logger: logger)
        let port = try await server.start().port
        // The databases are opened beside the start.
        while away.isEmpty, server.awayDatabases() != nil { await Task.yield() }
        try await body(
            Served(server: server, directory: directory, stores: stores, port: port))
        await server.stop()
    }

    /// Makes so many apps.
    private static func fill(_ store: MemoryStore, _ count: Int) throws {
        try store.write(touching: []) { (transaction) throws(StorageError) in
            try Identity.settle(in: transaction)
            for _ in 0..<count {
                let ledger = Ledger(
                    app: .registry, now: ServiceClock.system.now(), origin: Origin(user: nil),
                    transaction: transaction)
                _ = try AppRules.create(AppRules.Making(), in: ledger)
                try ledger.close()
            }
        }
    }

    /// Marks an app as one that is being deleted; nothing goes on to remove its rows.
    private static func beginDeletion(of app: UInt32, in store: MemoryStore) throws {
        try store.write(touching: []) { (transaction) throws(StorageError) in
            let partition = App.registry.partition
            var record = try AppRules.record(of: app, in: transaction) ?? AppRecord()
            record.state = .deleting
            try Tables.apps.set(record, at: partition, AppNumber(app), in: transaction)
            try Tables.appDeletions.set(
                AppDeletionRecord(), at: partition, AppNumber(app), in: transaction)
        }
    }

    private static func endDeletion(of app: UInt32, in store: MemoryStore) throws {
        try store.write(touching: []) { (transaction) throws(StorageError) in
            let ledger = Ledger(
                app: .registry, now: ServiceClock.system.now(), origin: Origin(user: nil),
                transaction: transaction)
            try AppRules.removed(1, of: app, isLast: true, in: ledger)
            try ledger.close()
        }
    }

    private func make(
        _ client: Client, _ id: UInt32 = 0, request: String = ""
    ) async throws -> CreateAppResponse {
        try await client.call(
            AppMethods.createApp,
            .with {
                $0.appID = id
                if !request.isEmpty { $0.options = .with { $0.requestID = request } }
            })
    }

    @Test func eachAppIsServedFromItsOwnStore() async throws {
        try await serving { served in
            let operators = try served.client()
            var made: [UInt32] = []
            for _ in 0..<3 {
                made.append(try await make(operators).app?.appID ?? 0)
            }
            #expect(made == [2, 3, 4])
            #expect(made.map(served.directory.place) == ["a", "b", "a"])
            for app in made {
                let client = try served.client(app: app)
                let given = "the app \(app)"
                let answer = try await client.call(
                    AppMethods.updateApp, .with { $0.name = given })
                #expect(answer.app?.name == given)
                let name = try #require(served.directory.place(of: app))
                let record = try served.stores[name]?.read { (transaction) throws(StorageError) in
                    try AppRules.record(of: app, in: transaction)
                }
                #expect(record?.name == given)
                await client.close()
            }
            let page = try await operators.call(AppMethods.listApps, .with { $0.pageSize = 3 })
            #expect(page.apps.map(\.appID) == [1, 2, 3] && page.totalSize == 4)
            let rest = try await operators.call(
                AppMethods.listApps,
                .with {
                    $0.pageSize = 3
                    $0.pageToken = page.nextPageToken
                })
            #expect(rest.apps.map(\.appID) == [4] && rest.nextPageToken.isEmpty)
            let other = try await operators.call(AppMethods.getApp, .with { $0.appID = 3 })
            #expect(other.app?.appID == 3)
            let deleted = try await operators.call(AppMethods.deleteApp, .with { $0.appID = 3 })
            #expect(deleted.write.applied)
            await operators.close()
        }
    }

    @Test func aRequestThatIsRepeatedMakesOneApp() async throws {
        try await serving { served in
            let operators = try served.client()
            let first = try await make(operators, request: "one")
            let again = try await make(operators, request: "one")
            #expect(again.app?.appID == first.app?.appID && again.write.replayed)
            let taken = await failure { _ = try await make(operators, 2) }
            #expect(taken?.knownReason == .appExists)
            let old = await failure { _ = try await make(operators, 1) }
            #expect(old?.knownReason == .appExists && served.directory.place(of: 1) == nil)
            await operators.close()
        }
    }

    @Test func noMoreNewAppsWaitForAPlaceThanTheLimit() async throws {
        try await serving { served in
            let operators = try served.client()
            served.directory.hold()
            let (first, others) = await withTaskGroup(of: ErrorReason?.self) { group in
                for _ in 0...FleetLimits.waitingPlaces {
                    group.addTask {
                        await failure { _ = try await make(operators) }?.knownReason
                    }
                }
                // The one too many is answered while the others wait.
                let first = await group.next() ?? nil
                served.directory.release()
                var others: [ErrorReason?] = []
                for await reason in group { others.append(reason) }
                return (first, others)
            }
            #expect(first == .overloaded)
            #expect(others.count == FleetLimits.waitingPlaces)
            #expect(others.allSatisfy { $0 == nil })
            await operators.close()
        }
    }

    @Test func aDatabaseThatIsAwayEndsTheCallsOfItsAppsAlone() async throws {
        try await serving(away: ["b"]) { served in
            _ = try served.directory.allot(9, for: nil, in: "b")
            let operators = try served.client()
            // Which takes as long as every server needs to read the directory.
            let made = try await make(operators)
            #expect(served.directory.place(of: made.app?.appID ?? 0) != "b")
            let client = try served.client(app: 9)
            let error = await failure {
                _ = try await client.call(AppMethods.getApp, .with { _ in })
            }
            #expect(error?.code == .unavailable && error?.knownReason == .storageUnavailable)
            let listed = await failure {
                _ = try await operators.call(AppMethods.listApps, .with { _ in })
            }
            #expect(listed?.code == .unavailable)
            #expect(served.server.storeError() == nil)
            #expect(served.server.awayDatabases()?.hasPrefix("b: ") == true)
            await client.close()
            await operators.close()
        }
    }

    @Test func noNumberIsUsedUpWhileEachDatabaseIsFull() async throws {
        try await serving(apps: Limits.apps) { served in
            _ = try served.directory.allot(7, for: "6f6e65", in: "a")
            let operators = try served.client()
            let full = await failure { _ = try await make(operators) }
            #expect(full?.knownReason == .tooManyApps)
            let named = await failure { _ = try await make(operators, 70_000) }
            #expect(named?.knownReason == .tooManyApps)
            // One that has its place already is answered by its database.
            let taken = await failure { _ = try await make(operators, 7) }
            #expect(taken?.knownReason == .appExists)
            let repeated = await failure { _ = try await make(operators, request: "one") }
            #expect(repeated?.knownReason == .appExists)
            #expect(served.directory.placeCount == 1)
            await operators.close()
        }
    }

    @Test func anAppThatIsBeingDeletedFillsItsDatabase() async throws {
        try await serving(apps: Limits.apps, deleted: ["home", "a", "b"]) { served in
            let operators = try served.client()
            let full = await failure { _ = try await make(operators, 70_000) }
            #expect(full?.knownReason == .tooManyApps)
            #expect(served.directory.place(of: 70_000) == nil)
            try Self.endDeletion(of: UInt32(Limits.apps), in: #require(served.stores["b"]))
            let made = try await make(operators, 70_000)
            #expect(made.app?.appID == 70_000 && served.directory.place(of: 70_000) == "b")
            await operators.close()
        }
    }
}
