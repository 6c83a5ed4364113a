import Protobuf
import RelationAPI
import RelationModel

/// The rounds of all servers under one load of additions.
struct WriteFigures: Comparison {
    let title: String
    var servers: [ServerRounds]

    var json: ReportObject { ["load": title, "servers": servers.map { ReportObject($0.members) }] }
}

/// Durable additions of friends beside databases that store as much.
///
/// Every server gets the same pairs, in the same order, and is asked for all of them at the end.
extension PeerBench {
    static let postgres = "PostgreSQL"
    static let twoTrips = "PostgreSQL, two trips"
    static let lone = "AddFriends, 1 in flight"
    static let massed = "AddFriends, 64 in flight"

    private static let scripts = [(postgres, "add.sql"), (twoTrips, "add-two-trips.sql")]

    /// A server, and how many pairs it was asked to add.
    private final class Peer {
        let name: String
        let server: ServerProcess
        var added = 0

        init(_ name: String, _ server: ServerProcess) { (self.name, self.server) = (name, server) }

        /// The numbers of pairs that are still without any write.
        func nextRange(_ count: Int) -> Range<Int> {
            defer { added += count }
            return added..<added + count
        }

        /// Checks that every pair is stored, in both directions.
        func check(_ pairs: [(String, String)]) throws {
            let checks = try pairs.flatMap { one, other in
                try [(one, other), (other, one)].map { try Calls.check($0, [($1, .bothWay)]) }
            }
            try Flood.once(checks, server.port, "the friends that were added")
        }
    }

    func measureWrites() throws {
        let pairs = (effort.rounds + 1) * (effort.loneWrites + effort.massedWrites)
        note("making \(pairs) pairs of accounts in each server")
        let data = try BenchData(graph, pairs: pairs, in: folder)
        let ours = try builds.map { build in
            Peer(
                build.name,
                try ServerProcess(serving: build.program, ["serve", "--data", try data.copy()]))
        }
        let postgres = try Self.scripts.map { name, script in
            let database = try PostgresServer(scripts: Peers.sources + "/postgres", in: folder)
            try database.fill(pairs: pairs)
            return (database, script, Peer(name, database.process))
        }
        let files = try Tool.makeFolder(in: folder)
        defer { Tool.removeFolder(files) }
        let redis = Peer(Self.redis, try RedisServer.start(isDurable: true, in: files))
        let script = try RedisScript(Peers.sources + "/redis/add.lua", redis.server.port)
        try Tool.run("/bin/sync", ["-f", folder])

        figures.writes = try [Self.lone, Self.massed].map { title in
            let (load, count) =
                title == Self.massed
                ? (StoreLimits.massed, effort.massedWrites) : (Load(), effort.loneWrites)
            let rounds = try rounds(title) { turns in
                for peer in ours {
                    turns.add(peer.name, peer.server) {
                        Flood(
                            port: peer.server.port, path: FriendMethods.addFriends.path,
                            requests: try data.pairs(peer.nextRange(count)).map {
                                try Calls.add($0)
                            },
                            load: load, calls: count)
                    }
                }
                for (database, script, peer) in postgres {
                    let sessions = load.isLone ? 1 : StoreLimits.massedSessions
                    let each = count / sessions
                    let children = try database.usage().children
                    turns.add(peer.name) { _ in
                        var turn = Turns.Turn()
                        let first = peer.nextRange(each * sessions).lowerBound
                        turn.before = try database.usage(children: children)
                        turn.report = try database.add(
                            script, first: first, count: each, sessions: sessions)
                        turn.after = try database.usage(children: children)
                        return turn
                    }
                }
                turns.add(redis.name, redis.server) {
                    PipelineFlood(
                        port: redis.server.port,
                        requests: data.pairs(redis.nextRange(count)).map(script.add),
                        load: load, calls: count)
                }
            }
            return WriteFigures(title: title, servers: rounds)
        }

        note("asking for all that was added")
        for peer in ours { try peer.check(data.pairs(0..<peer.added)) }
        for (database, _, peer) in postgres { try database.check(pairs: peer.added) }
        try RedisServer.send(
            data.pairs(0..<redis.added).flatMap(RedisScript.checks), to: redis.server.port)
        // Folders are removed with their owners, and servers need them until they have stopped.
        try withExtendedLifetime((data, postgres)) {
            for peer in ours + postgres.map(\.2) + [redis] { try peer.server.stop() }
        }
    }
}
