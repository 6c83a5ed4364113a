import Protobuf
import RelationAPI
import RelationModel

/// One load on servers that share a database, and on a bare client of the same database.
struct SharedFigures {
    /// One way to the database, with a figure for each round.
    struct Way {
        let name: String
        var callsPerSecond: [Double] = []
        var p50: [Double] = []
        var p99: [Double] = []
        /// Microseconds of the database's processor time for a call.
        var databaseCPU: [Double] = []
        /// Microseconds of the processor time of ours, or of the bare client.
        var clientCPU: [Double] = []
    }

    let title: String
    var ways: [Way]

    /// The median of the ratios of a figure of the first way to that of the second.
    func ratio(_ figure: KeyPath<Way, [Double]>) -> Double {
        guard ways.count > 1 else { return 0 }
        return Rounds(ways[0][keyPath: figure]).ratios(to: Rounds(ways[1][keyPath: figure])).median
    }
}

/// Measures servers on a database beside a client that speaks to the database itself.
///
/// The database stands on one processor. Ours and the load, or the bare client, stand on the other.
final class SharedBench {
    struct Options {
        var relationd = ""
        var client = ""
        var sources = ""
        var folder = ""
        var rounds = 5
        var seconds = 2.0
        var loneWrites = 1_000
        var massedWrites = 8_000
    }

    private let options: Options
    private let graph: SampleGraph
    private let database: PostgresServer
    private let data: BenchData
    private var store: String { database.url(of: Self.store) }
    private var added: [String: Int] = [:]

    private static let store = "relation"
    private static let ours = "one server"
    private static let bare = "bare client"

    init(_ options: Options, _ graph: SampleGraph, _ note: (String) -> Void) throws {
        self.options = options
        self.graph = graph
        // Alone and in masses at one server, and twice at one and at two.
        let turns = 3 * (options.rounds + 1)
        let pairs = turns * 2 * (options.loneWrites + options.massedWrites)
        note("making \(pairs) pairs of accounts, and copying them into the database")
        data = try BenchData(graph, pairs: pairs, in: options.folder)
        database = try PostgresServer(scripts: options.sources, in: options.folder)
        try database.make(Self.store)
        try database.fill(pairs: pairs)
        try Tool.run(
            options.relationd,
            ["copy", "--from", "rocks:\(data.path)", "--to", database.url(of: Self.store)])
        try database.settle(Self.store)
    }

    func measure(_ note: (String) -> Void) throws -> [SharedFigures] {
        var servers = [try start()]
        var figures: [SharedFigures] = []
        for isMassed in [false, true] {
            let title = isMassed ? WriteBench.massed : WriteBench.lone
            note(title)
            figures.append(
                try rounds(
                    title,
                    [
                        (Self.ours, { try self.add(on: [servers[0]], isMassed) }),
                        (Self.bare, { try self.addBare(isMassed) }),
                    ]))
        }
        for read in try SharedRead.all(graph) {
            note(read.title)
            figures.append(
                try rounds(
                    read.title,
                    [
                        (Self.ours, { try self.read(read, on: [servers[0]]) }),
                        (Self.bare, { try self.readBare(read) }),
                    ]))
        }
        note("two servers")
        servers.append(try start())
        for streams in [StoreLimits.massedStreams, 2 * StoreLimits.massedStreams] {
            let inFlight = StoreLimits.massedConnections * streams
            figures.append(
                try rounds(
                    "AddFriends, \(inFlight) in flight",
                    [
                        ("two servers", { try self.add(on: servers, true, streams) }),
                        (Self.ours, { try self.add(on: [servers[0]], true, streams) }),
                    ]))
        }
        let read = try SharedRead.all(graph)[0]
        figures.append(
            try rounds(
                read.title,
                [
                    ("two servers", { try self.read(read, on: servers) }),
                    (Self.ours, { try self.read(read, on: [servers[0]]) }),
                ]))
        for server in servers { try server.stop() }
        try database.check(pairs: added[Self.bare] ?? 0)
        return figures
    }

    private func start() throws(FloodError) -> ServerProcess {
        try ServerProcess(
            options.relationd,
            [
                "serve", "--store", store, "--insecure", "--listen", "127.0.0.1:0",
                "--metrics-listen", "off", "--threads", "1",
            ], core: BenchLimits.loadProcessor, seconds: BenchLimits.startSeconds)
    }

    private struct TimeSlice {
        var report = FloodReport()
        var clientSeconds = 0.0
    }

    private func rounds(
        _ title: String, _ ways: [(name: String, run: () throws -> TimeSlice)]
    ) throws -> SharedFigures {
        var found = ways.map { SharedFigures.Way(name: $0.name) }
        for way in ways { _ = try way.run() }
        for round in 0..<options.rounds {
            for place in ways.indices {
                let index = (place + round) % ways.count
                let before = try database.usage().cpuSeconds
                let turn = try ways[index].run()
                let calls = Double(turn.report.calls)
                let seconds = try database.usage().cpuSeconds - before
                found[index].databaseCPU.append(seconds * 1e6 / calls)
                found[index].clientCPU.append(turn.clientSeconds * 1e6 / calls)
                found[index].callsPerSecond.append(turn.report.callsPerSecond)
                found[index].p50.append(turn.report.p50 / .microseconds(1))
                found[index].p99.append(turn.report.p99 / .microseconds(1))
            }
        }
        return SharedFigures(title: title, ways: found)
    }

    // MARK: Ways

    private func take(_ name: String, _ count: Int) -> Range<Int> {
        let first = added[name] ?? 0
        added[name] = first + count
        return first..<first + count
    }

    private func add(
        on servers: [ServerProcess], _ isMassed: Bool, _ streams: Int = StoreLimits.massedStreams
    ) throws -> TimeSlice {
        let count = isMassed ? options.massedWrites : options.loneWrites
        let requests = try data.pairs(take(Self.ours, count)).map { try Calls.add($0) }
        return try flood(
            servers, FriendMethods.addFriends.path, requests, calls: count,
            connections: isMassed ? StoreLimits.massedConnections : 1,
            streams: isMassed ? streams : 1)
    }

    private func read(_ read: SharedRead, on servers: [ServerProcess]) throws -> TimeSlice {
        try flood(
            servers, read.path, read.requests, calls: .max,
            connections: StoreLimits.massedConnections, streams: StoreLimits.massedStreams)
    }

    /// One load, which is shared by connections to all `servers`.
    private func flood(
        _ servers: [ServerProcess], _ path: String, _ requests: [Flood.Request], calls: Int,
        connections: Int, streams: Int
    ) throws -> TimeSlice {
        let before = try servers.reduce(0) { $0 + (try $1.usage().cpuSeconds) }
        var flood = Flood(
            port: servers[0].port, path: path, requests: requests,
            connections: connections, streams: streams, calls: calls)
        flood.seconds = calls == .max ? options.seconds : 60
        flood.otherPorts = servers.dropFirst().map(\.port)
        var turn = TimeSlice()
        turn.report = try flood.checkedRun(path)
        turn.clientSeconds = try servers.reduce(0) { $0 + (try $1.usage().cpuSeconds) } - before
        return turn
    }

    private func addBare(_ isMassed: Bool) throws -> TimeSlice {
        let sessions = isMassed ? StoreLimits.massedSessions : 1
        let each = (isMassed ? options.massedWrites : options.loneWrites) / sessions
        let first = take(Self.bare, each * sessions).lowerBound
        return try bare("add", PostgresServer.name, sessions, "\(each)", first)
    }

    private func readBare(_ read: SharedRead) throws -> TimeSlice {
        // As many sessions as one server has for reads.
        try bare(read.statement, Self.store, 8, "\(options.seconds)", read.rows)
    }

    private func bare(
        _ mode: String, _ name: String, _ sessions: Int, _ amount: String, _ number: Int
    ) throws -> TimeSlice {
        let before = Tool.endedSeconds()
        let lines = try Tool.lines(
            options.client, [mode, database.url(of: name), "\(sessions)", amount, "\(number)"])
        let words = lines.first?.split(separator: " ").compactMap { Double($0) } ?? []
        guard words.count == 4 else { throw FloodError("the bare client told no figures") }
        var turn = TimeSlice()
        turn.report.calls = Int(words[0])
        turn.report.seconds = words[1]
        turn.report.p50 = .microseconds(Int64(words[2]))
        turn.report.p99 = .microseconds(Int64(words[3]))
        turn.clientSeconds = Tool.endedSeconds() - before
        return turn
    }
}

/// A read of the sample graph, and the statement that the service makes for it.
struct SharedRead {
    let title: String
    let path: String
    let requests: [Flood.Request]
    /// The mode of the bare client, and the rows that the statement names or answers.
    let statement: String
    let rows: Int

    static func all(_ graph: SampleGraph) throws -> [SharedRead] {
        let count = StoreLimits.askedReads
        var numbers = SeededNumbers(seed: 1)
        func users() -> (String, [String]) {
            let chosen = (0...StoreLimits.readUsers).map { _ in
                graph.users[Int.random(in: graph.users.indices, using: &numbers)].text
            }
            return (chosen[0], chosen.dropFirst().filter { $0 != chosen[0] })
        }
        let relations = try (0..<count).map { _ in
            let (user, others) = users()
            return try Flood.Request(
                GetRelationsRequest.with {
                    $0.userID = user
                    $0.userIDs = others
                })
        }
        let lists = try (0..<count).map { _ in
            var message = ListFriendsRequest()
            message.userID = users().0
            message.pageSize = 50
            return try Flood.Request(message)
        }
        return [
            SharedRead(
                title: "CheckFriends of 20", path: FriendMethods.checkFriends.path,
                requests: try Calls.checks(count, ids: StoreLimits.readUsers, in: graph, seed: 1),
                statement: "rows", rows: 61),
            SharedRead(
                title: "GetRelations of 20", path: FriendMethods.getRelations.path,
                requests: relations, statement: "rows", rows: 141),
            SharedRead(
                title: "ListFriends of 50", path: FriendMethods.listFriends.path,
                requests: lists, statement: "list", rows: 51),
        ]
    }
}
