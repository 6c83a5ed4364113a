import Protobuf
import RelationAPI
import RelationModel

/// The rounds of all servers under one load of additions.
struct WriteFigures {
    let title: String
    var servers: [ServerRounds]

    /// The figures of one server.
    func server(_ name: String) -> ServerRounds? { servers.first { $0.name == name } }

    /// One server's figure as a part of another's: the median of the ratios within the rounds.
    func ratio(
        of one: String, to other: String, _ figure: (ServerRounds) -> Rounds
    ) -> Double? {
        guard let one = server(one), let other = server(other) else { return nil }
        let ratios = figure(one).ratios(to: figure(other))
        return ratios.values.isEmpty ? nil : ratios.median
    }
}

extension WriteFigures {
    var json: JSON {
        .object([
            ("load", .text(title)), ("servers", .list(servers.map { .object($0.members) })),
        ])
    }
}

/// Measures durable additions of friends beside databases that store as much.
///
/// Every server gets the same pairs, in the same order, and is asked for all of them at the end.
final class WriteBench {
    static let postgres = "PostgreSQL"
    static let twoTrips = "PostgreSQL, two trips"
    static let redis = "Redis"
    static let lone = "AddFriends, 1 in flight"
    static let massed = "AddFriends, 64 in flight"

    private static let scripts = [(postgres, "add.sql"), (twoTrips, "add-two-trips.sql")]

    private let options: PeerOptions
    private let graph: SampleGraph
    /// Why rounds should not be trusted, in the order of the rounds.
    private(set) var disturbances: [String] = []

    init(_ options: PeerOptions, _ graph: SampleGraph) {
        self.options = options
        self.graph = graph
    }

    /// A server, and how many pairs it was told to add.
    private final class Peer {
        let name: String
        let server: ServerProcess
        var added = 0

        init(_ name: String, _ server: ServerProcess) {
            self.name = name
            self.server = server
        }

        /// The numbers of pairs that are still without any write.
        func take(_ count: Int) -> Range<Int> {
            defer { added += count }
            return added..<added + count
        }
    }

    private var pairs: Int {
        (options.effort.rounds + 1) * (options.effort.loneWrites + options.effort.massedWrites)
    }

    /// - Throws: ``FloodError`` if a server failed, or did not store what it was told to.
    func measure(_ note: (String) -> Void) throws -> [WriteFigures] {
        note("making \(pairs) pairs of accounts in each server")
        let data = try BenchData(graph, pairs: pairs, in: options.folder)
        let ours = try options.builds.map { build in
            Peer(
                build.name,
                try ServerProcess(
                    build.program, ["serve", "--data", try data.copy()],
                    core: BenchLimits.serverProcessor, seconds: BenchLimits.startSeconds))
        }
        let postgres = try Self.scripts.map { name, script in
            let database = try PostgresServer(
                scripts: options.sources + "/postgres", in: options.folder)
            try database.fill(pairs: pairs)
            return (database, script, Peer(name, database.process))
        }
        let files = try Tool.makeFolder(in: options.folder)
        defer { Tool.removeFolder(files) }
        let redis = Peer(Self.redis, try RedisServer.start(isDurable: true, in: files))
        let script = try RedisScript(options.sources + "/redis/add.lua", redis.server.port)
        try Tool.run("/bin/sync", ["-f", options.folder])

        let figures = try [false, true].map { isMassed in
            let title = isMassed ? Self.massed : Self.lone
            note(title)
            var turns = Turns(effort: options.effort, title: title)
            for peer in ours { add(peer, data, isMassed, to: &turns) }
            for (database, script, peer) in postgres {
                try add(peer, database, script, isMassed, to: &turns)
            }
            add(redis, data, script, isMassed, to: &turns)
            let rounds = try turns.measure()
            disturbances += turns.disturbances
            return WriteFigures(title: title, servers: rounds)
        }

        note("asking for all that was added")
        for peer in ours { try Self.check(peer.server.port, data.pairs(0..<peer.added)) }
        for (database, _, peer) in postgres { try database.check(pairs: peer.added) }
        try RedisServer.send(
            data.pairs(0..<redis.added).flatMap(RedisScript.checks), to: redis.server.port)
        // Folders are removed with their owners, and servers need them until they have stopped.
        try withExtendedLifetime((data, postgres)) {
            for peer in ours + postgres.map(\.2) + [redis] { try peer.server.stop() }
        }
        return figures
    }

    // MARK: Turns

    private func writes(_ isMassed: Bool) -> Int {
        isMassed ? options.effort.massedWrites : options.effort.loneWrites
    }

    private func add(_ peer: Peer, _ data: BenchData, _ isMassed: Bool, to turns: inout Turns) {
        let count = writes(isMassed)
        turns.add(peer.name, peer.server) {
            Flood(
                port: peer.server.port, path: FriendMethods.addFriends.path,
                requests: try data.pairs(peer.take(count)).map { try Calls.add($0) },
                connections: isMassed ? StoreLimits.massedConnections : 1,
                streams: isMassed ? StoreLimits.massedStreams : 1, calls: count)
        }
    }

    private func add(
        _ peer: Peer, _ data: BenchData, _ script: RedisScript, _ isMassed: Bool,
        to turns: inout Turns
    ) {
        let count = writes(isMassed)
        turns.add(peer.name, peer.server) {
            PipelineFlood(
                port: peer.server.port, requests: data.pairs(peer.take(count)).map(script.add),
                connections: isMassed ? StoreLimits.massedConnections : 1,
                inFlight: isMassed ? StoreLimits.massedStreams : 1, calls: count)
        }
    }

    private func add(
        _ peer: Peer, _ database: PostgresServer, _ script: String, _ isMassed: Bool,
        to turns: inout Turns
    ) throws {
        let sessions = isMassed ? StoreLimits.massedSessions : 1
        let each = writes(isMassed) / sessions
        let children = try database.usage().children
        turns.add(peer.name) { _ in
            var turn = Turns.TimeSlice()
            let numbers = peer.take(each * sessions)
            turn.before = ServerUse(try database.usage(children: children))
            turn.report = try database.add(
                script, first: numbers.lowerBound, count: each, sessions: sessions)
            turn.after = ServerUse(try database.usage(children: children))
            return turn
        }
    }

    /// Checks that every pair is stored, in both directions.
    private static func check(_ port: UInt16, _ pairs: [(String, String)]) throws {
        let requests = try pairs.flatMap { pair in
            [
                try Calls.check(pair.0, [(pair.1, .bothWay)]),
                try Calls.check(pair.1, [(pair.0, .bothWay)]),
            ]
        }
        let flood = Flood(
            port: port, path: FriendMethods.checkFriends.path, requests: requests,
            calls: requests.count)
        _ = try flood.checkedRun("the friends that were added")
    }
}
