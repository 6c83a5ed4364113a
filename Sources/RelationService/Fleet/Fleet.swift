import GRPC
import GRPCWire
import Logging
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationCore
import RelationHooks
import RelationModel
import RelationRuntime
import Storage
import Support
import Synchronization

/// The databases that one server serves, and the way of each call to that of its app.
///
/// The directory is read ten times a second, and when its home says that it has changed. While home
/// is away the last reading counts. A reading that is behind leads a call to the database where its
/// app was: that refuses it, since an app is active in one database only.
final class Fleet: Sendable {
    private struct State {
        var view = DirectoryView()
        var members: [String: FleetMember] = [:]
        var homeRows: Int64 = 0
        var isStale = true
        /// When the last reading began.
        var readAt: UInt64 = 0
        var isStopped = false
    }

    let home: StoreService
    private let offer: FleetOffer
    private let health: Health
    private let makeService: FleetMember.Make
    private let logger: Logger
    /// A clock that counts suspended time, in nanoseconds.
    private let clock: @Sendable () -> UInt64
    private let state = Mutex(State())
    /// Held while the directory is read, so that readings come one after another.
    private let readingAlone = Mutex(())
    /// Reads the directory.
    private let reader = WorkThread("directory")
    /// Looks at the health of all databases, and never waits for one.
    private let watching = WorkThread("fleet")
    /// Finds places for new apps.
    private let placing = WorkThread("placing")
    private let waitingPlaces = Atomic(0)
    /// Whether a reading is queued already.
    private let isWoken = Atomic(false)

    /// - Parameters:
    ///   - health: The health that the server reports.
    ///   - makeService: Makes the part of the server for a database, with its lease.
    init(
        _ home: StoreService, _ offer: FleetOffer, _ health: Health, _ logger: Logger,
        clock: @escaping @Sendable () -> UInt64 = { Lease.nanoseconds },
        _ makeService: @escaping FleetMember.Make
    ) {
        self.home = home
        self.offer = offer
        self.health = health
        self.logger = logger
        self.clock = clock
        self.makeService = makeService
    }

    // MARK: The life of a server

    /// Reads the directory, and opens the databases in the background.
    ///
    /// - Throws: ``StorageError`` if home does not answer.
    func start() throws(StorageError) {
        try read()
        home.peerSync?.whenDirectoryChanges { [weak self] in self?.wake() }
        readAgain()
        watch()
        countHome()
    }

    private func wake() {
        guard !isWoken.exchange(true, ordering: .sequentiallyConsistent) else { return }
        reader.run { [weak self] in
            guard let self else { return }
            // Before the reading: a later wake-up leads to another one.
            self.isWoken.store(false, ordering: .sequentiallyConsistent)
            self.tryToRead()
        }
    }

    private func readAgain() {
        reader.run(afterMilliseconds: FleetLimits.readMilliseconds) { [weak self] in
            guard let self, !self.isStopped else { return }
            self.tryToRead()
            self.readAgain()
        }
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func tryToRead() {
        guard !isStopped else { return }
        do throws(StorageError) {
            try read()
        } catch {
            let isNews = state.withLock { state in
                defer { state.isStale = true }
                return !state.isStale
            }
            if isNews { logger.error("the directory cannot be read: \(error.message)") }
        }
    }

    private func read() throws(StorageError) {
        try readingAlone.withLock { (_) throws(StorageError) in try readAlone() }
    }

    private func readAlone() throws(StorageError) {
        let began = clock()
        let version = state.withLock { $0.view.version }
        var news = try offer.directory.news(after: version)
        if !take(news) {
            logger.warning("the directory has gone back to an earlier state, and is read anew")
            news = try offer.directory.news(after: -1)
            _ = take(news)
        }
        state.withLock { $0.readAt = began }
    }

    /// - Returns: Whether they could be taken.
    private func take(_ news: DirectoryNews) -> Bool {
        var opened: [FleetMember] = []
        var closed: [FleetMember] = []
        let isTaken = state.withLock { state in
            guard state.view.take(news) else { return false }
            state.isStale = false
            let known = Dictionary(
                state.view.databases.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
            // A database whose address has changed is another one.
            for (name, member) in state.members where known[name] != member.database {
                state.members[name] = nil
                closed.append(member)
            }
            for (name, database) in known where state.members[name] == nil && !state.isStopped {
                let member = member(of: database)
                state.members[name] = member
                opened.append(member)
            }
            return true
        }
        for member in closed { member.stop() }
        for member in opened { member.open() }
        return isTaken
    }

    private func member(of database: DirectoryDatabase) -> FleetMember {
        var logger = logger
        logger[metadataKey: "database"] = "\(database.name)"
        return FleetMember(database, logger, makeService) {
            [offer] (database) throws(StorageError) in try offer.rows(database)
        }
    }

    private func countHome() {
        placing.run { [weak self] in
            guard let self, !self.isStopped else { return }
            if let rows = try? self.offer.rows(nil) { self.state.withLock { $0.homeRows = rows } }
            self.placing.run(afterMilliseconds: FleetLimits.countMilliseconds) { [weak self] in
                self?.countHome()
            }
        }
    }

    /// The server takes calls as long as one database is there.
    ///
    /// - Parameter known: The names of the databases of which health speaks.
    private func watch(after known: Set<String> = []) {
        watching.run(afterMilliseconds: FleetLimits.healthMilliseconds) { [weak self] in
            guard let self, !self.isStopped else { return }
            self.reopenLost()
            let reading = self.reading()
            for service in Set(ServiceTable.all.map(\.service)).union([""]) {
                self.health.set(reading.isAllAway ? .notServing : .serving, for: service)
            }
            for database in reading.databases {
                self.health.set(
                    database.trouble == nil ? .serving : .notServing,
                    for: Self.healthName(database.name))
            }
            let names = Set(reading.databases.map(\.name))
            for name in known.subtracting(names) { self.health.remove(Self.healthName(name)) }
            self.watch(after: names)
        }
    }

    /// The service of the health that speaks for a database.
    private static func healthName(_ database: String) -> String { "database/\(database)" }

    /// Has each database opened anew that has gone back to an earlier state.
    private func reopenLost() {
        for member in state.withLock({ Array($0.members.values) }) { member.reopenIfLost() }
    }

    func willStop() {
        let members = state.withLock { state in
            state.isStopped = true
            return Array(state.members.values)
        }
        watching.wait()
        offer.directory.willClose()
        for member in members { member.willStop() }
    }

    /// Waits until all is committed, in all databases at once.
    func stop() {
        let members = state.withLock { Array($0.members.values) }
        for member in members { member.stop() }
        reader.wait()
        placing.wait()
        for member in members { member.wait() }
    }

    /// Takes other limits of callers, while calls come.
    func apply(_ rates: CallRates, _ bounds: HoldBounds) {
        for member in state.withLock({ Array($0.members.values) }) {
            member.service?.authenticator.apply(rates, bounds)
        }
    }

    func reading() -> FleetReading {
        let (view, members, homeRows, isStale) = state.withLock {
            ($0.view, $0.members, $0.homeRows, $0.isStale)
        }
        let others = members.sorted { $0.key < $1.key }.map { name, member in
            FleetReading.Database(
                name: name, trouble: member.trouble, apps: member.service?.apps.count ?? 0,
                rows: member.rows)
        }
        let first = FleetReading.Database(
            name: DirectoryDatabase.home, trouble: home.trouble, apps: home.apps.count,
            rows: homeRows)
        return FleetReading(databases: [first] + others, version: view.version, isStale: isStale)
    }

    /// The work for each database that is open, home first, and the others in the order of their
    /// names.
    var loads: [FleetLoad] {
        let members = state.withLock { $0.members.sorted { $0.key < $1.key } }
        let others = members.compactMap { name, member in
            member.service.map { FleetLoad(name, $0) }
        }
        return [FleetLoad(DirectoryDatabase.home, home)] + others
    }

    // MARK: Stores

    /// The part that serves an app; nil while its database is not open, or while it is not sure
    /// that there is no such app.
    private func service(of app: UInt32) -> StoreService? {
        let (place, member, readAt) = state.withLock { state in
            let place = state.view.places[app]
            return (place, place.flatMap { state.members[$0.database] }, state.readAt)
        }
        if let place, place.database != DirectoryDatabase.home { return member?.service }
        if place == nil, home.apps[app] == nil {
            let now = clock()
            let age = now - min(now, readAt)
            let isFresh = age < UInt64(FleetLimits.freshMilliseconds) * 1_000_000
            guard isFresh else { return nil }
        }
        return home
    }

    /// The ways to its stores, which do not keep it alive.
    var paths: FleetStores.Paths {
        let ended = StorageError(.unavailable, "the server has ended")
        return FleetStores.Paths(
            store: { [weak self] app throws(StorageError) in
                guard let self else { throw ended }
                return try store(of: app)
            },
            all: { [weak self] () throws(StorageError) in
                guard let self else { throw ended }
                return try allStores()
            },
            lives: { [weak self] app, name in self?.lives(app, in: name) ?? false })
    }

    private func lives(_ app: UInt32, in name: String) -> Bool {
        state.withLock { $0.view.place(of: app).database == name }
    }

    private func store(of app: UInt32) throws(StorageError) -> any Store {
        guard let service = service(of: app), service.trouble == nil else {
            throw StorageError(.unavailable, "the database of the app \(app) is away")
        }
        return service.store
    }

    private func allStores() throws(StorageError) -> [(name: String, store: any Store)] {
        let members = state.withLock { $0.members.sorted { $0.key < $1.key } }
        var stores: [(name: String, store: any Store)] = [(DirectoryDatabase.home, home.store)]
        for (name, member) in members {
            guard let service = member.service, service.trouble == nil else {
                throw StorageError(.unavailable, "the database \(name) is away")
            }
            stores.append((name, service.store))
        }
        return stores
    }

    /// The authenticator of an app, for TIM's REST API; nil while its database is away.
    func authenticator(of app: UInt32) -> Authenticator? { service(of: app)?.authenticator }

    // MARK: Calls

    /// All calls, each on its way to the database of its app.
    ///
    /// - Parameter methods: The methods of a part, in the same order for all parts.
    func dispatcher(
        _ methods: @escaping @Sendable (StoreService) -> [ServedMethod]
    ) -> any Dispatcher {
        let scopes = Dictionary(ServiceTable.all.map { ($0.path, $0.scope) }) { first, _ in first }
        let routed = methods(home).enumerated().map { index, method in
            switch method.path {
            case PlacedAppCalls.creation.path: return createApp(method)
            case PlacedAppCalls.deletion.path:
                return byRequest(method, PlacedAppCalls.deletion.requestCoder) { $0.appID }
            case PlacedAppCalls.importOfSecret.path:
                return byRequest(method, PlacedAppCalls.importOfSecret.requestCoder) { $0.appID }
            default: break
            }
            // The other calls of operators act for no app.
            guard scopes[method.path] != .operator else { return method }
            return method.routed { [self] (call) throws(RPCError) in
                guard let app = offer.claims.app(of: call) else { return method }
                guard let service = service(of: app) else { throw .databaseAway }
                return service === home ? method : methods(service)[index]
            }
        }
        return RoutedMethods(methods: routed)
    }

    /// A call of operators that goes to the database of the app which its request names.
    private func byRequest<Request: CodedMessage>(
        _ method: ServedMethod, _ coder: Coder<Request>,
        _ app: @escaping @Sendable (Request) -> UInt32
    ) -> ServedMethod {
        method.replaced(
            by: { [self] bytes, call in
                do throws(RPCError) {
                    _ = try home.authenticator.admit(call, needing: .operator)
                    let request = try coder.request(bytes, call.arena)
                    try run(method.path, bytes, call, of: app(request))
                } catch {
                    home.authenticator.noteRefusal(error, of: call)
                    call.fail(error)
                }
            }, admission: admission)
    }

    private var admission: ServedMethod.Admission {
        { [self] (call) throws(RPCError) in
            do throws(RPCError) {
                _ = try home.authenticator.admit(call, needing: .operator)
            } catch {
                home.authenticator.noteRefusal(error, of: call)
                throw error
            }
        }
    }

    private func run(
        _ path: String, _ bytes: UnsafeRawBufferPointer, _ call: ServerCall, of app: UInt32
    ) throws(RPCError) {
        guard let service = service(of: app),
            let method = service.router.methods.first(where: { $0.path == path })
        else { throw .databaseAway }
        method.run(bytes, call)
    }

    // MARK: CreateApp

    /// The call that makes an app: the directory gives the number and the database.
    private func createApp(_ method: ServedMethod) -> ServedMethod {
        method.replaced(
            by: { [self] bytes, call in
                do throws(RPCError) {
                    _ = try home.authenticator.admit(call, needing: .operator)
                    guard
                        waitingPlaces.add(1, ordering: .relaxed).newValue
                            <= FleetLimits.waitingPlaces
                    else {
                        waitingPlaces.subtract(1, ordering: .relaxed)
                        throw .overloaded
                    }
                    place(Array(bytes), call.beginWork(), method)
                } catch {
                    home.authenticator.noteRefusal(error, of: call)
                    call.fail(error)
                }
            }, admission: admission)
    }

    private func place(_ message: [UInt8], _ handle: CallHandle, _ method: ServedMethod) {
        placing.run { [self] in
            let result = Result { () throws(RPCError) in try placed(message) }
            // Until then each server has read the place, or asks its callers to try again.
            placing.run(afterMilliseconds: FleetLimits.freshMilliseconds) { [self] in
                waitingPlaces.subtract(1, ordering: .relaxed)
                handle.resume { [self] call in make(result, call, method) }
            }
        }
    }

    private func make(
        _ placed: Result<(app: UInt32?, bytes: [UInt8]), RPCError>, _ call: ServerCall,
        _ method: ServedMethod
    ) {
        do throws(RPCError) {
            let (app, bytes) = try placed.get()
            try bytes.withUnsafeBufferPointer { (bytes) throws(RPCError) in
                let bytes = UnsafeRawBufferPointer(bytes)
                guard let app else { return method.run(bytes, call) }
                try run(method.path, bytes, call, of: app)
            }
        } catch {
            call.fail(error)
        }
    }

    /// The request with the number that the directory gives; without one for a request that home
    /// answers as it is.
    private func placed(
        _ message: [UInt8]
    ) throws(RPCError) -> (app: UInt32?, bytes: [UInt8]) {
        let arena = Arena()
        let coder = PlacedAppCalls.creation.requestCoder
        var request = try message.withUnsafeBufferPointer { (bytes) throws(RPCError) in
            try coder.request(UnsafeRawBufferPointer(bytes), arena)
        }
        let options = request.options ?? WriteOptions()
        guard !options.dryRun, options.requestID.utf8.count <= Limits.requestIDBytes else {
            return (request.appID == 0 ? nil : request.appID, message)
        }
        if try isOldAtHome(request.appID) { return (nil, message) }
        let place = try place(
            of: request.appID == 0 ? nil : request.appID, for: options.requestID)
        if request.appID == 0 { request.appID = place.app }
        // A request that was sent before under the same id goes where that one went.
        guard request.appID == place.app else { return (place.app, message) }
        do throws(CodecError) {
            return (place.app, try coder.bytes(request, arena))
        } catch {
            throw RPCError(.internalError, "the request does not encode", cause: error)
        }
    }

    /// The place of a new app, or of one that the number or the request has already.
    ///
    /// A new one gets none if all databases are full, so that no number is used up.
    private func place(of app: UInt32?, for id: String) throws(RPCError) -> AppPlace {
        let request = id.isEmpty ? nil : String(hexadecimal: Array(id.utf8))
        let there = reading().databases.filter { $0.trouble == nil }
        guard !there.isEmpty else { throw .databaseAway }
        do throws(StorageError) {
            let place: AppPlace?
            if let name = try database(forNewAppAmong: there) {
                place = try offer.directory.allot(app, for: request, in: name)
            } else {
                place = try offer.directory.known(app, for: request)
            }
            // The call goes by what this server knows of the directory.
            if let place {
                try read()
                return place
            }
        } catch {
            throw RPCError(error)
        }
        throw .full(.tooManyApps, "each database", "apps", Limits.apps)
    }

    /// The name of the database for a new app; nil if all are full.
    ///
    /// Apps that are being deleted fill a database too, and its registry alone counts them. It is
    /// read where as many apps were placed so far as a database may have.
    private func database(
        forNewAppAmong databases: [FleetReading.Database]
    ) throws(StorageError) -> String? {
        let placed = state.withLock { $0.view.appCounts }
        var candidates = databases.filter { $0.apps < Limits.apps }.map(\.candidate)
        var failure: StorageError?
        while let name = DatabaseChoice.best(of: candidates) {
            guard placed[name, default: 0] >= Limits.apps else { return name }
            do throws(StorageError) {
                if try appCount(in: name) < Limits.apps { return name }
            } catch {
                failure = error
            }
            candidates.removeAll { $0.name == name }
        }
        if let failure { throw failure }
        return nil
    }

    /// The apps that a database has, those that are being deleted included.
    private func appCount(in name: String) throws(StorageError) -> Int {
        let member = state.withLock { $0.members[name] }
        let service = name == DirectoryDatabase.home ? home : member?.service
        guard let service else {
            throw StorageError(.unavailable, "the database \(name) is away")
        }
        return try service.store.read { (transaction) throws(StorageError) in
            try AppRules.count(in: transaction)
        }
    }

    /// Whether home has an app of that number from before there was a directory.
    private func isOldAtHome(_ app: UInt32) throws(RPCError) -> Bool {
        guard app != 0, state.withLock({ $0.view.places[app] }) == nil else { return false }
        do throws(StorageError) {
            return try home.store.read { (transaction) throws(StorageError) in
                try AppRules.record(of: app, in: transaction) != nil
            }
        } catch {
            throw RPCError(error)
        }
    }
}

extension FleetReading.Database {
    /// The database as one that may take a new app.
    fileprivate var candidate: DatabaseChoice.Candidate {
        DatabaseChoice.Candidate(name: name, apps: apps, rows: rows)
    }
}

extension FleetLoad {
    fileprivate init(_ name: String, _ service: StoreService) {
        let pools = service.store.gauges().network?.pools ?? []
        self.init(
            name: name, commits: service.committer.reading(),
            pools: pools.map { Pool(name: $0.name, used: $0.used, most: $0.most) },
            hooks: service.hooks?.reading())
    }
}

/// The methods of a fleet.
private struct RoutedMethods: Dispatcher {
    let methods: [ServedMethod]
}
