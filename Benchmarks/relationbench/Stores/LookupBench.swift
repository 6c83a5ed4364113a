import Protobuf
import RelationAPI
import RelationModel

/// Measures checks of users with many friends beside the look-ups of stores that do less.
///
/// A store looks one direction up: whether a user stands in another one's set. Ours reads both
/// directions and the accounts, and asks for a credential.
final class LookupBench {
    static let redis = "Redis"
    static let lmdb = "LMDB"

    private let options: PeerOptions
    private let metadata = PeerServer.ours("", "", isGuarded: true).metadata
    /// Why rounds should not be trusted, in the order of the rounds.
    private(set) var disturbances: [String] = []

    init(_ options: PeerOptions) {
        self.options = options
    }

    /// - Throws: ``FloodError`` if a server failed or gave a wrong answer.
    func measure(_ note: (String) -> Void) throws -> [ShapeFigures] {
        let graph = SampleGraph(ring: options.effort.setUsers, friends: options.effort.setFriends)
        let data = try BenchData(graph, pairs: 0, in: options.folder)
        let files = try Tool.makeFolder(in: options.folder)
        defer { Tool.removeFolder(files) }
        let servers = try options.builds.map { build in
            try ServerProcess(
                build.program, ["serve", "--guarded", "--data", try data.copy()],
                core: BenchLimits.serverProcessor, seconds: BenchLimits.startSeconds)
        }
        let redis = try RedisServer.start(isDurable: false, in: files)
        let lmdb = try RedisServer.startLMDB(options.peers, in: files)
        for store in [redis, lmdb] { try RedisServer.send(Self.sets(of: graph), to: store.port) }

        let figures = try StoreLimits.lookups.map { ids in
            note("look-ups of \(ids)")
            let shape = PeerShape(
                ids: ids, connections: StoreLimits.connections, streams: StoreLimits.inFlight)
            let questions = questions(ids, in: graph)
            var turns = Turns(effort: options.effort, title: "look-ups of \(ids)")
            let checks = try questions.map { try $0.check(in: graph) }
            for (build, server) in zip(options.builds, servers) {
                turns.add(build.name, server) { [metadata] in
                    Flood(
                        port: server.port, path: FriendMethods.checkFriends.path,
                        metadata: metadata, requests: checks, connections: shape.connections,
                        streams: shape.streams, calls: .max)
                }
            }
            let lookups = questions.map { $0.lookup(in: graph) }
            for (name, store) in [(Self.redis, redis), (Self.lmdb, lmdb)] {
                turns.add(name, store) {
                    PipelineFlood(
                        port: store.port, requests: lookups, connections: shape.connections,
                        inFlight: shape.streams)
                }
            }
            let rounds = try turns.measure()
            disturbances += turns.disturbances
            return ShapeFigures(shape: shape, servers: rounds)
        }
        // Its folder is removed with it, and servers need theirs until they have stopped.
        try withExtendedLifetime(data) {
            for server in servers + [redis, lmdb] { try server.stop() }
        }
        return figures
    }

    /// A user, and those of whom it is asked whether they are its friends.
    struct Question {
        let owner: Int
        let others: [Int]

        func check(in graph: SampleGraph) throws(CodecError) -> Flood.Request {
            try Calls.check(
                graph.users[owner].text,
                others.map { other in
                    let isFriend = graph.areFriends(owner, other)
                    return (graph.users[other].text, isFriend ? FriendRelation.bothWay : .none)
                })
        }

        func lookup(in graph: SampleGraph) -> PipelineFlood.Request {
            let names = others.map { graph.users[$0].text }
            return PipelineFlood.Request(
                command: RedisCommand.bytes(
                    ["SMISMEMBER", LookupBench.set(of: graph.users[owner].text)] + names),
                answer: RedisCommand.numbers(
                    others.map { graph.areFriends(owner, $0) ? 1 : 0 }))
        }
    }

    /// Half of the users that are asked for are friends.
    private func questions(_ ids: Int, in graph: SampleGraph) -> [Question] {
        var numbers = SeededNumbers(seed: options.seed)
        return (0..<options.effort.requests).map { _ in
            let owner = Int.random(in: graph.users.indices, using: &numbers)
            let others = (0..<ids).map { _ in
                let friend = graph.friends[owner].randomElement(using: &numbers)!
                let step = Int.random(in: 1..<graph.users.count, using: &numbers)
                return Bool.random(using: &numbers) ? friend : (owner + step) % graph.users.count
            }
            return Question(owner: owner, others: others)
        }
    }

    static func set(of user: String) -> String { "friends:\(user)" }

    /// The commands that make all sets.
    static func sets(of graph: SampleGraph) -> [PipelineFlood.Request] {
        graph.users.indices.map { owner in
            let friends = graph.friends[owner].map { graph.users[$0].text }
            return PipelineFlood.Request(
                command: RedisCommand.bytes(["SADD", set(of: graph.users[owner].text)] + friends),
                answer: RedisCommand.number(friends.count))
        }
    }
}
