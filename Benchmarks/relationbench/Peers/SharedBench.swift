import Protobuf
import RelationAPI

/// Measures servers on a database beside a client that speaks to the database itself.
///
/// The database stands on one processor. Ours and the load, or the bare client, stand on the other.
final class SharedBench {
    private let options: Shared
    private let effort: PeerEffort
    private let graph: SampleGraph
    private let database: PostgresServer
    private let data: BenchData
    private let relationd: String
    private let note: (String) -> Void
    private var store: String { database.url(of: Self.store) }
    private var added: [String: Int] = [:]

    private static let store = "relation"
    private static let ours = "one server"
    private static let bare = "bare client"

    init(_ options: Shared, _ note: @escaping (String) -> Void) throws {
        (self.options, effort, self.note) = (options, options.effort, note)
        graph = try SampleGraph(path: options.measured.graph)
        relationd = try Tool.beside("relationd")
        // Alone and in masses at one server, and twice at one and at two.
        let turns = 3 * (effort.rounds + 1)
        let pairs = turns * 2 * (effort.loneWrites + effort.massedWrites)
        note("making \(pairs) pairs of accounts, and copying them into the database")
        data = try BenchData(graph, pairs: pairs, in: options.measured.folder)
        database = try PostgresServer(
            scripts: Peers.sources + "/postgres", in: options.measured.folder)
        try database.make(Self.store)
        try database.fill(pairs: pairs)
        try Tool.run(
            relationd,
            ["copy", "--from", "rocks:\(data.path)", "--to", database.url(of: Self.store)])
        try database.settle(Self.store)
    }

    /// The rounds of each load, of two ways to the database each: the database's processor time for
    /// a call, and that of ours or of the bare client.
    func measure() throws -> [WriteFigures] {
        let one = [try start()]
        var figures: [WriteFigures] = []
        for title in [PeerBench.lone, PeerBench.massed] {
            let (load, count) =
                title == PeerBench.massed
                ? (StoreLimits.massed, effort.massedWrites) : (Load(), effort.loneWrites)
            figures.append(
                try rounds(title, (Self.ours, { try self.add(count, on: one, load) })) {
                    let sessions = load.isLone ? 1 : StoreLimits.massedSessions
                    let each = count / sessions
                    let first = self.nextRange(Self.bare, each * sessions).lowerBound
                    return try self.bare("add", PostgresServer.name, sessions, "\(each)", first)
                })
        }
        let reads = try SharedRead.all(graph, seed: options.measured.seed)
        for read in reads {
            figures.append(
                try rounds(read.title, (Self.ours, { try self.read(read, on: one) })) {
                    // As many sessions as one server has for reads.
                    try self.bare(
                        read.statement, Self.store, 8, "\(self.effort.seconds)", read.rows)
                })
        }
        note("two servers")
        let two = one + [try start()]
        for streams in [StoreLimits.massed.streams, 2 * StoreLimits.massed.streams] {
            let load = Load(connections: StoreLimits.massed.connections, streams: streams)
            let count = effort.massedWrites
            figures.append(
                try rounds(
                    "AddFriends, \(load.connections * streams) in flight",
                    ("two servers", { try self.add(count, on: two, load) }), name: Self.ours
                ) { try self.add(count, on: one, load) })
        }
        figures.append(
            try rounds(
                reads[0].title, ("two servers", { try self.read(reads[0], on: two) }),
                name: Self.ours
            ) { try self.read(reads[0], on: one) })
        for server in two { try server.stop() }
        try database.check(pairs: added[Self.bare] ?? 0)
        return figures
    }

    private func start() throws(FloodError) -> ServerProcess {
        try ServerProcess(
            relationd,
            [
                "serve", "--store", store, "--insecure", "--listen", "127.0.0.1:0",
                "--metrics-listen", "off", "--threads", "1",
            ], cores: [BenchLimits.loadProcessor], seconds: BenchLimits.startSeconds)
    }

    /// A report of calls, and the processor time of who made them.
    private typealias Run = () throws -> (report: FloodReport, clientSeconds: Double)

    private func rounds(
        _ title: String, _ first: (name: String, run: Run), name: String = SharedBench.bare,
        _ second: @escaping Run
    ) throws -> WriteFigures {
        note(title)
        var turns = Turns(effort: effort, title: title)
        for (name, run) in [first, (name, second)] {
            turns.add(name) { [database] _ in
                var turn = Turns.Turn()
                turn.before = try database.usage()
                (turn.report, turn.clientSeconds) = try run()
                turn.after = try database.usage()
                return turn
            }
        }
        return WriteFigures(title: title, servers: try turns.measure())
    }

    // MARK: Ways

    private func nextRange(_ name: String, _ count: Int) -> Range<Int> {
        let first = added[name, default: 0]
        added[name] = first + count
        return first..<first + count
    }

    private func add(
        _ count: Int, on servers: [ServerProcess], _ load: Load
    ) throws -> (FloodReport, Double) {
        let requests = try data.pairs(nextRange(Self.ours, count)).map { try Calls.add($0) }
        return try flood(servers, FriendMethods.addFriends.path, requests, calls: count, load)
    }

    private func read(
        _ read: SharedRead, on servers: [ServerProcess]
    ) throws -> (FloodReport, Double) {
        try flood(servers, read.path, read.requests, calls: .max, StoreLimits.massed)
    }

    /// One load, which is shared by connections to all `servers`.
    private func flood(
        _ servers: [ServerProcess], _ path: String, _ requests: [Flood.Request], calls: Int,
        _ load: Load
    ) throws -> (FloodReport, Double) {
        func used() throws -> Double { try servers.reduce(0) { $0 + (try $1.usage().cpuSeconds) } }
        let before = try used()
        let flood = Flood(
            port: servers[0].port, otherPorts: servers.dropFirst().map(\.port), path: path,
            requests: requests, load: load, calls: calls,
            seconds: calls == .max ? effort.seconds : 60)
        let report = try flood.checkedRun(path)
        return (report, try used() - before)
    }

    private func bare(
        _ mode: String, _ name: String, _ sessions: Int, _ amount: String, _ number: Int
    ) throws -> (FloodReport, Double) {
        let before = Tool.endedSeconds()
        let lines = try Tool.lines(
            options.client, [mode, database.url(of: name), "\(sessions)", amount, "\(number)"])
        let words = lines.first?.split(separator: " ").compactMap { Double($0) } ?? []
        guard words.count == 4 else { throw FloodError("the bare client printed no figures") }
        let report = FloodReport(
            calls: Int(words[0]), seconds: words[1], p50: .microseconds(Int64(words[2])),
            p99: .microseconds(Int64(words[3])))
        return (report, Tool.endedSeconds() - before)
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

    static func all(_ graph: SampleGraph, seed: UInt64) throws -> [SharedRead] {
        let (count, ids) = (StoreLimits.askedReads, StoreLimits.readUsers)
        var numbers = SeededNumbers(seed: seed)
        let questions = graph.questions(count, ids: ids, friends: false, &numbers)
        return [
            SharedRead(
                title: "CheckFriends of 20", path: FriendMethods.checkFriends.path,
                requests: try Calls.checks(count, ids: ids, in: graph, seed: seed),
                statement: "rows", rows: 61),
            SharedRead(
                title: "GetRelations of 20", path: FriendMethods.getRelations.path,
                requests: try questions.map { question in
                    try Flood.Request(
                        GetRelationsRequest.with {
                            ($0.userID, $0.userIDs) = (question.user, question.names)
                        })
                }, statement: "rows", rows: 141),
            SharedRead(
                title: "ListFriends of 50", path: FriendMethods.listFriends.path,
                requests: try questions.map { question in
                    try Flood.Request(
                        ListFriendsRequest.with { ($0.userID, $0.pageSize) = (question.user, 50) })
                }, statement: "list", rows: 51),
        ]
    }
}
